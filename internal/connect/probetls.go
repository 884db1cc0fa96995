package connect

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
)

// The TLS alerts that say something about certificates.
const (
	alertHandshakeFailure    = 40
	alertBadCertificate      = 42
	alertCertificateExpired  = 45
	alertCertificateUnknown  = 46
	alertUnknownCA           = 48
	alertCertificateRequired = 116

	otherAlert = 255
)

// alertOf returns the alert that the other side sent, 0 if it is another error. The standard library has alerts in a type of its own
// that is not exported, so they are known by their words.
func alertOf(err error) tls.AlertError {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" {
		return 0
	}
	for _, a := range []tls.AlertError{
		alertHandshakeFailure, alertBadCertificate, alertCertificateExpired, alertCertificateUnknown, alertUnknownCA, alertCertificateRequired,
	} {
		if op.Err.Error() == a.Error() {
			return a
		}
	}
	return otherAlert
}

// explainTLS is about a handshake that failed.
func (p *prober) explainTLS(err error) error {
	var record tls.RecordHeaderError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.As(err, &verification):
		return p.explainCertificate(verification)
	case alertOf(err) != 0:
		return p.explainAlert(err)
	case errors.As(err, &record) && strings.HasPrefix(string(record.RecordHeader[:]), "HTTP"):
		return p.notKafka([]byte("HTTP/"))
	case errors.As(err, &record), errors.Is(err, errPlain):
		return broker(p.addr, ErrNoTLS, err, "does not speak TLS: leave --tls out")
	case p.late(err):
		return p.silent(err, "accepts the connection but does not shake hands within %s (--timeout): does it speak TLS?")
	case closed(err) && p.speaksPlain():
		return broker(p.addr, ErrNoTLS, err, "does not speak TLS: leave --tls out")
	case closed(err):
		return broker(p.addr, ErrNoTLS, err, "closes the connection in the TLS handshake: does it speak TLS, and is the port right?")
	}
	return broker(p.addr, ErrCertificate, err, "does not agree on TLS: %s", bare(err))
}

// explainCertificate is about the broker's.
func (p *prober) explainCertificate(err *tls.CertificateVerificationError) error {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		by := ""
		if len(err.UnverifiedCertificates) > 0 {
			by = fmt.Sprintf(" by %q", err.UnverifiedCertificates[len(err.UnverifiedCertificates)-1].Issuer)
		}
		return broker(p.addr, ErrCertificate, err, "shows a certificate that is signed%s, which is not trusted: give the authority's with --tls-ca", by)
	case errors.As(err, &host):
		return broker(p.addr, ErrCertificate, err, "shows a certificate for %s, not for %s: give the name with --tls-server-name if that is the same cluster",
			subjects(host.Certificate), host.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return broker(p.addr, ErrCertificate, err, "shows a certificate that is valid from %s to %s only: the broker needs a new one, or this machine's clock is wrong",
			invalid.Cert.NotBefore.Format("2006-01-02"), invalid.Cert.NotAfter.Format("2006-01-02"))
	}
	return broker(p.addr, ErrCertificate, err, "shows a certificate that is not valid: %v", err.Err)
}

// subjects says what a certificate is for.
func subjects(c *x509.Certificate) string {
	all := c.DNSNames
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return "no host"
	}
	return strings.Join(all, ", ")
}

// explainAlert is about what the broker did not like, which most often is our certificate.
func (p *prober) explainAlert(err error) error {
	alert, ours := alertOf(err), p.target.tlsCert != ""
	switch alert {
	case alertUnknownCA, alertCertificateUnknown, alertCertificateExpired, alertCertificateRequired, alertBadCertificate, alertHandshakeFailure:
		if ours {
			return broker(p.addr, ErrCertificate, err, "does not accept the certificate in %s (%s): is it the right one, and does the broker trust who signed it?", p.target.tlsCert, bare(err))
		}
	}
	switch alert {
	case alertCertificateRequired, alertBadCertificate, alertHandshakeFailure:
		return broker(p.addr, ErrCertificate, err, "asks for a certificate of ours, or does not agree on TLS (%s): give --tls-cert and --tls-key", bare(err))
	}
	return broker(p.addr, ErrCertificate, err, "does not agree on TLS: %s", bare(err))
}
