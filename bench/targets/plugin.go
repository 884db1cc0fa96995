package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// pluginFile is the name under which this program is the plugin that it measures.
const pluginFile = "assignor-sticky"

// A pluginTarget is what a call of a plugin may cost more than one of the same assignor in the process.
type pluginTarget struct {
	shape  bench.Shape
	phases []string
	calls  int
	more   time.Duration
	memory float64 // the heap at most, as a multiple of the group's, for groups with claims; 0: not asked for
}

var pluginTargets = []pluginTarget{
	{shape: bench.Shape{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Equal}, phases: []string{"join", "fresh"}, calls: 301,
		more: 2 * time.Millisecond},
	{shape: bench.Shape{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal}, phases: []string{"join", "fresh"}, calls: 15,
		more: time.Second, memory: 2},
}

// asPlugin measures sticky as a plugin and in the process, in turns, and prints a row for each target and phase.
func asPlugin(ctx context.Context, w io.Writer) (missed int, err error) {
	dir, err := os.MkdirTemp("", "targets")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	path := filepath.Join(dir, pluginFile)
	if err := copySelf(path); err != nil {
		return 0, err
	}
	a, err := plugin.Unlocked(ctx, plugin.Config{Private: dir, CallTimeout: time.Minute, Logger: slog.New(slog.DiscardHandler)}, path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	fmt.Fprint(w, "| shape | step | to reach | in process | as a plugin | more | heap, of which the group | reached |\n|---|---|---|---|---|---|---|---|\n")
	for _, x := range pluginTargets {
		for _, phase := range x.phases {
			reached, err := x.measure(ctx, w, a, phase)
			if err != nil {
				return missed, err
			}
			if !reached {
				missed++
			}
		}
	}
	return missed, nil
}

func (x *pluginTarget) measure(ctx context.Context, w io.Writer, a *plugin.Assignor, phase string) (reached bool, err error) {
	before := settled()
	g, err := bare(ctx, x.shape, phase)
	if err != nil {
		return false, err
	}
	group := settled() - before
	var here, there []time.Duration
	for range x.calls {
		in, err := timed(ctx, sticky.Assignor{}, g)
		if err != nil {
			return false, err
		}
		over, err := timed(ctx, a, g)
		if err != nil {
			return false, err
		}
		here, there = append(here, in), append(there, over)
	}
	slices.Sort(here)
	slices.Sort(there)
	in, over := here[x.calls/2], there[x.calls/2]
	added, err := peakOfCall(ctx, a, g)
	if err != nil {
		return false, err
	}
	heap := float64(group + added)
	want := fmt.Sprintf("≤ %v more", x.more)
	reached = over-in <= x.more
	if x.memory > 0 && phase != "fresh" {
		want += fmt.Sprintf(", heap ≤ %.0f × the group's", x.memory)
		reached = reached && heap <= x.memory*float64(group)
	}
	s := x.shape
	fmt.Fprintf(w, "| %d topics × %d partitions × %d members, %s subscriptions | %s | %s | %.2f ms | %.2f ms | %.2f ms | %.1f MB, %.1f MB | %s |\n",
		s.Topics, s.Partitions, s.Members, s.Subscriptions, phase, want, ms(in), ms(over), ms(over-in), heap/1e6, float64(group)/1e6, yes(reached))
	return reached, nil
}

// bare makes a group without what is left of how it was made.
func bare(ctx context.Context, s bench.Shape, phase string) (*strategy.Group, error) {
	g, err := s.Group(ctx, phase, sticky.Assignor{})
	if err != nil {
		return nil, err
	}
	return &strategy.Group{Name: g.Name, Generation: g.Generation, Topics: g.Topics, Members: g.Members}, nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

func timed(ctx context.Context, a strategy.Assignor, g *strategy.Group) (time.Duration, error) {
	started := time.Now()
	_, err := a.Assign(ctx, g)
	return time.Since(started), err
}

// peakOfCall is what a call adds to this process's heap at most, garbage included: the most of three calls.
func peakOfCall(ctx context.Context, a strategy.Assignor, g *strategy.Group) (most uint64, err error) {
	for range 3 {
		floor := settled()
		end, peak := make(chan struct{}), make(chan uint64)
		go func() {
			top := uint64(0)
			for {
				top = max(top, heapObjects())
				select {
				case <-end:
					peak <- max(top, heapObjects())
					return
				case <-time.After(500 * time.Microsecond):
				}
			}
		}()
		_, err := a.Assign(ctx, g)
		close(end)
		if top := <-peak; top > floor {
			most = max(most, top-floor)
		}
		if err != nil {
			return most, err
		}
	}
	return most, nil
}

// settled is the heap in bytes, without garbage.
func settled() uint64 {
	runtime.GC()
	runtime.GC()
	return heapObjects()
}

func heapObjects() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// copySelf copies this program.
func copySelf(to string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o700) //nolint:gosec // it is to be executed
}
