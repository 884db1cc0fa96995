package connect

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
)

// maxPEM is larger than any file of certificates.
const maxPEM = 16 << 20

// tlsConfig reads the files that the settings name; nil is no TLS.
func (t *target) tlsConfig() (*tls.Config, error) {
	if t.tls == nil || !*t.tls {
		return nil, nil
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.tlsServerName}
	conf.InsecureSkipVerify = t.tlsInsecure != nil && *t.tlsInsecure
	if t.tlsCA != "" {
		text, err := readSmall(t.tlsCA, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--tls-ca: there is no certificate in %s; PEM is wanted, with lines such as -----BEGIN CERTIFICATE-----", t.tlsCA)
		}
	}
	if t.tlsCert != "" {
		cert, err := keyPair(t.tlsCert, t.tlsKey)
		if err != nil { // which names neither file where they do not fit each other
			return nil, fmt.Errorf("--tls-cert %s and --tls-key %s: %w", t.tlsCert, t.tlsKey, err)
		}
		conf.Certificates = []tls.Certificate{cert}
	}
	return conf, nil
}

func keyPair(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := readSmall(certFile, maxPEM)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := readSmall(keyFile, maxPEM)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}
