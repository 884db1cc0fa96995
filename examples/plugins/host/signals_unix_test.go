//go:build unix

package main

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategy"
)

// TestHungPlugin stops the plugin's process before a rebalance: the group gets the plan of the assignor behind it, one line of the log says why, and
// the plugin decides again as soon as it is asked again.
func TestHungPlugin(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: goldTopic, Partitions: partitions},
		embedded.Topic{Name: otherTopic, Partitions: partitions})
	s := newSite(t)
	g := newGroup(t, s, cluster.Addrs())
	var trace buffer
	g.cfg.Trace, g.cfg.AssignTimeout = &trace, 6*time.Second // of which the plugin gets half
	g.join("gold-1", "gold")
	g.settles(goldTopic, "gold-1")
	if err := s.process().Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	g.join("other", "")
	embeddedtest.Eventually(t, "sticky decides", func() bool { return strings.Contains(trace.String(), `"strategy":"sticky"`) })
	if err := g.members["other"].Rejoin("test"); err != nil {
		t.Fatal(err)
	}
	g.settles(goldTopic, "gold-1")

	const line = `msg="assignor failed, asking the next"`
	log := s.log()
	if n := strings.Count(log, line); n != 1 {
		t.Fatalf("%d lines say that the plugin failed", n)
	}
	_, said, _ := strings.Cut(log, line)
	said, _, _ = strings.Cut(said, "\n")
	for _, part := range []string{"group=plugins", "assignor=cooperative-labels", "next=cooperative-sticky", "in time"} {
		if !strings.Contains(said, part) {
			t.Errorf("it does not say %s: %s", part, said)
		}
	}
	embeddedtest.Eventually(t, "the trace has sticky decide, and then the plugin", func() bool {
		var sticky bool
		for line := range strings.Lines(trace.String()) {
			if strings.Contains(line, `"strategy":"sticky"`) && strings.Contains(line, `"failures":[{"assignor":"cooperative-labels"`) {
				sticky = true
			} else if sticky && strings.Contains(line, `"strategy":"plugin:labels"`) {
				return true
			}
		}
		return false
	})
}

// TestHangup upgrades the plugin by a signal to the host.
func TestHangup(t *testing.T) {
	s := newSite(t)
	defer reloadOnHangup(t.Context(), s.Catalog)()
	a, err := s.Load("labels")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	g := &strategy.Group{Topics: []strategy.Topic{{Name: otherTopic, Partitions: 1}}, Members: []strategy.Member{{ID: "a", Topics: []string{otherTopic}}}}
	if _, err := a.Assign(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	s.install("1.1.0")
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, "the new version runs", func() bool { return s.state().Version == "1.1.0" })
}

// A buffer is written to by several goroutines.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
