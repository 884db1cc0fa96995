package input

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/fault"
)

func TestLimit(t *testing.T) {
	const text = "0123456789"
	name := filepath.Join(t.TempDir(), "digits")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{name, Stdin} {
		for most, fits := range map[int64]bool{9: false, 10: true, 11: true} {
			src, err := Open(from, strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := readLimited(src, most)
			if fits != (err == nil) || fits != bytes.Equal(got, []byte(text)) {
				t.Errorf("%s, at most %d bytes: %q, %v", from, most, got, err)
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func readLimited(src *Source, most int64) ([]byte, error) {
	r, err := src.Limit(most)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	var usage *fault.UsageError
	if err := CheckFiles([]string{Stdin, Stdin}); !errors.As(err, &usage) {
		t.Errorf("standard input twice: %v", err)
	}
	if err := CheckFiles([]string{Stdin, dir}); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
	if err := CheckFiles([]string{filepath.Join(dir, "missing")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if err := CheckFiles([]string{Stdin}); err != nil {
		t.Error(err)
	}
}
