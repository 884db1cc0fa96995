package iostreams

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// pieces keeps what each call of Write was given.
type pieces struct {
	calls []string
	err   error
}

func (p *pieces) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	p.calls = append(p.calls, string(b))
	return len(b), nil
}

func TestWriterNeverSplits(t *testing.T) {
	var got pieces
	w := NewWriter(&got)
	line := strings.Repeat("x", 1000) + "\n"
	for range 100 {
		_, _ = io.WriteString(w, line)
	}
	big := strings.Repeat("y", 3*limit) + "\n"
	_, _ = io.WriteString(w, big)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(line, 100) + big; strings.Join(got.calls, "") != want {
		t.Fatal("what was written is not what arrived")
	}
	for i, call := range got.calls {
		if !strings.HasSuffix(call, "\n") {
			t.Errorf("call %d ends within a line", i)
		}
	}
}

func TestWriterKeepsFirstError(t *testing.T) {
	full := errors.New("no space left")
	got := pieces{err: full}
	w := NewWriter(&got)
	_, _ = io.WriteString(w, "a line\n")
	err := w.Flush()
	if _, ok := errors.AsType[*WriteError](err); !ok || !errors.Is(err, full) || err.Error() != "writing output: no space left" {
		t.Fatalf("Flush returned %v", err)
	}
	got.err = nil
	if _, again := io.WriteString(w, "another\n"); !errors.Is(again, err) {
		t.Errorf("Write after it returned %v", again)
	}
	if err := w.Flush(); !errors.Is(err, full) || len(got.calls) != 0 {
		t.Errorf("Flush after it returned %v and wrote %q", err, got.calls)
	}
}
