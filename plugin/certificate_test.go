package plugin

import (
	"crypto/x509"
	"testing"
	"time"
)

// TestCertificate has the host's certificate be one that plugins in all languages take: trusted as itself, and no authority.
func TestCertificate(t *testing.T) {
	now := time.Now()
	config, text, err := newCertificate(now)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	if c.IsCA || c.KeyUsage != x509.KeyUsageDigitalSignature {
		t.Errorf("it is an authority (%v), or for more than signing in (%b)", c.IsCA, c.KeyUsage)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(text)) {
		t.Fatalf("no certificate: %s", text)
	}
	usages := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := c.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: usages, CurrentTime: now}); err != nil {
		t.Error(err)
	}
}
