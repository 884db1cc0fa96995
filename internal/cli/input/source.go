// Package input opens and reads what the command line names: files, and standard input as "-". It knows lines and their lengths, but
// not what they mean.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/assignkit/assignkit/internal/fault"
)

// Stdin is how the command line names standard input.
const Stdin = "-"

// A Source is a file, or standard input, open for reading.
type Source struct {
	Name string // for messages
	Size int64  // in bytes, -1 where that is not known
	io.Reader
	closer io.Closer
}

// Open opens what name says. The caller closes it.
func Open(name string, stdin io.Reader) (*Source, error) {
	if name == Stdin {
		return &Source{Name: "standard input", Size: -1, Reader: stdin}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errDirectory
	}
	if err != nil {
		_ = f.Close()
		return nil, unreadable(name, err)
	}
	s := &Source{Name: name, Size: -1, Reader: f, closer: f}
	if info.Mode().IsRegular() {
		s.Size = info.Size()
	}
	return s, nil
}

var errDirectory = errors.New("it is a directory")

// unreadable says the same of a file, whichever call failed.
func unreadable(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot read %s: %w", name, err)
}

// Limit returns what reads the source up to so many bytes. A source that is larger is an error, at once where its size is known, not
// a shorter text.
func (s *Source) Limit(most int64) (io.Reader, error) {
	tooLarge := fmt.Errorf("%s is larger than %d MiB", s.Name, most>>20)
	if s.Size > most {
		return nil, tooLarge
	}
	return &limited{in: s.Reader, left: most, tooLarge: tooLarge}, nil
}

type limited struct {
	in       io.Reader
	left     int64
	tooLarge error
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, l.tooLarge
	}
	return n, err
}

// Close closes the file. Standard input stays open.
func (s *Source) Close() error {
	if s.closer == nil {
		return nil
	}
	return s.closer.Close()
}

// CheckFiles finds out before any work is done whether all files are there, and that standard input is not named twice.
func CheckFiles(names []string) error {
	stdin := false
	for _, name := range names {
		if name == Stdin {
			if stdin {
				return fault.Usage("standard input is named twice")
			}
			stdin = true
			continue
		}
		info, err := os.Stat(name)
		if err == nil && info.IsDir() {
			err = errDirectory
		}
		if err != nil {
			return unreadable(name, err)
		}
	}
	return nil
}
