package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Found is a plugin that is in a folder, in the lock file, or in both.
type Found struct {
	Name   string
	Path   string  // of its executable, "" if there is none, or several
	Locked *Locked // what the lock says of it, nil if nothing
	Err    error   // why it would not run, nil if it would
}

// Find lists the plugins of the folders and of the lock file by name, and checks those that are locked by their sha256. It starts none. A lock file or
// a folder that does not exist has none.
func Find(cfg Config) ([]Found, error) {
	cfg = cfg.withDefaults()
	lock, err := ReadLock(cfg.Lock)
	if errors.Is(err, fs.ErrNotExist) {
		lock, err = &Lock{}, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := namesIn(cfg.Folders)
	if err != nil {
		return nil, err
	}
	for _, p := range lock.Plugins {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	var out []Found
	for _, name := range slices.Compact(names) {
		f := Found{Name: name}
		if entry, ok := lock.Find(name); ok {
			f.Locked = &entry
		}
		f.Path, f.Err = verify(cfg, lock, name)
		if f.Locked == nil && f.Path != "" && isFolder(f.Path) {
			continue // its sources, perhaps
		}
		out = append(out, f)
	}
	return out, nil
}

// namesIn returns what follows "assignor-" in the names of the files that begin so.
func namesIn(folders []string) ([]string, error) {
	var names []string
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if name, ok := strings.CutPrefix(e.Name(), FilePrefix); ok {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// verify finds the executable of a plugin and says why it would not run, in the order in which that would be noticed.
func verify(cfg Config, lock *Lock, name string) (path string, err error) {
	path, notFound := findExecutable(cfg.Folders, name)
	entry, err := lock.entry(name, cfg.Lock)
	if err = cmp.Or(err, notFound); err != nil {
		return path, err
	}
	f, err := openExecutable(path)
	if err != nil {
		return path, err
	}
	defer f.Close() //nolint:errcheck // only read
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return path, err
	}
	return path, entry.compare(path, hash.Sum(nil))
}

// Describe starts the executable at a path, whatever it is, has it say what it is and pass a self-test, and returns what a lock file would say
// of it. environment lists what it gets of the host's environment, by name. Of the configuration, Lock and Folders are not used.
func Describe(ctx context.Context, cfg Config, path string, environment ...string) (Locked, error) {
	name, ok := strings.CutPrefix(filepath.Base(path), FilePrefix)
	if !ok {
		return Locked{}, fmt.Errorf("%w: %s has to be called %sNAME to be found as a plugin", ErrUnsafe, path, FilePrefix)
	}
	if err := checkName(name); err != nil {
		return Locked{}, err
	}
	a, i, err := startUnlocked(ctx, cfg, path, environment)
	if err != nil {
		return Locked{}, err
	}
	defer a.Close() //nolint:errcheck // what it has said is known
	if err := a.supervisor.test(ctx, cfg.withDefaults().CallTimeout); err != nil {
		return Locked{}, err
	}
	platform, sum, err := i.identity()
	if err != nil {
		return Locked{}, a.supervisor.fail("describe", err)
	}
	p := Locked{
		Name: name, Version: a.said.version, Protocol: ProtocolVersion, Assignor: a.said.name, Rebalance: a.said.protocol.String(),
		UserData: a.said.userData, OnAssignment: a.said.onAssignment, Signals: a.said.signals, Environment: environment, SHA256: map[string]string{platform: sum},
	}
	if err := p.check(); err != nil {
		return Locked{}, a.supervisor.fail("describe", err)
	}
	return p, nil
}

// Sum returns the sha256 of an executable in hexadecimal, and the platform that it runs on: [AnyPlatform] for a script.
func Sum(path string) (platform, sum string, err error) {
	f, err := openExecutable(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close() //nolint:errcheck // only read
	if platform, err = platformOf(f); err != nil {
		return "", "", fmt.Errorf("%s: %w", path, err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(f, 0, maxExecutable)); err != nil {
		return "", "", err
	}
	return platform, hex.EncodeToString(hash.Sum(nil)), nil
}
