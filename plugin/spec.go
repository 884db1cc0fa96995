package plugin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Definition returns what "plugin:NAME" stands for in specifications, for a host to register:
//
//	strategy.Register("plugin", plugin.Definition(plugin.Config{}))
//
// NAME is a plugin of the lock file. The parameters lock, folder and timeout are used in place of what the configuration says, and a fallback is
// another specification, percent-encoded where it has an "&" of its own, whose assignor is asked where the plugin fails:
//
//	plugin:pinned?lock=plugins/assignors.lock&fallback=sticky
//
// Assignors of one lock file and folder that are in use at the same time share a catalog, and so a process for each plugin, which ends when
// the last of them is closed by [strategy.Close]. A plugin that is not locked, or not there, is an error of [strategy.Parse]; none is
// started before it is asked. [ReloadAll] upgrades them.
func Definition(cfg Config) strategy.Definition {
	opened := &sharing{cfg: cfg}
	return strategy.Definition{
		Summary:  "an assignor in a process of its own: a plugin that a lock file names",
		Argument: "NAME",
		Parameters: []strategy.Parameter{
			{Name: "fallback", Summary: "the SPEC that is asked where the plugin fails"},
			{Name: "folder", Summary: "where its executable is", Default: "that of the lock file"},
			{Name: "lock", Summary: "the lock file", Default: filepath.ToSlash(cfg.withDefaults().Lock)},
			{Name: "timeout", Summary: "milliseconds that a call may take", Kind: strategy.KindInt, Default: strconv.FormatInt(cfg.withDefaults().CallTimeout.Milliseconds(), 10)},
		},
		New: opened.parsed,
	}
}

// sharing makes the assignors of one [Definition].
type sharing struct{ cfg Config }

// parsed makes what a specification stands for.
func (s *sharing) parsed(spec strategy.Spec) (strategy.Assignor, error) {
	a, err := s.load(spec)
	if err != nil {
		return nil, err
	}
	next := spec.Value("fallback", "")
	if next == "" {
		return a, nil
	}
	behind, err := strategy.Parse(next)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("fallback: %w", err), a.Close())
	}
	f := strategy.Fallback(a, behind)
	f.Logger = s.cfg.Logger
	return f, nil
}

// load takes the plugin from the catalog of its lock file and folder.
func (s *sharing) load(spec strategy.Spec) (*Assignor, error) {
	ms := spec.Int("timeout", 1)
	if ms <= 0 || ms > math.MaxInt32 {
		return nil, fmt.Errorf("%w: timeout=%d is not within 1..%d milliseconds; leave it out for what the host's configuration says", strategy.ErrSpec, ms, math.MaxInt32)
	}
	cfg := s.cfg
	cfg.Lock = spec.Value("lock", cfg.Lock)
	if folder := spec.Value("folder", ""); folder != "" {
		cfg.Folders = []string{folder}
	}
	shared, err := catalogs.open(s, cfg)
	if err != nil {
		return nil, err
	}
	a, err := shared.catalog.Load(spec.Argument)
	if err != nil {
		return nil, errors.Join(err, catalogs.leave(shared))
	}
	if spec.Value("timeout", "") != "" {
		a.timeouts.call = time.Duration(ms) * time.Millisecond
	}
	release := a.release
	a.release = func() error { return errors.Join(release(), catalogs.leave(shared)) }
	return a, nil
}

// A sharedCatalog is one that several assignors use.
type sharedCatalog struct {
	by      *sharing
	lock    string // absolute, as are the folders
	folders []string
	catalog *Catalog
	users   int
}

// catalogs are those that specifications have open.
var catalogs openCatalogs

type openCatalogs struct {
	mu   sync.Mutex
	list []*sharedCatalog // in the order in which they were opened
}

// open returns the catalog of a lock file and folders. Who calls it leaves it.
func (o *openCatalogs) open(by *sharing, cfg Config) (*sharedCatalog, error) {
	lock, err := filepath.Abs(cfg.withDefaults().Lock)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, folder := range cfg.Folders {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, err
		}
		folders = append(folders, folder)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.list {
		if c.by == by && c.lock == lock && slices.Equal(c.folders, folders) {
			c.users++
			return c, nil
		}
	}
	catalog, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	c := &sharedCatalog{by: by, lock: lock, folders: folders, catalog: catalog, users: 1}
	o.list = append(o.list, c)
	return c, nil
}

// leave closes a catalog with its last user.
func (o *openCatalogs) leave(c *sharedCatalog) error {
	o.mu.Lock()
	c.users--
	last := c.users == 0
	if last {
		o.list = slices.DeleteFunc(o.list, func(other *sharedCatalog) bool { return other == c })
	}
	o.mu.Unlock()
	if !last {
		return nil
	}
	return c.catalog.Close()
}

// ReloadAll has every catalog that assignors made from specifications use read its lock file again, as [Catalog.Reload] does, and upgrades its
// plugins. The errors of all are joined; a plugin that could not be upgraded goes on as it was.
func ReloadAll(ctx context.Context) error {
	catalogs.mu.Lock()
	list := slices.Clone(catalogs.list)
	for _, c := range list {
		c.users++ // so that none is closed meanwhile
	}
	catalogs.mu.Unlock()
	var errs []error
	for _, c := range list {
		errs = append(errs, c.catalog.Reload(ctx), catalogs.leave(c))
	}
	return errors.Join(errs...)
}
