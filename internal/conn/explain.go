package conn

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/IBM/sarama"
)

// Explain says what may be behind an error of a connection that does not say it.
func Explain(err error) error {
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case plain:
		return fmt.Errorf("%w (that port takes connections without TLS: turn Net.TLS off, or use the port for TLS)", err)
	case untrusted:
		return fmt.Errorf("%w (Net.TLS.Config has no authority, or not the name, that the broker's certificate is for)", err)
	case errors.Is(err, sarama.ErrSASLAuthenticationFailed):
		return fmt.Errorf("%w (the broker refuses the login: check Net.SASL)", err)
	}
	return err
}

// ExplainOpen is [Explain] for an error of a new connection. Brokers close those on which something else is spoken, after at most
// a few bytes.
func ExplainOpen(err error, conf *sarama.Config) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
		return Explain(err)
	}
	if conf.Net.TLS.Enable {
		return fmt.Errorf("%w (it was closed at once: is that the port for TLS, and does it want a certificate?)", err)
	}
	return fmt.Errorf("%w (it was closed at once: does that port want TLS?)", err)
}
