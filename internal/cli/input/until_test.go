package input

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestUntilReadsAll(t *testing.T) {
	text := strings.Repeat("a line\n", 1000)
	if err := iotest.TestReader(Until(context.Background(), iotest.HalfReader(strings.NewReader(text))), []byte(text)); err != nil {
		t.Error(err)
	}
}

// TestUntilEnds interrupts a read that waits; no later one waits again.
func TestUntilEnds(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(context.Background())
	r := Until(ctx, in)
	read := make(chan error, 1)
	go func() {
		_, err := r.Read(make([]byte, 10))
		read <- err
	}()
	cancel()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("the read that waited returned %v", err)
	}
	if _, err := r.Read(make([]byte, 20)); !errors.Is(err, context.Canceled) {
		t.Errorf("the one after it returned %v", err)
	}
}
