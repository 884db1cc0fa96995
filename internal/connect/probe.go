package connect

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A prober finds out why a broker cannot be used, before Sarama tries to: it looks at what the other side really sends, where Sarama
// sees a connection that is closed. Only the last thing it does, a login, sends a secret. Its connections end with it.
type prober struct {
	target  *target
	secured *tls.Config // nil without TLS
	gate    *gate
	addr    string
	until   time.Time // when everything has to be over
}

// The codes of Kafka's protocol that a handshake can be answered with.
const (
	unsupportedMechanism = 33
	illegalState         = 34 // no login is wanted here
)

// probe returns nil if a broker answers as it should.
func (p *prober) probe() error {
	conn, err := p.open(p.secured)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // nothing is written that matters
	if _, err := ask(conn, versions(), 1); err != nil {
		return p.explainAnswer(err)
	}
	if p.target.mechanism == "" {
		if _, err := ask(conn, anyTopics(), 2); err != nil {
			return p.explainNoLogin(err)
		}
		return nil
	}
	resp, err := ask(conn, handshake(p.target.mechanism), 2)
	if err != nil {
		return p.explainAnswer(err)
	}
	switch shake := resp.(*kmsg.SASLHandshakeResponse); shake.ErrorCode {
	case unsupportedMechanism:
		return broker(p.addr, ErrMechanism, nil, "does not know %s; it offers %s: --sasl", p.target.mechanism, strings.Join(shake.SupportedMechanisms, ", "))
	case illegalState:
		return broker(p.addr, ErrMechanism, nil, "wants no login: leave --sasl out")
	}
	return p.login()
}

// login logs in once, with the secret, so that a login that fails is counted once by the broker.
func (p *prober) login() error {
	b := sarama.NewBroker(p.addr)
	if err := b.Open(p.target.config(p.secured, p.gate)); err != nil {
		return fmt.Errorf("configuring a connection: %w", err)
	}
	ok, err := b.Connected() // waits for the login
	if ok {
		_ = b.Close() // nothing was asked
		return nil
	}
	var token *tokenError
	var dial *dialError
	switch {
	case errors.As(err, &token):
		return token
	case errors.As(err, &dial):
		return p.explainDial(err)
	case p.late(err):
		return p.silent(err, "does not answer to the login within %s (--timeout)")
	}
	hint := "check --sasl-user and the password"
	if p.target.mechanism == oauthBearer {
		hint = "check the token in " + p.target.tokenFile
	}
	as := ""
	if p.target.user != "" {
		as = fmt.Sprintf(" of %q", p.target.user)
	}
	return broker(p.addr, ErrCredentials, err, "refuses the login%s with %s: %s; %s", as, p.target.mechanism, reason(err), hint)
}

// open dials and, if there is a configuration, shakes hands.
func (p *prober) open(secured *tls.Config) (net.Conn, error) {
	conn, err := p.gate.Dial("tcp", p.addr)
	if err != nil {
		return nil, p.explainDial(err)
	}
	if err := conn.SetDeadline(p.until); err != nil {
		_ = conn.Close()
		return nil, p.explainDial(err)
	}
	if secured == nil {
		return conn, nil
	}
	secured = secured.Clone()
	if secured.ServerName == "" {
		secured.ServerName, _, _ = net.SplitHostPort(p.addr) // addresses were checked
	}
	over := tls.Client(conn, secured)
	if err := p.shakeHands(conn, over); err != nil {
		_ = conn.Close()
		return nil, p.explainTLS(err)
	}
	return over, nil
}

// shakeHands is the TLS handshake. A broker without TLS may take its first bytes for the size of a long request and wait for the rest:
// after half of the time, it is asked in plain.
func (p *prober) shakeHands(conn net.Conn, over *tls.Conn) error {
	var plain error
	asked := make(chan struct{})
	ask := time.AfterFunc(time.Until(p.until)/2, func() {
		defer close(asked)
		if p.speaksPlain() {
			plain = errPlain
			_ = conn.Close() // ends the handshake
		}
	})
	err := over.Handshake()
	if !ask.Stop() {
		<-asked
	}
	if plain != nil {
		return plain
	}
	return err
}

var errPlain = errors.New("it answers without TLS")

func (p *prober) explainDial(err error) error {
	if p.late(err) {
		return p.silent(err, "does not accept the connection within %s (--timeout): is the address right, and is there a firewall?")
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return broker(p.addr, ErrUnreachable, err, "cannot be found: %s: is the name right?", bare(err))
	}
	return broker(p.addr, ErrUnreachable, err, "cannot be reached: %s: is it running, and is the address right?", bare(err))
}

// explainAnswer is about a first request that was not answered as brokers do.
func (p *prober) explainAnswer(err error) error {
	var other *notKafkaError
	switch {
	case p.late(err):
		return p.silent(err, "accepts the connection but does not answer within %s (--timeout): is it a Kafka broker%s?", p.perhapsTLS())
	case errors.As(err, &other) && other.tls():
		return broker(p.addr, ErrWantsTLS, err, "expects TLS: add --tls")
	case errors.As(err, &other):
		return p.notKafka(other.first)
	case closed(err) && p.secured == nil && p.speaksTLS():
		return broker(p.addr, ErrWantsTLS, err, "expects TLS: add --tls")
	case p.secured != nil && alertOf(err) != 0:
		return p.explainTLS(err) // TLS 1.3 looks at our certificate after its handshake
	case closed(err):
		return broker(p.addr, ErrUnreachable, err, "closes the connection without an answer: is it a Kafka broker, and is the port right?")
	}
	return broker(p.addr, ErrUnreachable, err, "cannot be used: %s", bare(err))
}

// explainNoLogin is about a broker that answers who it is, and then nothing.
func (p *prober) explainNoLogin(err error) error {
	if !closed(err) {
		return p.explainAnswer(err)
	}
	conn, dialled := p.open(p.secured)
	if dialled != nil {
		return dialled
	}
	defer func() { _ = conn.Close() }() // nothing is written that matters
	resp, asked := ask(conn, handshake(""), 1)
	if asked != nil {
		return p.explainAnswer(err)
	}
	if offered := resp.(*kmsg.SASLHandshakeResponse).SupportedMechanisms; len(offered) > 0 {
		return broker(p.addr, ErrMechanism, err, "wants a login with %s: --sasl", strings.Join(offered, " or "))
	}
	return p.explainAnswer(err)
}

func (p *prober) notKafka(first []byte) error {
	if strings.HasPrefix(string(first), "HTTP/") {
		return broker(p.addr, ErrNotKafka, nil, "is an HTTP server, not a Kafka broker: is the port right?")
	}
	return broker(p.addr, ErrNotKafka, nil, "is not a Kafka broker: it answers %q: is the port right?", first)
}

// late reports that an error comes from the time being over: the deadline of the connection, or the gate that was shut at the same moment.
func (p *prober) late(err error) bool {
	return silent(err) || errors.Is(p.gate.Cause(), errTimeout)
}

// silent makes the error for it; text has a %s for how long that was, then more for args.
func (p *prober) silent(cause error, text string, args ...any) error {
	return broker(p.addr, ErrSilent, cause, text, append([]any{p.target.timeout}, args...)...)
}

func (p *prober) perhapsTLS() string {
	if p.secured == nil {
		return ", and should there be --tls"
	}
	return ""
}

// speaksTLS tries to shake hands, whatever the certificate. Nothing is sent then.
func (p *prober) speaksTLS() bool {
	conn, err := p.gate.Dial("tcp", p.addr)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // nothing was written
	_ = conn.SetDeadline(p.until)
	err = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}).Handshake()
	return err == nil || alertOf(err) != 0
}

// speaksPlain asks for versions without TLS.
func (p *prober) speaksPlain() bool {
	conn, err := p.gate.Dial("tcp", p.addr)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // nothing was written that matters
	_ = conn.SetDeadline(p.until)
	_, err = ask(conn, versions(), 1)
	return err == nil
}

// errTimeout shuts the gate when the time is over.
var errTimeout = errors.New("timeout")

// silent reports that nothing came in time, from a deadline, a dial or the gate.
func silent(err error) bool {
	var n net.Error
	return errors.Is(err, errTimeout) || errors.As(err, &n) && n.Timeout()
}

// hungUp are the errors of a connection that the other side closed. The last two are Windows' own; elsewhere there are none with these
// numbers.
var hungUp = []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.Errno(10053), syscall.Errno(10054)}

// closed reports that the other side hung up.
func closed(err error) bool {
	return slices.ContainsFunc(hungUp, func(target error) bool { return errors.Is(err, target) })
}

// bare returns the innermost words of a network's error: what went wrong, without the addresses, which are said once.
func bare(err error) string {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.Err
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}
