package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/plugin"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// A site is a folder with the plugin, as an operator keeps it, and a catalog of it. It knows the plugin's processes from the log.
type site struct {
	*plugin.Catalog
	t       *testing.T
	dir     string // of the plugins and their lock file
	private string // of what runs

	mu        sync.Mutex
	logged    bytes.Buffer
	processes []*os.Process // in the order in which they were started
}

// newSite builds the plugin, locks it and opens a catalog. When the test ends nothing may be left of it.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "plugins"), private: filepath.Join(t.TempDir(), "private")}
	for _, dir := range []string{s.dir, s.private} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.install("1.0.0")
	var err error
	s.Catalog, err = plugin.Open(plugin.Config{Lock: s.lock(), Private: s.private, Logger: slog.New(slog.NewTextHandler(s, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

func (s *site) lock() string { return filepath.Join(s.dir, plugin.DefaultLock) }

// install builds a version of the plugin, puts it into the folder in one step, and locks it.
func (s *site) install(version string) {
	s.t.Helper()
	built, path := filepath.Join(s.dir, "new"), filepath.Join(s.dir, "assignor-labels")
	build := exec.Command("go", "build", "-ldflags", "-X main.version="+version, "-o", built, "../labels")
	if out, err := build.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	if err := os.Rename(built, path); err != nil {
		s.t.Fatal(err)
	}
	locked, err := plugin.Describe(s.t.Context(), plugin.Config{Private: s.private, Logger: slog.New(slog.DiscardHandler)}, path)
	if err != nil {
		s.t.Fatal(err)
	}
	lock, err := plugin.ReadLock(s.lock())
	if os.IsNotExist(err) {
		lock, err = &plugin.Lock{}, nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	lock.Add(locked)
	if err := lock.Write(s.lock()); err != nil {
		s.t.Fatal(err)
	}
}

// Write takes what is logged, a line at a time.
func (s *site) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(line)
	if _, after, found := strings.Cut(text, " pid="); found && strings.Contains(text, `msg="plugin started"`) {
		pid, _ := strconv.Atoi(strings.Fields(after)[0])
		if p, err := os.FindProcess(pid); err == nil {
			s.processes = append(s.processes, p)
		}
	}
	return s.logged.Write(line)
}

func (s *site) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logged.String()
}

// process returns the one that was started last.
func (s *site) process() *os.Process {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.processes) == 0 {
		s.t.Fatalf("no process of the plugin was started; logged:\n%s", s.logged.String())
	}
	return s.processes[len(s.processes)-1]
}

// state returns how the plugin does.
func (s *site) state() plugin.Stats {
	s.t.Helper()
	all := s.Stats()
	if len(all) != 1 {
		s.t.Fatalf("there are %d plugins in use", len(all))
	}
	return all[0]
}

// close checks that no process and no file is left.
func (s *site) close() {
	if err := s.Close(); err != nil {
		s.t.Error(err)
	}
	for _, p := range s.processes {
		if err := p.Kill(); err == nil {
			s.t.Errorf("process %d of the plugin was left", p.Pid)
		}
	}
	left, err := os.ReadDir(s.private)
	if err != nil || len(left) > 0 {
		s.t.Errorf("left in the private folder: %v, %v", left, err)
	}
	if s.t.Failed() {
		s.t.Logf("logged:\n%s", s.log())
	}
}

// TestHost runs the program as its documentation has it.
func TestHost(t *testing.T) {
	s := newSite(t)
	var out bytes.Buffer
	if err := host(t.Context(), []string{"--lock", s.lock(), "--plugin", "labels"}, &out); err != nil {
		t.Fatal(err)
	}
	begins := "other reads gold.orders [0 1 2 3]\nother reads orders [0 1 2 3]\nother leaves gold.orders [0 1 2 3]\ngold reads gold.orders [0 1 2 3]\n"
	if got := out.String(); !strings.HasPrefix(got, begins) || !strings.HasSuffix(got, "\n80 records\n") {
		t.Errorf("it printed\n%s", got)
	}
}

// TestHostIsTold has the program say what is wrong.
func TestHostIsTold(t *testing.T) {
	s := newSite(t)
	for what, args := range map[string][]string{
		"there is no lock file": {"--lock", filepath.Join(t.TempDir(), "none.lock")},
		"does not name it":      {"--lock", s.lock(), "--plugin", "other"},
	} {
		if err := host(context.Background(), args, io.Discard); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
