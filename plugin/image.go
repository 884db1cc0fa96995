package plugin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// An image is what a plugin's processes are started from: an executable as it was at the first start, and what it has to be. An upgrade is another
// image. It is safe for concurrent use.
type image struct {
	cfg         Config
	private     *private
	path        string   // of the executable
	entry       *Locked  // what the executable has to be, nil if it may be anything
	environment []string // what it gets of the host's, by name

	mu     sync.Mutex
	copied string // the private copy, which every start after the first runs as well; "" before
	sum    []byte // its sha256, when it was made

	saying sync.Mutex   // apart from mu, which is held while a file is read
	says   *description // what it says of itself, nil before it is known
}

// lockedImage is that of an executable that has to be the one of an entry.
func lockedImage(cfg Config, private *private, path string, entry *Locked) *image {
	says := entry.description()
	return &image{cfg: cfg, private: private, path: path, entry: entry, environment: entry.Environment, says: &says}
}

// launch says what to start: a private copy of the executable, if it is the one that was locked. It stops copying when ctx ends.
func (i *image) launch(ctx context.Context) (*launch, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.intact() {
		i.dropCopy()
		copied, sum, err := i.private.copy(ctx, i.path, i.entry)
		if err != nil {
			return nil, err
		}
		i.copied, i.sum = copied, sum
	}
	l := &launch{path: i.copied, dir: i.private.dir(), memory: i.cfg.Memory, timeout: i.cfg.StartTimeout}
	for _, name := range i.environment {
		if value, ok := os.LookupEnv(name); ok {
			l.env = append(l.env, name+"="+value)
		}
	}
	return l, nil
}

// check holds what a process says of itself against the lock, or against what the first one said.
func (i *image) check(r *pluginproto.DescribeResponse) error {
	said := described(r)
	i.saying.Lock()
	defer i.saying.Unlock()
	if i.says == nil {
		i.says = &said
	}
	return agree(said, *i.says)
}

// description returns what it says of itself, as far as it is known.
func (i *image) description() description {
	i.saying.Lock()
	defer i.saying.Unlock()
	if i.says == nil {
		return description{}
	}
	return *i.says
}

// drop removes the copy, which nobody runs any more.
func (i *image) drop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dropCopy()
}

// dropCopy is drop for who holds the lock.
func (i *image) dropCopy() {
	if i.copied != "" {
		_ = os.RemoveAll(filepath.Dir(i.copied))
		i.copied = ""
	}
}

// intact says whether there is a copy that is as it was made: what clears old files away may have taken it, and a plugin can write to its own. The caller
// holds the lock.
func (i *image) intact() bool {
	if i.copied == "" {
		return false
	}
	f, err := openExecutable(i.copied)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // only read
	hash := sha256.New()
	_, err = io.Copy(hash, io.LimitReader(f, maxExecutable))
	return err == nil && bytes.Equal(hash.Sum(nil), i.sum)
}

// identity returns the sha256 of what was copied, in hexadecimal, and the platform that it runs on. A plugin that has changed its copy since is refused.
func (i *image) identity() (platform, sum string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.intact() {
		return "", "", fmt.Errorf("%w: while it ran it changed, or removed, the copy of its file that it was started from", ErrChanged)
	}
	return Sum(i.copied)
}
