package plugin

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

const (
	maxLock     = 1 << 20 // the size of the largest lock file that is read, in bytes
	maxLockDeep = 8       // how deep it may be nested
	maxFields   = 64      // how many fields something in it may have, as the library takes time with the square of it
	maxPlugins  = 1000    // how long a list in it may be
)

const lockHead = `# The assignor plugins that may run here, by what they are: a file with another sha256 is not run.
# Made by "assignctl plugin lock". Read in review what it changes.
`

// ReadLock reads a lock file. An error of its content is an [ErrLock]. A lock file that everybody may write to, or put another in the place of, is
// refused with [ErrUnsafe].
func ReadLock(path string) (*Lock, error) {
	f, err := openNow(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	if err := checkLockFile(path, f); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxLock+1))
	if err != nil {
		return nil, err
	}
	l, err := parseLock(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLock, path, err)
	}
	return l, nil
}

func checkLockFile(path string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return notRegular(path)
	}
	target, err := realPath(path)
	if err != nil {
		return err
	}
	return checkPlace(path, target, info)
}

var lockLimits = yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxLockDeep)))

// parseLock reads what a lock file says. Only what is written by Write, or by hand as plainly, is understood.
func parseLock(data []byte) (*Lock, error) {
	switch {
	case len(data) > maxLock:
		return nil, fmt.Errorf("it is larger than %d bytes", maxLock)
	case !utf8.Valid(data):
		return nil, errors.New("it is not in UTF-8")
	}
	if err := checkDocument(data); err != nil {
		return nil, err
	}
	var version struct {
		Version int `yaml:"version"`
	}
	if err := yaml.Load(data, &version, lockLimits); err != nil {
		return nil, notYAML(err)
	}
	switch {
	case version.Version > LockVersion:
		return nil, fmt.Errorf("it is of version %d, and this program reads version %d: use a newer one", version.Version, LockVersion)
	case version.Version < 1:
		return nil, errors.New("it does not say of which version it is; a lock file begins with \"version: 1\"")
	}
	l := &Lock{}
	if err := yaml.Load(data, l, lockLimits, yaml.WithKnownFields()); err != nil {
		return nil, notYAML(err)
	}
	return l, l.check()
}

// checkDocument refuses what is not one document of YAML, with fields, and plain.
func checkDocument(data []byte) error {
	loader, err := yaml.NewLoader(bytes.NewReader(data), lockLimits)
	if err != nil {
		return err
	}
	var document yaml.Node
	if err := loader.Load(&document); errors.Is(err, io.EOF) {
		return errors.New("it is empty; a lock file begins with \"version: 1\"")
	} else if err != nil {
		return notYAML(err)
	}
	if err := loader.Load(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return errors.New("something follows its end, after \"---\"")
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return errors.New("it is no lock file, which begins with \"version: 1\"")
	}
	return plain(&document)
}

// notYAML says what was not understood, and where: the first thing of what may be many.
func notYAML(err error) error {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return err
	}
	message, _, _ := strings.Cut(e.Message, " in type ") // of Go
	if at := cmp.Or(e.Mark.Line, e.ContextMark.Line); at > 0 {
		return fmt.Errorf("line %d: %s", at, message)
	}
	return errors.New(message)
}

// plain refuses what would make a lock file say something else than a reviewer sees, and what would take long to read.
func plain(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode, n.Anchor != "":
		return fmt.Errorf("line %d: anchors and aliases are not understood in lock files: write out what they stand for", n.Line)
	case n.Style&yaml.TaggedStyle != 0:
		return fmt.Errorf("line %d: tags are not understood in lock files", n.Line)
	case n.Kind == yaml.MappingNode && len(n.Content)/2 > maxFields:
		return fmt.Errorf("line %d: more than %d fields", n.Line, maxFields)
	case n.Kind == yaml.SequenceNode && len(n.Content) > maxPlugins:
		return fmt.Errorf("line %d: a list of more than %d", n.Line, maxPlugins)
	case n.Kind == yaml.ScalarNode && n.Tag == "!!merge":
		return fmt.Errorf("line %d: \"<<\" is not understood in lock files", n.Line)
	}
	for _, inner := range n.Content {
		if err := plain(inner); err != nil {
			return err
		}
	}
	return nil
}

// check checks every entry.
func (l *Lock) check() error {
	seen := map[string]bool{}
	for i := range l.Plugins {
		p := &l.Plugins[i]
		if err := p.check(); err != nil {
			return fmt.Errorf("plugin number %d, %q: %w", i+1, p.Name, err)
		}
		if seen[p.Name] {
			return fmt.Errorf("plugin %q is listed twice: remove one", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// Write writes the lock to a file, in one step: who reads it has it whole, as it was or as it is. What is written does not depend on the order of plugins.
// A lock that could not be read again is not written: the error is an [ErrLock], or an [ErrUnsafe] if everybody may write to the folder.
func (l *Lock) Write(path string) error {
	data, err := l.encode()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLock, err)
	}
	folder, err := realPath(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := checkFolder(folder); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".assignors-*.lock")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // has been renamed, if all went well
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (l *Lock) encode() ([]byte, error) {
	own := Lock{Version: LockVersion, Plugins: slices.Clone(l.Plugins)}
	slices.SortStableFunc(own.Plugins, func(a, b Locked) int { return cmp.Compare(a.Name, b.Name) })
	if err := own.check(); err != nil {
		return nil, err
	}
	text, err := yaml.Dump(&own, yaml.WithLineWidth(-1))
	if err != nil {
		return nil, err
	}
	data := append([]byte(lockHead), text...)
	_, err = parseLock(data)
	return data, err
}
