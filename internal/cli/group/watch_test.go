package group

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/live"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// looks ends a watch when it has written so often.
type looks struct {
	mu   sync.Mutex
	text bytes.Buffer
	left int
	end  context.CancelFunc
}

func (l *looks) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left--; l.left == 0 {
		l.end()
	}
	return l.text.Write(p)
}

// watch runs the command until it has shown two looks.
func watch(t *testing.T, args string, terminal bool) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	out := &looks{left: 2, end: cancel}
	streams, _, _ := iostreams.Test("")
	streams.Out, streams.OutTerminal = iostreams.NewWriter(out), terminal
	cmd := newDescribe(streams, nil)
	cmd.SetContext(ctx)
	if err := execute(cmd, "billing --brokers embedded --watch=100ms "+args); !errors.Is(err, context.Canceled) {
		t.Fatalf("%s: %v\n%s", args, err, out.text.String())
	}
	return out.text.String()
}

// A watch writes below on a pipe, over on a terminal, and documents one after another, until its context ends.
func TestWatch(t *testing.T) {
	got := watch(t, "", false)
	if strings.Count(got, "\nbilling  127.0.0.1:") != 2 || strings.Count(got, ", every 100ms\n\n") != 2 || strings.Contains(got, "\x1b") {
		t.Error(got)
	}
	if got := watch(t, "", true); strings.Count(got, "\x1b[H\x1b[2J") != 2 || strings.Count(got, "\nbilling ") != 2 {
		t.Error(got)
	}
	if got := watch(t, "-o json", true); strings.Count(got, "\n") != 2 || strings.Count(got, `{"group":"billing",`) != 2 {
		t.Error(got)
	}
	if got := watch(t, "-o yaml", false); strings.Count(got, "---\ngroup: billing\n") != 2 {
		t.Error(got)
	}
}

// What goes wrong is shown in place of the group; documents stay documents.
func TestWatchShowsProblems(t *testing.T) {
	streams, out, errs := iostreams.Test("")
	o := &describeOptions{io: streams, watch: time.Second, format: "table"}
	problem := &live.GroupError{Group: "g", Text: "is rebalancing (PreparingRebalance)", Kind: live.ErrRebalancing}
	if err := o.showLook(nil, problem); err != nil || !strings.Contains(out.String(), ", every 1s\n\ngroup \"g\" is rebalancing (PreparingRebalance)\n") {
		t.Errorf("%v, %q", err, out.String())
	}
	out.Reset()
	o.format = "json"
	if err := o.showLook(nil, problem); err != nil || out.Len() > 0 || errs.String() != "assignctl: group \"g\" is rebalancing (PreparingRebalance)\n" {
		t.Errorf("%v, %q, %q", err, out.String(), errs.String())
	}
}
