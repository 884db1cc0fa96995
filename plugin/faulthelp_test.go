//go:build unix

package plugin

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategy"
)

// A stage is what a test of processes stands on: a log, a folder for sockets, and what must be gone at the end.
type stage struct {
	log    *logBook
	dir    string // whose path is in the environment of every process of a plugin
	before goleak.Option
}

func newStage(t testing.TB) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "ak") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &stage{log: &logBook{}, dir: dir, before: goleak.IgnoreCurrent()}
}

// plugin makes an assignor of a plugin that is not started, and described as sticky is.
func (s *stage) plugin(t testing.TB, cfg Config, name string) *Assignor {
	t.Helper()
	cfg.Logger = slog.New(slog.NewTextHandler(s.log, nil))
	cfg = cfg.withDefaults()
	if raceEnabled {
		cfg.Memory = 0 // the race detector maps more than any limit
	}
	path := executable(t, folder(t), name)
	expected := description{name: "sticky", version: "0.0.0", onAssignment: name == "remembering", userData: name == "remembering" || name == "datapanics"}
	sup := newSupervisor(name, cfg.Logger.With("plugin", name), &image{cfg: cfg, private: &private{path: s.dir}, path: path, copied: path, sum: bytesOfSelf(t), says: &expected})
	a := newAssignor(sup, expected, cfg, func() error { sup.close(); return nil })
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// gone fails if there is anything left of plugins.
func (s *stage) gone(t testing.TB) {
	t.Helper()
	eventually(t, "processes are left", func() []string { return marked(s.dir) })
	eventually(t, "children are left", children)
	eventually(t, "sockets are left", func() []string {
		left, _ := filepath.Glob(filepath.Join(s.dir, "*"))
		return left
	})
	goleak.VerifyNone(t, s.before)
}

// eventually waits until nothing is left.
func eventually(t testing.TB, what string, left func() []string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		is := left()
		if len(is) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %q", what, is)
		}
	}
}

// marked lists the processes whose environment has a text in it.
func marked(text string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		if data, _ := os.ReadFile(path); bytes.Contains(data, []byte(text)) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// children lists those of this process, ended or not.
func children() (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		data, _ := os.ReadFile(path)
		_, after, _ := strings.Cut(string(data), ") ")
		if f := strings.Fields(after); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// pid returns that of the running process of a plugin.
func pid(t testing.TB, a *Assignor) int {
	t.Helper()
	a.supervisor.mu.Lock()
	defer a.supervisor.mu.Unlock()
	if a.supervisor.current == nil {
		t.Fatal("the plugin does not run")
	}
	n, _ := strconv.Atoi(a.supervisor.current.runner.ID())
	return n
}

// second is the assignor behind a plugin in tests, whose answer differs from that of sticky.
type second struct{ roundrobin.Assignor }

func (second) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owners := make([]int32, t.Len()) // all to the first
	return t.Assignment(owners), nil
}

// smallGroup has one answer of sticky, and another of second.
func smallGroup() *strategy.Group {
	return &strategy.Group{
		Name: "g", Generation: 1, Leader: "a",
		Topics: []strategy.Topic{{Name: "orders", Partitions: 4}},
		Members: []strategy.Member{
			{ID: "a", Topics: []string{"orders"}, Generation: strategy.NoGeneration},
			{ID: "b", Topics: []string{"orders"}, Generation: strategy.NoGeneration},
		},
	}
}

func linuxOnly(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows what is left of processes, and limits their memory")
	}
}
