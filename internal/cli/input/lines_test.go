package input

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	in := "\xef\xbb\xbffirst\r\n\n  \nsecond\n" + long + "\n" + long + long + "\nlast"
	for name, r := range map[string]io.Reader{
		"plain":    strings.NewReader(in),
		"byte":     iotest.OneByteReader(strings.NewReader(in)),
		"with end": iotest.DataErrReader(strings.NewReader(in)),
	} {
		lines := NewLines(r, 250_000)
		var got []string
		for {
			line, err := lines.Next()
			var tooLong *LongLineError
			switch {
			case errors.Is(err, io.EOF):
			case errors.As(err, &tooLong):
				got = append(got, err.Error())
				continue
			case err != nil:
				t.Fatalf("%s: %v", name, err)
			default:
				got = append(got, string(line))
				continue
			}
			break
		}
		want := []string{"first", "second", long, "the line is longer than 250000 bytes", "last"}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %d lines, not %d", name, len(got), len(want))
		}
		if lines.Number < 7 {
			t.Errorf("%s: the last line has number %d", name, lines.Number)
		}
	}
}

func TestLinesPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken cable")
	lines := NewLines(io.MultiReader(strings.NewReader("half a li"), iotest.ErrReader(broken)), MaxLine)
	if line, err := lines.Next(); !errors.Is(err, broken) || line != nil {
		t.Errorf("%q, %v", line, err)
	}
}
