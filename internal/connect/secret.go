package connect

import (
	"fmt"
	"log/slog"
	"strings"
)

// maxSecret is larger than any password or token. It keeps a wrong file name from filling the memory.
const maxSecret = 64 << 10

const redacted = "[secret]"

// A Secret is a password. However it is printed, encoded or logged, also as a field of something else, it shows as "[secret]"; only
// Reveal returns it. The zero value is no secret.
type Secret struct {
	reveal func() string // a function, as reflection can print any other field
}

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{reveal: func() string { return text }} }

// Reveal returns the secret.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

func (s Secret) String() string { return redacted }

// GoString is for %#v.
func (s Secret) GoString() string { return redacted }

// MarshalText is for JSON, YAML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue is for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// readSecret reads a file with one secret in it, without the line feed behind it. No error has any of it.
func readSecret(what, path string) (Secret, error) {
	text, err := readSmall(path, maxSecret)
	if err != nil {
		return Secret{}, fmt.Errorf("the %s: %w", what, err)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	switch {
	case secret == "":
		return Secret{}, fmt.Errorf("the %s: %s is empty", what, path)
	case strings.ContainsAny(secret, "\r\n\x00\x01"):
		return Secret{}, fmt.Errorf("the %s: %s has more than one line, or bytes that are not text", what, path)
	}
	return NewSecret(secret), nil
}
