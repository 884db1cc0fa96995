package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
)

// Nothing is shown but on a terminal, of what takes long, and nothing of it stays.
func TestBar(t *testing.T) {
	for _, test := range []struct{ terminal, long, want bool }{{true, true, true}, {true, false, false}, {false, true, false}} {
		var out bytes.Buffer
		b := newBar(&iostreams.Streams{Err: &out, ErrTerminal: test.terminal}, 8)
		if test.long {
			b.next = time.Time{}
		}
		b.show(2, "herd")
		b.clear()
		if got := strings.Contains(out.String(), "[######"); got != test.want {
			t.Errorf("%+v: %q", test, out.String())
		}
		if test.want && !strings.HasSuffix(out.String(), "\r\x1b[K") || !test.want && out.Len() > 0 {
			t.Errorf("%+v: %q stays", test, out.String())
		}
	}
}

func TestDraw(t *testing.T) {
	for _, test := range []struct {
		done, total int
		what, want  string
	}{
		{0, 4, "herd", "[........................] 0 of 4 runs  herd"},
		{3, 4, "herd", "[##################......] 3 of 4 runs  herd"},
		{4, 4, strings.Repeat("x", 70), "[########################] 4 of 4 runs"},
	} {
		if got := draw(test.done, test.total, test.what); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
