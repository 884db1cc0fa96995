package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// again is what the name of a member that comes in the place of another has at its end.
const again = "-again"

// drainPatience bounds how long a member may take to hand over its partitions before it restarts.
const drainPatience = 30 * time.Second

// rest is how long a restarting member is away: a second, unless heartbeats are faster than usual.
func (s settings) rest() time.Duration { return s.heartbeat() / 3 }

// rolling restarts a small group.
func rolling(g *stage, run int) error {
	return g.restartAll([]string{"a", "b", "c", "d", "e"}, run, g.restart)
}

// A deploy restarts a large one.
type deploy struct {
	static bool // members have instance ids, and come back as who they were
	surge  bool // a member goes when another one has come in its place. Not for static ones: no two have the same id
}

func (d deploy) play(g *stage, run int) error {
	g.static = d.static
	names := make([]string, g.settings.Members)
	for i := range names {
		names[i] = fmt.Sprintf("m%d", i+1)
	}
	if d.surge {
		return g.restartAll(names, run, g.replace)
	}
	return g.restartAll(names, run, g.restart)
}

// restartAll starts members and has each of them restarted when the group has settled after the one before.
func (g *stage) restartAll(names []string, run int, restart func(name string) error) error {
	if err := g.start(names...); err != nil {
		return err
	}
	if err := g.ready(run); err != nil {
		return err
	}
	for _, name := range names {
		if err := g.watch(func() error { return restart(name) }); err != nil {
			return fmt.Errorf("restarting %s: %w", name, err)
		}
	}
	return nil
}

// restart has a member go, and come back after some time.
func (g *stage) restart(name string) error {
	if g.static {
		if err := g.drain(name); err != nil {
			return err
		}
	}
	if err := g.stop(name); err != nil {
		return err
	}
	if err := g.sleep(g.settings.rest()); err != nil {
		return err
	}
	return g.start(name + again)
}

// replace has a member go some time after another one has come.
func (g *stage) replace(name string) error {
	next := name + again
	if err := g.start(next); err != nil {
		return err
	}
	if err := g.until(next+" reads", func() bool { return g.journal.reads(next) }); err != nil {
		return err
	}
	if err := g.sleep(g.settings.rest()); err != nil {
		return err
	}
	return g.stop(name)
}

// drain has a member hand over its partitions, if its client can. One that stays in the group while it is away would leave them to
// nobody otherwise.
func (g *stage) drain(name string) error {
	a, err := g.member(name)
	if err != nil || a.drain == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(g.ctx, drainPatience)
	defer cancel()
	if err := a.drain(ctx); err != nil {
		return fmt.Errorf("member %s, draining: %w", name, err)
	}
	return nil
}

// instance is the id that a member keeps through its restart, "" if it is to have none.
func (g *stage) instance(name string) string {
	if !g.static {
		return ""
	}
	return strings.TrimSuffix(name, again)
}
