package connect

import (
	"errors"
	"fmt"
	"strings"
)

// What an [*Error] can be about, for errors.Is.
var (
	ErrUnreachable = errors.New("no broker can be reached")      // refused, unknown host, no route, closed at once
	ErrSilent      = errors.New("a broker does not answer")      // within the timeout
	ErrNotKafka    = errors.New("not a Kafka broker")            // something else answers
	ErrWantsTLS    = errors.New("a broker expects TLS")          // and was spoken to without
	ErrNoTLS       = errors.New("a broker does not speak TLS")   // and was spoken to with it
	ErrCertificate = errors.New("a certificate is not accepted") // the broker's by us, or ours by the broker
	ErrMechanism   = errors.New("a SASL mechanism does not fit") // the broker wants another one, or one at all, or none
	ErrCredentials = errors.New("a login is refused")            // user, password or token
	ErrDenied      = errors.New("an ACL is missing")             // logged in, but not allowed to
)

// An Error says what a broker did, and what to do about it.
type Error struct {
	Addr  string // of the broker, "" where it is about the cluster
	Kind  error  // one of the errors above
	Text  string // all of it, with the address
	Cause error  // what the network or the broker said, may be nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns Kind and Cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// broker makes an [*Error] about one broker. The text follows its address.
func broker(addr string, kind, cause error, format string, args ...any) *Error {
	return &Error{Addr: addr, Kind: kind, Cause: cause, Text: "the broker at " + addr + " " + fmt.Sprintf(format, args...)}
}

// allFailed is about several addresses of which none did. Its causes are in the order of the addresses.
func allFailed(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	var text strings.Builder
	fmt.Fprintf(&text, "none of %d brokers can be used:", len(errs))
	for _, err := range errs {
		fmt.Fprintf(&text, "\n  %v", err)
	}
	return &Error{Kind: ErrUnreachable, Cause: errors.Join(errs...), Text: text.String()}
}
