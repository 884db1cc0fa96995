package cli

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategy"
)

// playPlugin makes the test binary a plugin, if it is run under the name of one.
func playPlugin() {
	name, ok := strings.CutPrefix(filepath.Base(os.Args[0]), "assignor-")
	switch {
	case !ok:
		return
	case name == "broken":
		fmt.Fprintln(os.Stderr, "out of order")
		os.Exit(7)
	case name == "unfair":
		plugin.Serve(unfair{new(atomic.Int32)})
	default:
		plugin.Serve(dealer{name})
	}
	os.Exit(0)
}

// dealer is roundrobin under a plugin's name, but for groups with topics of certain names. One called "slow" does not close, and one called
// "stuck" does not answer.
type dealer struct{ name string }

func (d dealer) Name() string { return d.name }

func (dealer) Version() string { return "1.2.0" }

func (d dealer) Close() error {
	if d.name == "slow" {
		select {}
	}
	return nil
}

func (d dealer) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if d.name == "stuck" {
		select {}
	}
	for i := range g.Topics {
		switch g.Topics[i].Name {
		case "crash":
			slog.Error("about to crash")
			os.Exit(7)
		case "hang":
			select {}
		case "invalid":
			return strategy.Assignment{}, nil
		case "refused":
			return strategy.Assignment{}, fmt.Errorf("topic %s is not for %s", g.Topics[i].Name, os.Getenv("TENANT"))
		}
	}
	return roundrobin.Assignor{}.Assign(ctx, g)
}

// unfair gives everything to the first member, and to the last once it is tired of it.
type unfair struct{ calls *atomic.Int32 }

func (unfair) Name() string { return "unfair" }

func (u unfair) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner := t.Unowned()
	tired := u.calls.Add(1) > 20
	for topic := range t.Group.Topics {
		readers := t.Readers(topic)
		for i := t.Base(topic); i < t.Base(topic+1) && len(readers) > 0; i++ {
			owner[i] = readers[0]
			if tired {
				owner[i] = readers[len(readers)-1]
			}
		}
	}
	return t.Assignment(owner), nil
}

// putPlugin has the test binary be the executable of a plugin. What is appended to it makes it another build.
func putPlugin(folder, name, appended string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	path := filepath.Join(folder, "assignor-"+name)
	if err := os.WriteFile(path+".new", append(data, appended...), 0o755); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// foreign is the build of an executable that is for another kind of machine, where executables are ELF files.
const foreign = "foreign"

// executable puts a plugin into a folder.
func executable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: executable FOLDER NAME [BUILD]")
	}
	folder, name, build := ts.MkAbs(args[0]), args[1], strings.Join(args[2:], "")
	ts.Check(putPlugin(folder, name, build))
	if build == foreign {
		const machine = 18 // where an ELF file says what it is for
		f, err := os.OpenFile(filepath.Join(folder, "assignor-"+name), os.O_WRONLY, 0)
		ts.Check(err)
		_, err = f.WriteAt([]byte{byte(elf.EM_RISCV), 0}, machine)
		ts.Check(errors.Join(err, f.Close()))
	}
}

// nothingleft fails if a plugin's process or private folder is left.
func nothingleft(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: nothingleft")
	}
	if left := pluginRemains(ts.Getenv("TMPDIR"), ts.Getenv("WORK")); len(left) > 0 {
		ts.Fatalf("left behind: %s", strings.Join(left, ", "))
	}
}

// pluginRemains lists what is left of plugins: private folders, and on Linux processes.
func pluginRemains(temp, work string) []string {
	left, _ := filepath.Glob(filepath.Join(temp, "ak-*"))
	exes, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range exes {
		if path, err := os.Readlink(exe); err == nil && strings.HasPrefix(path, work) && strings.Contains(path, "assignor-") {
			left = append(left, exe+" "+path)
		}
	}
	return left
}

// shortTemp has programs of a script put temporary files where the path of a socket is not too long.
func shortTemp(env *testscript.Env) error {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	env.Defer(func() { _ = os.RemoveAll(dir) }) // nothingleft has seen to what matters
	env.Setenv("TMPDIR", dir)
	return nil
}

// goEnvironment lets scripts use the Go tool as this test could. Those that need it look for it first.
func goEnvironment(env *testscript.Env) {
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOTOOLCHAIN"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	for i, value := range strings.Split(strings.TrimRight(string(out), "\r\n"), "\n") {
		if err == nil {
			env.Setenv(names[i], strings.TrimSpace(value))
		}
	}
}

// shared is a buffer that is read while it is written.
type shared struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("there is no sign of %s", what)
		}
	}
}

// lockedPlugin makes a folder with a plugin that is locked, and returns it. Private folders go into another, which is returned as well.
func lockedPlugin(t *testing.T, name string) (folder, temp string) {
	t.Helper()
	folder, temp = t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	if err := putPlugin(folder, name, ""); err != nil {
		t.Fatal(err)
	}
	lockPlugin(t, folder, name)
	return folder, temp
}

func lockPlugin(t *testing.T, folder, name string) {
	t.Helper()
	var out bytes.Buffer
	if code := Main(context.Background(), []string{"plugin", "lock", filepath.Join(folder, "assignor-"+name)}, Streams{Out: &out, Err: &out}); code != exitOK {
		t.Fatal(out.String())
	}
}

// TestPluginsInterrupted interrupts commands while their plugins run: ones that compute for ever, and one that waits for the next group, with a plugin
// that takes its time to end. Nothing is left of them when Main returns.
func TestPluginsInterrupted(t *testing.T) {
	folder, temp := lockedPlugin(t, "slow")
	if err := putPlugin(folder, "stuck", ""); err != nil {
		t.Fatal(err)
	}
	spec := "plugin:slow?timeout=600000&lock=" + filepath.ToSlash(filepath.Join(folder, "assignors.lock"))
	stop := make(chan struct{})
	defer close(stop)
	for _, test := range []struct {
		args []string
		says string // before the interrupt
	}{
		{[]string{"simulate", "--topics", "hang=3", "--members", "2", "-s", spec}, ""},
		{[]string{"assign", "-s", spec}, "assignment"},
		{[]string{"plugin", "test", "--timeout", "10m", filepath.Join(folder, "assignor-stuck")}, ""},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		var out, errs shared
		in := &groupThenNever{group: `{"topics": {"orders": 3}, "members": [{"id": "a", "topics": ["orders"]}]}` + "\n", never: never{stop}}
		done := make(chan int, 1)
		go func() { done <- Main(ctx, test.args, Streams{In: in, Out: &out, Err: &errs}) }()
		until(t, fmt.Sprint(test.args), func() bool {
			copies, _ := filepath.Glob(filepath.Join(temp, "ak-*", "run-*", "assignor-*"))
			return len(copies) > 0 && strings.Contains(out.String(), test.says)
		})
		cancel()
		if code := <-done; code != exitInterrupted || !strings.HasSuffix(errs.String(), "assignctl: interrupted\n") {
			t.Errorf("%v: exit %d, %q", test.args, code, errs.String())
		}
		if left := pluginRemains(temp, temp); len(left) > 0 {
			t.Errorf("%v: left behind: %v", test.args, left)
		}
	}
}

// groupThenNever is an input of one group.
type groupThenNever struct {
	group string
	never
}

func (g *groupThenNever) Read(p []byte) (int, error) {
	if g.group == "" {
		return g.never.Read(p)
	}
	n := copy(p, g.group)
	g.group = g.group[n:]
	return n, nil
}
