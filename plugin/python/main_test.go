//go:build python

package python_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
)

// patience is how long something may take that takes milliseconds on a machine without other work.
const patience = time.Minute

// hostVariable has the path of a plugin that this test binary is to be a host of.
const hostVariable = "PYTHON_TEST_HOST_OF"

func TestMain(m *testing.M) {
	if path := os.Getenv(hostVariable); path != "" {
		host(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// host is what the test binary does as a host: it prints the number of its plugin's process, and waits to be killed.
func host(path string) {
	log := &logBuffer{}
	_, err := plugin.Unlocked(context.Background(), plugin.Config{StartTimeout: patience, Logger: slog.New(slog.NewTextHandler(log, nil))}, path, pythontest.Environment)
	m := pidPattern.FindStringSubmatch(log.String())
	if err != nil || m == nil {
		fmt.Println(err, log)
		os.Exit(1)
	}
	fmt.Println(m[1])
	time.Sleep(10 * patience)
}

// A logBuffer is where a test's plugins log to.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var pidPattern = regexp.MustCompile(`msg="plugin started".* pid=(\d+)`)

// pid is that of the plugin that was started last.
func (l *logBuffer) pid(t *testing.T) int {
	t.Helper()
	all := pidPattern.FindAllStringSubmatch(l.String(), -1)
	if len(all) == 0 {
		t.Fatalf("no plugin was started:\n%s", l)
	}
	pid, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// open starts a plugin that is a text, until the end of the test.
func open(t *testing.T, cfg plugin.Config, main string) (*plugin.Assignor, *logBuffer) {
	t.Helper()
	pythontest.Use(t)
	log := &logBuffer{}
	cfg.Private, cfg.StartTimeout = t.TempDir(), patience
	if cfg.CallTimeout == 0 {
		cfg.CallTimeout = patience
	}
	cfg.NoticeTimeout = patience
	cfg.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := plugin.Unlocked(context.Background(), cfg, pythontest.Write(t, "test", main), pythontest.Environment)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the log:\n%s", log)
		}
	})
	return a, log
}

// eventually waits until f is true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s in vain", what)
		}
	}
}

// groupOf has members m000, m001, ... that read all topics, each with so many partitions.
func groupOf(members, topics int, partitions int32) *strategy.Group {
	g := &strategy.Group{Name: "group", Generation: 2, Leader: "m000"}
	var names []string
	for i := range topics {
		name := fmt.Sprintf("tenant%03d.topic", i)
		names = append(names, name)
		g.Topics = append(g.Topics, strategy.Topic{Name: name, Partitions: partitions})
	}
	for i := range members {
		g.Members = append(g.Members, strategy.Member{ID: fmt.Sprintf("m%03d", i), Topics: names, Generation: strategy.NoGeneration})
	}
	return g
}

// toFirst is an assignor that gives everything to the first member, and does what its group's name says.
const toFirst = `
import logging, os, signal, sys, time
print("printed before")
from assignkit_plugin import serve
print("printed in between", flush=True)
os.write(1, b"written past Python\n")

def assign(group):
    todo = group.name.partition(" ")[2]
    if todo:
        exec(todo)
    return {group.members[0].id: {t.name: list(range(t.partitions)) for t in group.topics}}

serve(assign, name="first", version="1.2.3")
`

// doing has the assignor run a line of Python before it answers.
func doing(what string) *strategy.Group {
	g := groupOf(2, 1, 3)
	g.Name = "group " + what
	return g
}
