package plugin

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func init() { faulty["collected"] = func() { Serve(collected{}) } }

// collected says, as the objective at which it stopped, when its process collects garbage: before and while it has much in its memory.
type collected struct{ sticky.Assignor }

func (c collected) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	a, err := c.Assignor.Assign(ctx, g)
	before := collectedAt()
	much := make([]byte, 2*garbage)
	for range 100 { // what is set after a collection is a goroutine's
		if runtime.GC(); collectedAt() != before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	a.Stopped = fmt.Sprintf("%d, %d of %d, %d MiB", before, collectedAt(), len(much), debug.SetMemoryLimit(-1)>>20)
	runtime.KeepAlive(much)
	return a, err
}

func collectedAt() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}

// A plugin that has little in its memory is not collected all the time, and one that has much is as any program is.
func TestGarbageWaits(t *testing.T) {
	for _, c := range []struct {
		name        string
		memory      int64
		environment map[string]string
		says        string
	}{
		{"default", 0, nil, "800, 100 of 67108864, 1536 MiB"},
		{"no limit", -1, nil, "800, 100 of 67108864, 8796093022207 MiB"},
		{"set", 0, map[string]string{"GOGC": "70", "GOMEMLIMIT": "1GiB"}, "70, 70 of 67108864, 1024 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var names []string
			for name, value := range c.environment {
				t.Setenv(name, value)
				names = append(names, name)
			}
			cfg := Config{Private: t.TempDir(), CallTimeout: time.Minute, StartTimeout: time.Minute, Memory: c.memory, Logger: slog.New(slog.DiscardHandler)}
			a, err := Unlocked(t.Context(), cfg, executable(t, folder(t), "collected"), names...)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			answer, err := a.Assign(t.Context(), testGroups()[0])
			if err != nil || answer.Stopped != c.says {
				t.Errorf("%q, %v, want %q", answer.Stopped, err, c.says)
			}
		})
	}
}

func TestLatePercent(t *testing.T) {
	for _, c := range []struct {
		live    uint64
		percent int
	}{{0, 800}, {1 << 20, 800}, {4 << 20, 800}, {8 << 20, 400}, {32 << 20, 100}, {1 << 30, 100}, {1 << 50, 100}} {
		if got := latePercent(c.live); got != c.percent {
			t.Errorf("%d bytes: %d %%, want %d", c.live, got, c.percent)
		}
	}
}
