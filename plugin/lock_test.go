package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
)

// sumOf is a sha256 as it might be.
func sumOf(digit string) string { return strings.Repeat(digit, 64) }

// anEntry is one that may be locked, for this platform.
func anEntry(name string) Locked {
	return Locked{Name: name, Version: "1.4.0", Protocol: ProtocolVersion, Assignor: "team-" + name, Rebalance: "eager", SHA256: map[string]string{Platform(): sumOf("a")}}
}

// lockText is a lock file with one entry, in which a line is replaced.
func lockText(line, by string) string {
	text := `version: 1
plugins:
  - name: pinned
    version: 1.4.0
    protocol: 1
    assignor: team-pinned
    rebalance: cooperative
    environment: [TZ]
    sha256:
      linux/amd64: ` + sumOf("a") + `
      darwin/arm64: ` + sumOf("b") + "\n"
	if !strings.Contains(text, line) {
		panic(line)
	}
	return strings.Replace(text, line, by, 1)
}

// A bomb doubles what it stands for in every line.
func bomb() string {
	var text strings.Builder
	text.WriteString("version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 20 {
		fmt.Fprintf(&text, "a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9))
	}
	return text.String()
}

func TestBrokenLocks(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "it is empty; a lock file begins with \"version: 1\""},
		{"comments only", "# nothing\n", "it is empty"},
		{"null", "null\n", "no lock file, which begins with \"version: 1\""},
		{"too large", "version: 1\n#" + strings.Repeat("x", maxLock), "larger than 1048576 bytes"},
		{"Latin-1", lockText("team-pinned", "caf\xe9"), "not in UTF-8"},
		{"zero bytes", "version: 1\x00\n", "control characters"},
		{"not YAML", "version: [\n", "line 2: "},
		{"a list", "- version: 1\n", "no lock file, which begins with"},
		{"a word", "hello", "no lock file"},
		{"without a version", "plugins: []\n", "begins with \"version: 1\""},
		{"version 0", "version: 0\n", "begins with \"version: 1\""},
		{"newer", "version: 2\nplugins: {of: another shape}\n", "it is of version 2, and this program reads version 1: use a newer one"},
		{"unknown field", lockText("environment:", "enviroment:"), "line 8: field enviroment not found"},
		{"unknown field on top", "version: 1\nplugin: []\n", "plugin"},
		{"twice a key", lockText("protocol: 1", "name: other"), "line 5: mapping key \"name\" already defined"},
		{"twice a platform", lockText("darwin/arm64", "linux/amd64"), "linux/amd64"},
		{"second document", lockText("", "") + "---\nversion: 1\n", "something follows its end"},
		{"anchor", lockText("name: pinned", "name: &x pinned"), "line 3: anchors and aliases are not understood"},
		{"alias", "version: 1\nplugins: *x\n", "line 2: unknown anchor"},
		{"bomb", bomb(), "anchors"},
		{"merge", lockText("environment: [TZ]", "<<: {user-data: true}"), "\"<<\" is not understood"},
		{"tag", lockText("protocol: 1", "protocol: !!int 1"), "tags are not understood"},
		{"deep", "version: 1\nplugins: " + strings.Repeat("[", 10000), "depth"},
		{"many fields", "version: 1\nplugins: [{" + strings.Repeat("a: b, ", 70000) + "}]", "more than 64 fields"},
		{"many plugins", "version: 1\nplugins: [" + strings.Repeat("{},", 300000) + "]", "a list of more than 1000"},
		{"no number", lockText("protocol: 1", "protocol: one"), "one"},
		{"large number", "version: 99999999999999999999999\n", "line 1: "},
		{"name with a path", lockText("name: pinned", "name: ../pinned"), "no name of a plugin"},
		{"no name", lockText("name: pinned", "name: ''"), "no name of a plugin"},
		{"assignor", lockText("team-pinned", "team pinned"), "assignor's name"},
		{"rebalance", lockText("cooperative", "sometimes"), "eager or cooperative"},
		{"protocol 0", lockText("protocol: 1", "protocol: 0"), "\"protocol: 1\""},
		{"no version of its own", lockText("version: 1.4.0", "version: ''"), "version \"\""},
		{"control characters", lockText("version: 1.4.0", `version: "\e[2J"`), "printable"},
		{"no sums", "version: 1\nplugins: [{name: x, version: '1', protocol: 1, assignor: x, rebalance: eager}]\n", "no sha256"},
		{"short sum", lockText(sumOf("a"), "abc"), "64 hexadecimal digits"},
		{"capital sum", lockText(sumOf("a"), sumOf("A")), "64 hexadecimal digits"},
		{"platform", lockText("linux/amd64", "linux"), "no platform such as"},
		{"signal", lockText("environment: [TZ]", "signals: ['a b']"), "the name of its signal \"a b\" is not one"},
		{"signals out of order", lockText("environment: [TZ]", "signals: [lag, heat]"), "\"lag\" and \"heat\" are not in order"},
		{"a signal twice", lockText("environment: [TZ]", "signals: [lag, lag]"), "are not in order, or are one"},
		{"variable", lockText("[TZ]", "['A=B']"), "no name of an environment variable"},
		{"variable twice", lockText("[TZ]", "[TZ, A, TZ]"), "TZ is listed twice"},
		{"variable of the host", lockText("[TZ]", "[PLUGIN_CLIENT_CERT]"), "the host sets"},
		{"mark of the host", lockText("[TZ]", "[ASSIGNKIT_PLUGIN_INSTANCE]"), "the host sets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(folder(t), DefaultLock)
			write(t, path, c.text, 0o644)
			_, err := ReadLock(path)
			if !errors.Is(err, ErrLock) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || len(err.Error()) > 1000 {
				t.Errorf("%v, and wanted %q", err, c.want)
			}
			if _, err := Open(Config{Lock: path}); !errors.Is(err, ErrLock) {
				t.Errorf("Open: %v", err)
			}
		})
	}
	if l, err := parseLock([]byte(lockText("", ""))); err != nil || len(l.Plugins) != 1 || l.Plugins[0].Version != "1.4.0" {
		t.Errorf("the one that the others are made of: %+v, %v", l, err)
	}
}

func TestSameLockTwice(t *testing.T) {
	text := lockText("", "")
	_, entry, _ := strings.Cut(text, "plugins:\n")
	if _, err := parseLock([]byte(text + entry)); err == nil || !strings.Contains(err.Error(), `plugin "pinned" is listed twice: remove one`) {
		t.Error(err)
	}
}

func TestLockOfAnotherShape(t *testing.T) {
	missing := filepath.Join(folder(t), DefaultLock)
	if _, err := Open(Config{Lock: missing}); !errors.Is(err, ErrNotLocked) || !strings.Contains(err.Error(), "assignctl plugin lock") {
		t.Errorf("missing: %v", err)
	}
	if err := os.Mkdir(missing, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Lock: missing}); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a folder: %v", err)
	}
}

// The same plugins, added in several orders, make the same file, which is as it was.
func TestLockIsWrittenTheSame(t *testing.T) {
	onLinux, onMac := anEntry("pinned"), anEntry("pinned")
	onLinux.SHA256 = map[string]string{"linux/amd64": sumOf("1")}
	onMac.SHA256 = map[string]string{"darwin/arm64": sumOf("2")}
	script, number := anEntry("tenants"), anEntry("labels")
	script.SHA256 = map[string]string{AnyPlatform: sumOf("3")}
	script.Rebalance, script.OnAssignment, script.UserData, script.Environment, script.Signals = "cooperative", true, true, []string{"TZ", "LANG"}, []string{"heat", "lag"}
	number.SHA256 = map[string]string{"linux/arm64": sumOf("4")}
	number.Version = "1.10" // is no number
	all := []Locked{onLinux, onMac, script, number}
	for i := range all {
		for _, backwards := range []bool{false, true} {
			order := append(slices.Clone(all[i:]), all[:i]...)
			if backwards {
				slices.Reverse(order)
			}
			lock := &Lock{}
			for _, p := range order {
				lock.Add(p)
			}
			path := filepath.Join(folder(t), DefaultLock)
			if err := lock.Write(path); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", "assignors.lock"), text)
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
				t.Errorf("%v", left)
			}
		}
	}
}

func TestAddToLock(t *testing.T) {
	with := func(version, platform, digit string) Locked {
		p := anEntry("pinned")
		p.Version, p.SHA256 = version, map[string]string{platform: sumOf(digit)}
		return p
	}
	for _, c := range []struct {
		name string
		add  []Locked
		want map[string]string
	}{
		{"other platforms of the version stay", []Locked{with("1", "linux/amd64", "1"), with("1", "linux/arm64", "2"), with("1", "linux/amd64", "3")},
			map[string]string{"linux/amd64": sumOf("3"), "linux/arm64": sumOf("2")}},
		{"those of another version go", []Locked{with("1", "linux/amd64", "1"), with("2", "linux/arm64", "2")}, map[string]string{"linux/arm64": sumOf("2")}},
		{"a script is for all", []Locked{with("1", "linux/amd64", "1"), with("1", AnyPlatform, "2")}, map[string]string{AnyPlatform: sumOf("2")}},
	} {
		lock := &Lock{}
		for _, p := range c.add {
			lock.Add(p)
		}
		if len(lock.Plugins) != 1 || !reflect.DeepEqual(lock.Plugins[0].SHA256, c.want) {
			t.Errorf("%s: %+v", c.name, lock.Plugins)
		}
		if len(c.add[0].SHA256) != 1 {
			t.Errorf("%s: what was added has changed", c.name)
		}
	}
}

func TestBadLockIsNotWritten(t *testing.T) {
	path := filepath.Join(folder(t), DefaultLock)
	write(t, path, "as it was", 0o644)
	bad := anEntry("x")
	bad.Rebalance = "never"
	if err := (&Lock{Plugins: []Locked{bad}}).Write(path); !errors.Is(err, ErrLock) {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "as it was" {
		t.Errorf("%s", text)
	}
}

// FuzzLock: no text makes the reader panic, and what it understands is written and read again the same.
func FuzzLock(f *testing.F) {
	f.Add([]byte(lockText("", "")))
	f.Add([]byte(lockText("[TZ]", "[]")))
	f.Add([]byte(bomb()))
	f.Add([]byte("version: 1\nplugins:\n"))
	f.Add([]byte("{version: 1, plugins: [{name: x, version: '1', protocol: 2, assignor: '0x1', rebalance: eager, sha256: {any: " + sumOf("0") + "}}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := parseLock(data)
		if err != nil {
			return
		}
		text, err := lock.encode()
		if err != nil {
			t.Fatalf("cannot be written: %v", err)
		}
		again, err := parseLock(text)
		if err != nil {
			t.Fatalf("cannot be read again: %v\n%s", err, text)
		}
		twice, err := again.encode()
		if err != nil || !bytes.Equal(text, twice) {
			t.Fatalf("%v\n%s\nis written again as\n%s", err, text, twice)
		}
		if len(again.Plugins) != len(lock.Plugins) {
			t.Fatalf("%+v was read again as %+v", lock, again)
		}
		for _, p := range lock.Plugins {
			same, _ := again.Find(p.Name)
			if p.Environment = append([]string(nil), p.Environment...); !reflect.DeepEqual(p, same) {
				t.Fatalf("%+v was read again as %+v", p, same)
			}
		}
	})
}
