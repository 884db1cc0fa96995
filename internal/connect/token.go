package connect

import (
	"strings"

	"github.com/IBM/sarama"
)

// tokenFile provides OAUTHBEARER tokens from a file, which something else keeps fresh: it is read each time a connection logs in, or
// logs in again. It is safe for concurrent use.
type tokenFile string

// Token reads the file.
func (f tokenFile) Token() (*sarama.AccessToken, error) {
	secret, err := readSecret("token", string(f))
	if err != nil {
		return nil, &tokenError{err}
	}
	return &sarama.AccessToken{Token: strings.TrimSpace(secret.Reveal())}, nil
}

// tokenError is found below Sarama's errors where it was the file that failed, not the broker.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return e.err.Error() }
func (e *tokenError) Unwrap() error { return e.err }
