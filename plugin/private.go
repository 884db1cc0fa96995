package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// privatePrefix begins the names of the folders that hosts keep copies in. It is short, as the path of a socket may only have some 100 bytes, half of
// which go to the folder for temporary files on macOS.
const privatePrefix = "ak-"

// markName is an empty file that tells private folders from others whose names begin alike.
const markName = ".assignkit"

// maxFolder is how long the path of a private folder may be: that of a socket has at most 103 bytes, of which 38 follow.
const maxFolder = 103 - len("/plugin-dir1234567890/plugin1234567890")

// private is a folder that only this user can read, for checked copies of executables, which nobody can swap between the check and the start, and for
// sockets. It is made when it is first needed, and is safe for concurrent use.
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

// copy copies an executable, which has to be the one of an entry unless that is nil, into a folder of its own, and returns the path and its sha256. The
// file keeps its name, which the plugin may print. It stops when ctx ends.
func (p *private) copy(ctx context.Context, path string, entry *Locked) (copied string, sum []byte, err error) {
	if err := checkExecutable(path); err != nil {
		return "", nil, err
	}
	from, err := openExecutable(path)
	if err != nil {
		return "", nil, err
	}
	defer from.Close() //nolint:errcheck // only read
	dir, err := p.make()
	if err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(dir, "run-"); err != nil {
		return "", nil, unusable(err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	copied = filepath.Join(dir, filepath.Base(path))
	to, err := os.OpenFile(copied, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o500)
	if err != nil {
		return "", nil, unusable(err)
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, hash), io.LimitReader(untilDone{ctx, from}, maxExecutable))
	if err = errors.Join(err, to.Chmod(0o500), to.Close()); err != nil {
		return "", nil, fmt.Errorf("copying %s: %w", path, notCopied(copied, err))
	}
	sum = hash.Sum(nil)
	if entry != nil {
		err = entry.compare(path, sum)
	}
	return copied, sum, err
}

// untilDone reads until a context ends.
type untilDone struct {
	ctx  context.Context //nolint:containedctx // of one copy
	from io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.from.Read(p)
}

// notCopied tells a folder that cannot be written to from a file that cannot be read.
func notCopied(to string, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok && failed.Path == to {
		return unusable(err)
	}
	return err
}

func unusable(err error) error {
	return fmt.Errorf("%w: %w: set Private, or TMPDIR, to another one", ErrPrivate, err)
}

// make makes the folder unless there is one, and removes those of hosts that have died.
func (p *private) make() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed {
		return "", ErrClosed
	}
	if p.path != "" {
		if _, err := os.Lstat(p.path); err == nil {
			return p.path, nil
		}
		_ = p.held.Close() // something has cleared it away
		p.path = ""
	}
	base, err := filepath.Abs(cmp.Or(p.base, os.TempDir()))
	if err != nil {
		return "", unusable(err)
	}
	if long := len(base) + len("/") + len(privatePrefix) + 10; long > maxFolder {
		return "", fmt.Errorf("%w: the path %s is %d bytes too long for sockets in it: set Private, or TMPDIR, to a shorter one", ErrPrivate, base, long-maxFolder)
	}
	sweep(base)
	path, err := os.MkdirTemp(base, privatePrefix)
	if err != nil {
		return "", unusable(err)
	}
	held, err := hold(path)
	if err != nil {
		return "", unusable(errors.Join(err, os.RemoveAll(path)))
	}
	p.path, p.held = path, held
	return path, nil
}

// remove removes the folder.
func (p *private) remove() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removed = true
	if p.path == "" {
		return nil
	}
	err := errors.Join(removeMarked(p.path), p.held.Close())
	p.path = ""
	return err
}

// removeMarked removes a private folder, its mark last: where that cannot be done, or this process is killed meanwhile, the next host goes on.
func removeMarked(path string) error {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if e.Name() != markName {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
	}
	if err = errors.Join(err, root.Close()); err != nil {
		return err
	}
	return os.RemoveAll(path)
}
