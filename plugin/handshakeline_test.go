package plugin

import (
	"strings"
	"testing"
)

func TestParseHandshake(t *testing.T) {
	for line, want := range map[string]struct {
		before string
		shake  handshakeLine
	}{
		"1|1|unix|/tmp/s|grpc|":            {"", handshakeLine{1, "unix", "/tmp/s", "grpc"}},
		"1|1|unix|/tmp/s|grpc":             {"", handshakeLine{1, "unix", "/tmp/s", "grpc"}},
		"1|2|tcp|127.0.0.1:80|grpc|QUJD":   {"", handshakeLine{2, "tcp", "127.0.0.1:80", "grpc"}},
		"1|1|unix|/tmp/s|grpc|QUJD|true":   {"", handshakeLine{1, "unix", "/tmp/s", "grpc"}},
		"1|1|unix|/tmp/s|netrpc|":          {"", handshakeLine{1, "unix", "/tmp/s", "netrpc"}},
		"1|1|unix|/tmp/s":                  {"", handshakeLine{1, "unix", "/tmp/s", "netrpc"}},
		"progress: 11|1|unix|/tmp/s|grpc|": {"progress: 1", handshakeLine{1, "unix", "/tmp/s", "grpc"}},
		"1|1|1|unix|/tmp/s|grpc|":          {"1|", handshakeLine{1, "unix", "/tmp/s", "grpc"}},
		"\xff\x001|1|unix||grpc|\xff":      {"\xff\x00", handshakeLine{1, "unix", "", "grpc"}},
	} {
		before, shake, ok := parseHandshake(line)
		if !ok || before != want.before || shake != want.shake {
			t.Errorf("%q: %q, %+v, %t, want %+v", line, before, shake, ok, want)
		}
	}
	for _, line := range []string{"", "1", "1|1", "2|1|unix|/tmp/s|grpc|", "1|x|unix|/tmp/s|grpc|", "1|1|udp|x|grpc|", "1|1234567890|unix|x|grpc|", "1|1|unix|/tmp/s|GRPC|"} {
		if _, shake, ok := parseHandshake(line); ok {
			t.Errorf("%q is taken for %+v", line, shake)
		}
	}
}

func FuzzParseHandshake(f *testing.F) {
	f.Add("1|1|unix|/tmp/s|grpc|QUJD")
	f.Add("11|1|tcp|x|grpc")
	f.Fuzz(func(t *testing.T, line string) {
		before, shake, ok := parseHandshake(line)
		if !ok {
			return
		}
		rest, found := strings.CutPrefix(line, before)
		if !found || !strings.HasPrefix(rest, "1|") || shake.version < 0 || strings.Contains(shake.address, "|") {
			t.Errorf("%q: %q, %+v", line, before, shake)
		}
		if again, same, ok := parseHandshake(rest); !ok || again != "" || same != shake {
			t.Errorf("%q: %q, %+v", rest, again, same)
		}
	})
}
