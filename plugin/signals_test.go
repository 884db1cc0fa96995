package plugin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func init() { faulty["measuring"] = func() { Serve(measuring{}) } }

// measuring looks at signals, and says what it has seen as the objective at which it stopped.
type measuring struct{ sticky.Assignor }

func (measuring) Signals() []string {
	return []string{strategy.SignalUptime, "heat", strategy.SignalLag, "heat"}
}

func (m measuring) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	a, err := m.Assignor.Assign(ctx, g)
	a.Stopped = fmt.Sprint(g.Topics[0].Signals, g.Topics[0].LeaderRacks, g.Members[0].Uptime, g.Members[0].Signals)
	return a, err
}

// What a plugin looks at is known of its lock before it has been started, is measured for it, and comes in.
func TestSignals(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	path := executable(t, dir, "measuring")
	want := []string{"heat", strategy.SignalLag, strategy.SignalUptime}
	entry, err := Describe(t.Context(), cfg, path)
	if err != nil || !slices.Equal(entry.Signals, want) {
		t.Fatalf("locked are %q, %v, want %q", entry.Signals, err, want)
	}
	lock := &Lock{}
	lock.Add(entry)
	relock(t, cfg, lock)
	c, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a, err := c.Load("measuring")
	if err != nil {
		t.Fatal(err)
	}
	if got := strategy.SignalsOf(strategy.Fallback(strategy.Cooperative(a), sticky.Assignor{})); !slices.Equal(got, want) || a.Stats().Starts > 0 {
		t.Errorf("it looks at %q, want %q, and was started %d times", got, want, a.Stats().Starts)
	}
	g := testGroups()[0]
	g.Topics[0].LeaderRacks = []string{"r", "", "", "", "", "s"}
	g.Topics[0].Signals = map[string][]float64{strategy.SignalLag: {1, 2, 3, 4, 5, -6}, "heat": make([]float64, 6)}
	g.Members[0].Uptime, g.Members[0].Signals = 1500, map[string]float64{"heat": 0.5}
	answer, err := a.Assign(t.Context(), g)
	if seen := "map[heat:[0 0 0 0 0 0] lag:[1 2 3 4 5 -6]] [r     s] 1.5µs map[heat:0.5]"; err != nil || answer.Stopped != seen {
		t.Errorf("it saw %q, %v, want %q", answer.Stopped, err, seen)
	}
}

// A plugin that looks at something else than is locked is another one.
func TestOtherSignals(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	executable(t, dir, "measuring")
	lock := &Lock{}
	entry := selfEntry(t, "measuring")
	entry.Signals = []string{strategy.SignalLag}
	lock.Add(entry)
	relock(t, cfg, lock)
	c, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a, err := c.Load("measuring")
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Assign(t.Context(), testGroups()[0])
	if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "looking at heat, lag, uptime, where the lock says") {
		t.Error(err)
	}
	entry.Signals = nil
	if lock.Add(entry); lock.Plugins[0].Signals != nil {
		t.Errorf("the entry was not replaced: %+v", lock.Plugins[0])
	}
}

func TestSignalsThatCannotBe(t *testing.T) {
	many := make([]string, 1<<20)
	for i := range many {
		many[i] = fmt.Sprint("s", i)
	}
	for _, c := range []struct {
		name    string
		signals []string
		says    string
	}{
		{"too many", many, "it looks at 65 signals or more, and 64 are the most"},
		{"no name", []string{"lag", ""}, `the name of its signal "" is not one of`},
		{"odd bytes", []string{"\x1b[2J"}, `the name of its signal "?[2J" is not one of`},
		{"a long name", []string{strings.Repeat("x", 1<<20)}, "is not one of 1 to 249"},
	} {
		err := described(&pluginproto.DescribeResponse{Name: "x", Version: "1", Signals: c.signals}).check()
		if err == nil || !strings.Contains(err.Error(), c.says) || len(err.Error()) > 1000 {
			t.Errorf("%s: %.300v, want %q", c.name, err, c.says)
		}
	}
	if err := described(&pluginproto.DescribeResponse{Name: "x", Version: "1", Signals: many[:maxSignals]}).check(); err != nil {
		t.Error(err)
	}
	lock := &Lock{Plugins: []Locked{anEntry("x")}}
	lock.Plugins[0].Signals = []string{"lag", "heat"}
	if err := lock.Write(filepath.Join(folder(t), DefaultLock)); !errors.Is(err, ErrLock) {
		t.Errorf("signals out of order were locked: %v", err)
	}
}
