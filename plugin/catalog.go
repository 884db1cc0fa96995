package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// A Catalog hands out the plugins that a lock file names, from folders of executables. It is safe for concurrent use. Assignors taken from
// it under one name share a process.
type Catalog struct {
	cfg     Config
	private *private

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
	entry *Locked // what it has to be, nil if it is not locked any more
	path  string  // of the executable
}

// Open reads the lock file. No plugin is started or read before it is asked something.
func Open(cfg Config) (*Catalog, error) {
	cfg = cfg.withDefaults()
	lock, err := ReadLock(cfg.Lock)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no lock file %s; make one with \"assignctl plugin lock PATH...\"", ErrNotLocked, cfg.Lock)
	}
	if err != nil {
		return nil, err
	}
	return &Catalog{cfg: cfg, private: &private{base: cfg.Private}, lock: lock, hosted: map[string]*hosted{}}, nil
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
		h.supervisor = newSupervisor(name, c.cfg.Logger.With(slog.String("plugin", name)), h.launch, h.check)
		c.hosted[name] = h
	}
	if h.entry == nil {
		return nil, &Error{Plugin: name, Op: "load", Err: notLocked(c.cfg.Lock)}
	}
	h.users++
	return newAssignor(h.supervisor, h.entry.description(), c.cfg, func() error { return h.leave() }), nil
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

// launch says what to start: a private copy of the executable, if it is the one that was locked.
func (h *hosted) launch() (*launch, error) {
	c := h.catalog
	c.mu.Lock()
	entry, path := h.entry, h.path
	c.mu.Unlock()
	if entry == nil {
		return nil, notLocked(c.cfg.Lock)
	}
	copied, err := c.private.copy(path, entry)
	if err != nil {
		return nil, err
	}
	return newLaunch(c.cfg, c.private, copied, entry.Environment), nil
}

func newLaunch(cfg Config, private *private, path string, environment []string) *launch {
	l := &launch{path: path, dir: private.dir(), memory: cfg.Memory, timeout: cfg.StartTimeout}
	for _, name := range environment {
		if value, ok := os.LookupEnv(name); ok {
			l.env = append(l.env, name+"="+value)
		}
	}
	return l
}

// check holds what a plugin says of itself against the lock.
func (h *hosted) check(r *pluginproto.DescribeResponse) error {
	h.catalog.mu.Lock()
	entry := h.entry
	h.catalog.mu.Unlock()
	if entry == nil {
		return notLocked(h.catalog.cfg.Lock)
	}
	return agree(described(r), entry.description())
}

// agree says where what a plugin says differs from what was expected.
func agree(said, expected description) error {
	if said == expected {
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
// plugin whose new executable fails goes on as it was, and the error says why. Its name on Kafka's wire and its protocol cannot change
// while it is in use. A plugin that is not locked any more is ended, and fails from then on.
func (c *Catalog) Reload(ctx context.Context) error {
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
	inUse := slices.Sorted(maps.Keys(c.hosted))
	c.mu.Unlock()
	var errs []error
	for _, name := range inUse {
		c.mu.Lock()
		h := c.hosted[name]
		c.mu.Unlock()
		if h != nil {
			errs = append(errs, h.reload(ctx))
		}
	}
	return errors.Join(errs...)
}

// reload brings one plugin to what the lock says now.
func (h *hosted) reload(ctx context.Context) error {
	c := h.catalog
	fail := func(err error) error { return &Error{Plugin: h.name, Op: "upgrade", Err: err} }
	c.mu.Lock()
	old, oldPath := h.entry, h.path
	entry, path, err := c.resolve(h.name)
	switch {
	case errors.Is(err, ErrNotLocked):
		h.entry = nil
	case err == nil && old != nil && (entry.Assignor != old.Assignor || entry.Rebalance != old.Rebalance):
		err = fmt.Errorf("it is %s %s now and was %s %s, which cannot change while it is in use: give it another name", entry.Rebalance, entry.Assignor, old.Rebalance, old.Assignor)
	case err == nil:
		h.entry, h.path = entry, path
	}
	c.mu.Unlock()
	switch {
	case errors.Is(err, ErrNotLocked):
		h.supervisor.log.Warn("plugin is not locked any more, and was ended")
		h.supervisor.dismiss()
		return fail(err)
	case err != nil:
		return fail(err)
	case old != nil && sameFile(entry, old):
		return nil
	}
	err = h.supervisor.replace(ctx, func(ctx context.Context, client pluginproto.AssignorServiceClient) error {
		return selfTest(ctx, client, entry.description().protocol)
	})
	if err != nil {
		c.mu.Lock()
		h.entry, h.path = old, oldPath
		c.mu.Unlock()
		return err
	}
	return nil
}

// sameFile says whether two entries lock the same file for this platform, to be run the same way.
func sameFile(a, b *Locked) bool {
	sumA, errA := a.Sum(Platform())
	sumB, errB := b.Sum(Platform())
	return errA == nil && errB == nil && slices.Equal(sumA, sumB) && slices.Equal(a.Environment, b.Environment)
}

// Stats returns how the plugins in use do, by name.
func (c *Catalog) Stats() []Stats {
	c.mu.Lock()
	inUse := make([]*hosted, 0, len(c.hosted))
	for _, name := range slices.Sorted(maps.Keys(c.hosted)) {
		inUse = append(inUse, c.hosted[name])
	}
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
