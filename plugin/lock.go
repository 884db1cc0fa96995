package plugin

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/assignkit/assignkit/strategy"
)

// DefaultLock is what a lock file is called.
const DefaultLock = "assignors.lock"

// LockVersion is the version of lock files that this package writes, and the newest that it reads.
const LockVersion = 1

// maxLock is the largest lock file that is read, in bytes.
const maxLock = 1 << 20

const lockHead = `# The assignor plugins that may run here, by what they are: a file with another sha256 is not run.
# Made by "assignctl plugin lock". Read in review what it changes.
`

// A Lock is what a lock file says: which plugins may run. See [ReadLock].
type Lock struct {
	Version int      `yaml:"version"` // of the file's format
	Plugins []Locked `yaml:"plugins"` // by name
}

// Locked is one plugin that may run, as it has described itself when it was locked.
type Locked struct {
	Name    string `yaml:"name"`    // its executable is "assignor-" and this
	Version string `yaml:"version"` // its own

	Protocol     int    `yaml:"protocol"`                // of the plugin protocol
	Assignor     string `yaml:"assignor"`                // its name on Kafka's wire
	Rebalance    string `yaml:"rebalance"`               // "eager" or "cooperative"
	UserData     bool   `yaml:"user-data,omitempty"`     // it sends data with joins
	OnAssignment bool   `yaml:"on-assignment,omitempty"` // it is told of assignments

	// Environment lists what it gets of the host's environment, by name.
	Environment []string `yaml:"environment,omitempty,flow"`
	// SHA256 is that of its executable, in hexadecimal, by platform, or for "any" of a script's.
	SHA256 map[string]string `yaml:"sha256"`
}

// ReadLock reads a lock file. An error of its content is an [ErrLock].
func ReadLock(path string) (*Lock, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
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

func parseLock(data []byte) (*Lock, error) {
	if len(data) > maxLock {
		return nil, fmt.Errorf("larger than %d bytes", maxLock)
	}
	var version struct {
		Version int `yaml:"version"`
	}
	if err := yaml.Unmarshal(data, &version); err != nil {
		return nil, err
	}
	switch {
	case version.Version > LockVersion:
		return nil, fmt.Errorf("it is of version %d, and this program reads version %d: use a newer one", version.Version, LockVersion)
	case version.Version < 1:
		return nil, errors.New("it does not say of which version it is; the first line of a lock file is \"version: 1\"")
	}
	l := &Lock{}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(l); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range l.Plugins {
		p := &l.Plugins[i]
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("plugin number %d, %q: %w", i+1, p.Name, err)
		}
		if seen[p.Name] {
			return nil, fmt.Errorf("plugin %q is listed twice", p.Name)
		}
		seen[p.Name] = true
	}
	return l, nil
}

var (
	hexSum       = regexp.MustCompile(`^[0-9a-f]{64}$`)
	wireName     = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)
	platformName = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	pluginWord   = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$`)
)

func (p *Locked) check() error {
	if err := checkName(p.Name); err != nil {
		return err
	}
	switch {
	case !wireName.MatchString(p.Assignor):
		return fmt.Errorf("its assignor's name %q is not one of 1 to 249 letters, digits, \".\", \"_\" and \"-\"", p.Assignor)
	case p.Rebalance != strategy.ProtocolEager.String() && p.Rebalance != strategy.ProtocolCooperative.String():
		return fmt.Errorf("rebalance is %q, and has to be eager or cooperative", p.Rebalance)
	case p.Protocol != ProtocolVersion:
		return fmt.Errorf("it speaks version %d of the plugin protocol, and this program version %d", p.Protocol, ProtocolVersion)
	case len(p.SHA256) == 0:
		return errors.New("it has no sha256")
	}
	for _, platform := range slices.Sorted(maps.Keys(p.SHA256)) {
		if platform != AnyPlatform && !platformName.MatchString(platform) {
			return fmt.Errorf("%q is no platform such as %s, or %q", platform, Platform(), AnyPlatform)
		}
		if !hexSum.MatchString(p.SHA256[platform]) {
			return fmt.Errorf("the sha256 for %s is not 64 hexadecimal digits in small letters", platform)
		}
	}
	for _, v := range p.Environment {
		if !variableName.MatchString(v) {
			return fmt.Errorf("%q is no name of an environment variable", v)
		}
	}
	return nil
}

// checkName says whether a plugin can be called that.
func checkName(name string) error {
	if !pluginWord.MatchString(name) {
		return fmt.Errorf("%w: %q is no name of a plugin: up to 63 small letters, digits, and \"-\", \"_\", \".\" between them", ErrUnsafe, name)
	}
	return nil
}

// Find returns what is locked under a name.
func (l *Lock) Find(name string) (Locked, bool) {
	for _, p := range l.Plugins {
		if p.Name == name {
			return p, true
		}
	}
	return Locked{}, false
}

// entry returns what is locked under a name, if a plugin of that name may run here. path is the lock file's.
func (l *Lock) entry(name, path string) (*Locked, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	p, ok := l.Find(name)
	if !ok {
		return nil, notLocked(path)
	}
	if _, err := p.Sum(Platform()); err != nil {
		return nil, err
	}
	return &p, nil
}

// compare says whether the executable at a path is the one that is locked for this platform, by its sha256.
func (p *Locked) compare(path string, is []byte) error {
	expected, err := p.Sum(Platform())
	if err != nil || bytes.Equal(is, expected) {
		return err
	}
	for _, platform := range slices.Sorted(maps.Keys(p.SHA256)) {
		if p.SHA256[platform] == hex.EncodeToString(is) {
			return fmt.Errorf("%w: %s is the executable for %s, and this is %s: install the one for this platform", ErrChanged, path, platform, Platform())
		}
	}
	return fmt.Errorf("%w: the sha256 of %s is %x, and %x is locked; if that is meant, lock it again with \"assignctl plugin lock\"", ErrChanged, path, is, expected)
}

// Sum returns the sha256 for a platform, or that for any, as bytes.
func (p *Locked) Sum(platform string) ([]byte, error) {
	sum, ok := p.SHA256[platform]
	if !ok {
		sum, ok = p.SHA256[AnyPlatform]
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s is locked for %s, not for %s: lock its executable for that too", ErrNotLocked, p.Name,
			strings.Join(slices.Sorted(maps.Keys(p.SHA256)), ", "), platform)
	}
	return hex.DecodeString(sum)
}

// Add enters a plugin. What was locked under its name is replaced, but for the sums of other platforms if it is of the same version and says
// the same of itself.
func (l *Lock) Add(p Locked) {
	for i := range l.Plugins {
		old := &l.Plugins[i]
		if old.Name != p.Name {
			continue
		}
		if old.says() == p.says() {
			p.SHA256 = maps.Clone(p.SHA256)
			for platform, sum := range old.SHA256 {
				if _, ok := p.SHA256[platform]; !ok {
					p.SHA256[platform] = sum
				}
			}
		}
		*old = p
		return
	}
	l.Plugins = append(l.Plugins, p)
	slices.SortFunc(l.Plugins, func(a, b Locked) int { return cmp.Compare(a.Name, b.Name) })
}

// says is what a plugin says of itself.
func (p *Locked) says() string {
	return fmt.Sprint(p.Version, p.Protocol, p.Assignor, p.Rebalance, p.UserData, p.OnAssignment)
}

// description is what the plugin is expected to say.
func (p *Locked) description() description {
	d := description{name: p.Assignor, version: p.Version, onAssignment: p.OnAssignment, userData: p.UserData}
	if p.Rebalance == strategy.ProtocolCooperative.String() {
		d.protocol = strategy.ProtocolCooperative
	}
	return d
}

// Write writes the lock to a file, in one step: who reads it has it whole, as it was or as it is.
func (l *Lock) Write(path string) error {
	own := *l
	own.Version = LockVersion
	var b bytes.Buffer
	b.WriteString(lockHead)
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(&own); err != nil {
		return err
	}
	if _, err := parseLock(b.Bytes()); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".assignors-*.lock")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // has been renamed, if all went well
	_, err = f.Write(b.Bytes())
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
