package plugin

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// privatePrefix begins the names of the folders that hosts keep copies in. It is short, as the path of a socket may only have some 100 bytes.
const privatePrefix = "assignkit-"

// private is a folder that only this user can read, for checked copies of executables, which nobody can swap between the check and the start, and for
// sockets. It is made when it is first needed.
type private struct {
	base string // where it is, "" for os.TempDir()

	mu      sync.Mutex
	path    string // "" before it is needed
	held    io.Closer
	removed bool
}

// dir returns the folder, which copy has made.
func (p *private) dir() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.path
}

// copy returns the path of a copy of an executable that is the one of an entry, or whatever it is if that is nil. It makes one, unless there is one.
func (p *private) copy(path string, entry *Locked) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.make(); err != nil {
		return "", err
	}
	if entry != nil {
		sum, err := entry.Sum(Platform())
		if err != nil {
			return "", err
		}
		known := p.place(path, sum)
		if _, err := os.Stat(known); err == nil {
			return known, nil
		}
	}
	return p.copyChecked(path, entry)
}

// place is where the copy of an executable is. The file keeps its name, which the plugin may print.
func (p *private) place(path string, sum []byte) string {
	return filepath.Join(p.path, hex.EncodeToString(sum[:8]), filepath.Base(path))
}

func (p *private) copyChecked(path string, entry *Locked) (string, error) {
	if err := checkExecutable(path); err != nil {
		return "", err
	}
	from, err := openExecutable(path)
	if err != nil {
		return "", err
	}
	defer from.Close() //nolint:errcheck // only read
	to, err := os.CreateTemp(p.path, "copy-")
	if err != nil {
		return "", err
	}
	defer os.Remove(to.Name()) //nolint:errcheck // has been renamed, if all went well
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, hash), io.LimitReader(from, maxExecutable))
	if err = errors.Join(err, to.Chmod(0o500), to.Close()); err != nil {
		return "", fmt.Errorf("copying %s: %w", path, err)
	}
	is := hash.Sum(nil)
	if entry != nil {
		if err := entry.compare(path, is); err != nil {
			return "", err
		}
	}
	place := p.place(path, is)
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return "", err
	}
	return place, os.Rename(to.Name(), place)
}

// make makes the folder, and removes those of hosts that have died.
func (p *private) make() error {
	if p.removed {
		return ErrClosed
	}
	if p.path != "" {
		return nil
	}
	base := cmp.Or(p.base, os.TempDir())
	sweep(base)
	path, err := os.MkdirTemp(base, privatePrefix)
	if err != nil {
		return err
	}
	held, err := hold(path)
	if err != nil {
		return errors.Join(err, os.RemoveAll(path))
	}
	p.path, p.held = path, held
	return nil
}

// remove removes the folder.
func (p *private) remove() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removed = true
	if p.path == "" {
		return nil
	}
	err := errors.Join(os.RemoveAll(p.path), p.held.Close())
	p.path = ""
	return err
}
