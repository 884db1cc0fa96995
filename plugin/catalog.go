package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Catalog hands out the plugins that a lock file names, from folders of executables. It is safe for concurrent use. Assignors taken from
// it under one name share a process.
type Catalog struct {
	cfg     Config
	private *private

	reloading chan struct{} // has room for the one who reloads

	mu     sync.Mutex
	lock   *Lock
	hosted map[string]*hosted
	closed bool
}

// hosted is a plugin that somebody uses.
type hosted struct {
	catalog    *Catalog
	name       string
	supervisor *supervisor

	// Under the catalog's lock.
	users int
	entry *Locked // what runs, or ran last
	path  string  // where that is
	gone  error   // why it must not any more
}

// Open reads the lock file. No plugin is started or read before it is asked something.
func Open(cfg Config) (*Catalog, error) {
	cfg = cfg.withDefaults()
	lock, err := ReadLock(cfg.Lock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no lock file %s; make one with \"assignctl plugin lock PATH...\"", ErrNotLocked, cfg.Lock)
	}
	if err != nil {
		return nil, err
	}
	return &Catalog{cfg: cfg, private: &private{base: cfg.Private}, reloading: make(chan struct{}, 1), lock: lock, hosted: map[string]*hosted{}}, nil
}

// Load returns a plugin by its name: what stands behind "assignor-" in that of its executable. The plugin has to be locked for this
// platform and in one of the folders; it is not started, and its sha256 checked, before it is first asked. Who calls Load closes the assignor.
func (c *Catalog) Load(name string) (*Assignor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &Error{Plugin: name, Op: "load", Err: ErrClosed}
	}
	h := c.hosted[name]
	if h == nil {
		entry, path, err := c.resolve(name)
		if err != nil {
			return nil, &Error{Plugin: name, Op: "load", Err: err}
		}
		h = &hosted{catalog: c, name: name, entry: entry, path: path}
		h.supervisor = newSupervisor(name, c.cfg.Logger.With(slog.String("plugin", name)), lockedImage(c.cfg, c.private, path, entry))
		c.hosted[name] = h
	}
	if h.gone != nil {
		return nil, &Error{Plugin: name, Op: "load", Err: h.gone}
	}
	h.users++
	return newAssignor(h.supervisor, h.entry.description(), c.cfg, h.leave), nil
}

// resolve finds a plugin in the lock and in the folders.
func (c *Catalog) resolve(name string) (*Locked, string, error) {
	entry, err := c.lock.entry(name, c.cfg.Lock)
	if err != nil {
		return nil, "", err
	}
	path, err := findExecutable(c.cfg.Folders, name)
	if err != nil {
		return nil, "", err
	}
	return entry, path, nil
}

func notLocked(lock string) error {
	return fmt.Errorf("%w: %s does not name it; read what it does, and lock it with \"assignctl plugin lock --lock %s PATH\"", ErrNotLocked, lock, lock)
}

// agree says where what a plugin says differs from what was expected.
func agree(said, expected description) error {
	if said.equal(expected) {
		return nil
	}
	return fmt.Errorf("%w: it says that it is %s, where the lock says %s", ErrChanged, said, expected)
}

func (d description) String() string {
	text := fmt.Sprintf("%q of version %q, %s", d.name, d.version, d.protocol)
	if d.userData {
		text += ", with user data"
	}
	if d.onAssignment {
		text += ", told of assignments"
	}
	if len(d.signals) > 0 {
		text += ", looking at " + strings.Join(d.signals, ", ")
	}
	return text
}

// leave ends the plugin with its last user.
func (h *hosted) leave() error {
	c := h.catalog
	c.mu.Lock()
	h.users--
	last := h.users == 0
	if last {
		delete(c.hosted, h.name)
	}
	c.mu.Unlock()
	if last {
		h.supervisor.close()
	}
	return nil
}

// Reload reads the lock file again and upgrades the plugins in use whose entries have changed: the new executable is started, has to say what
// the lock says and to pass a self-test, and then takes the place of the one that runs, which answers what it was asked and ends. A
// plugin whose new executable fails, or has not passed when ctx ends, goes on as it was. Its name on Kafka's wire and its protocol cannot change
// while it is in use. A plugin that is not locked any more is ended, and fails with [ErrNotLocked] until it is locked again.
//
// The error has all that was not as the lock file wants it: an [*Error] for each plugin, those that were ended as well, joined. If the
// lock file cannot be read nothing changes.
func (c *Catalog) Reload(ctx context.Context) error {
	select {
	case c.reloading <- struct{}{}:
		defer func() { <-c.reloading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	lock, err := ReadLock(c.cfg.Lock)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.lock = lock
	inUse := c.inUse()
	c.mu.Unlock()
	var errs []error
	for _, h := range inUse {
		if err := h.reload(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// inUse returns the plugins that are, by name. The caller holds the lock.
func (c *Catalog) inUse() []*hosted {
	out := make([]*hosted, 0, len(c.hosted))
	for _, name := range slices.Sorted(maps.Keys(c.hosted)) {
		out = append(out, c.hosted[name])
	}
	return out
}

// reload brings one plugin to what the lock says now.
func (h *hosted) reload(ctx context.Context) error {
	c := h.catalog
	c.mu.Lock()
	entry, path, err := c.resolve(h.name)
	old, oldPath, gone := h.entry, h.path, h.gone
	if errors.Is(err, ErrNotLocked) {
		h.gone = err
	}
	c.mu.Unlock()
	switch {
	case errors.Is(err, ErrNotLocked):
		h.supervisor.dismiss(err)
		if gone == nil {
			h.supervisor.log.Warn("plugin is not locked any more, and was ended")
		}
	case err == nil && (entry.Assignor != old.Assignor || entry.Rebalance != old.Rebalance):
		err = fmt.Errorf("%w: it is %s %s now and was %s %s, which cannot change while it is in use: give it another name",
			ErrChanged, entry.Rebalance, entry.Assignor, old.Rebalance, old.Assignor)
	}
	if err != nil {
		return &Error{Plugin: h.name, Op: "upgrade", Err: err}
	}
	if gone == nil && path == oldPath && sameFile(entry, old) {
		return nil
	}
	if err := h.supervisor.replace(ctx, lockedImage(c.cfg, c.private, path, entry), c.cfg.CallTimeout); err != nil {
		if errors.Is(err, ErrClosed) && h.unused() {
			return nil
		}
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.entry, h.path, h.gone = entry, path, nil
	return nil
}

// unused reports whether everybody has let go of the plugin, but not because the catalog was closed.
func (h *hosted) unused() bool {
	h.catalog.mu.Lock()
	defer h.catalog.mu.Unlock()
	return !h.catalog.closed && h.users == 0
}

// sameFile says whether two entries lock the same file for this platform, to be run the same way.
func sameFile(a, b *Locked) bool {
	sumA, errA := a.sum(Platform())
	sumB, errB := b.sum(Platform())
	return errA == nil && errB == nil && slices.Equal(sumA, sumB) && slices.Equal(a.Environment, b.Environment)
}

// Stats returns how the plugins in use do, by name.
func (c *Catalog) Stats() []Stats {
	c.mu.Lock()
	inUse := c.inUse()
	c.mu.Unlock()
	out := make([]Stats, len(inUse))
	for i, h := range inUse {
		out[i] = h.supervisor.snapshot()
	}
	return out
}

// Close ends all plugins, and removes the private copies. Assignors that were taken from the catalog fail from then on.
func (c *Catalog) Close() error {
	c.mu.Lock()
	c.closed = true
	inUse := c.hosted
	c.hosted = map[string]*hosted{}
	c.mu.Unlock()
	var ending sync.WaitGroup
	for _, h := range inUse {
		ending.Go(h.supervisor.close)
	}
	ending.Wait()
	return c.private.remove()
}
