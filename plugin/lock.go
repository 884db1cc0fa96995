package plugin

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// DefaultLock is what a lock file is called.
const DefaultLock = "assignors.lock"

// LockVersion is the version of lock files that this package writes, and the newest that it reads.
const LockVersion = 1

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

	// Signals names what is measured for it, sorted: see [strategy.SignalUser].
	Signals []string `yaml:"signals,omitempty,flow"`
	// Environment lists what it gets of the host's environment, by name.
	Environment []string `yaml:"environment,omitempty,flow"`
	// SHA256 is that of its executable, in hexadecimal, by platform, or for "any" of a script's.
	SHA256 map[string]string `yaml:"sha256"`
}

var (
	hexSum       = regexp.MustCompile(`^[0-9a-f]{64}$`)
	wireName     = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)
	platformName = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`)
	versionText  = regexp.MustCompile(`^[!-~]{1,64}$`)
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
	case p.Protocol < 1:
		return errors.New("it does not say which version of the plugin protocol it speaks, as in \"protocol: 1\"")
	case !versionText.MatchString(p.Version):
		return fmt.Errorf("its version %q is not one of 1 to 64 printable characters of ASCII without spaces", p.Version)
	case len(p.SHA256) == 0:
		return errors.New("it has no sha256")
	}
	if err := checkSignals(p.Signals); err != nil {
		return err
	}
	for _, platform := range slices.Sorted(maps.Keys(p.SHA256)) {
		if platform != AnyPlatform && !platformName.MatchString(platform) {
			return fmt.Errorf("%q is no platform such as %s, or %q", platform, Platform(), AnyPlatform)
		}
		if !hexSum.MatchString(p.SHA256[platform]) {
			return fmt.Errorf("the sha256 for %s is not 64 hexadecimal digits in small letters", platform)
		}
	}
	for i, v := range p.Environment {
		switch {
		case slices.Contains(p.Environment[:i], v):
			return fmt.Errorf("the environment variable %s is listed twice", v)
		case !variableName.MatchString(v):
			return fmt.Errorf("%q is no name of an environment variable", v)
		case strings.HasPrefix(v, "PLUGIN_"), strings.HasPrefix(v, handshake.MagicCookieKey):
			return fmt.Errorf("the environment variable %s is one that the host sets, and cannot be passed on", v)
		}
	}
	return nil
}

// ValidName says whether a plugin can be called that: up to 63 small letters, digits, and "-", "_" or "." between them.
func ValidName(name string) bool { return pluginWord.MatchString(name) }

func checkName(name string) error {
	if !ValidName(name) {
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
	if _, err := p.sum(Platform()); err != nil {
		return nil, err
	}
	if p.Protocol != ProtocolVersion {
		return nil, fmt.Errorf("%w: it is locked as one that speaks version %d of the plugin protocol, and this host speaks version %d: build it with a version of assignkit that fits and lock it again, or upgrade the host",
			ErrStart, p.Protocol, ProtocolVersion)
	}
	return &p, nil
}

// compare says whether the executable at a path is the one that is locked for this platform, by its sha256.
func (p *Locked) compare(path string, is []byte) error {
	expected, err := p.sum(Platform())
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

// sum returns the sha256 for a platform, or that for any, as bytes.
func (p *Locked) sum(platform string) ([]byte, error) {
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
// the same of itself. A script replaces the sums of all platforms, as it runs on each.
func (l *Lock) Add(p Locked) {
	p.SHA256 = maps.Clone(p.SHA256)
	p.Environment, p.Signals = slices.Clone(p.Environment), slices.Clone(p.Signals)
	at := slices.IndexFunc(l.Plugins, func(old Locked) bool { return old.Name == p.Name })
	if at < 0 {
		l.Plugins = append(l.Plugins, p)
		slices.SortFunc(l.Plugins, func(a, b Locked) int { return cmp.Compare(a.Name, b.Name) })
		return
	}
	old := l.Plugins[at]
	if _, script := p.SHA256[AnyPlatform]; old.says() == p.says() && !script {
		for platform, sum := range old.SHA256 {
			if _, ok := p.SHA256[platform]; !ok {
				p.SHA256[platform] = sum
			}
		}
	}
	l.Plugins[at] = p
}

// says is what a plugin says of itself.
func (p *Locked) says() string {
	return fmt.Sprintf("%q %d %q %q %t %t %q", p.Version, p.Protocol, p.Assignor, p.Rebalance, p.UserData, p.OnAssignment, p.Signals)
}

// description is what the plugin is expected to say.
func (p *Locked) description() description {
	d := description{name: p.Assignor, version: p.Version, onAssignment: p.OnAssignment, userData: p.UserData, signals: p.Signals}
	if p.Rebalance == strategy.ProtocolCooperative.String() {
		d.protocol = strategy.ProtocolCooperative
	}
	return d
}
