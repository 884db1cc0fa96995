package main

import (
	"context"
	"fmt"
	"time"
)

// A scenario is what happens to a group in a run.
type scenario struct {
	name, title string
	play        func(g *stage, run int) error
}

// scenarios lists those of one broker.
var scenarios = []scenario{
	{"join", "a third member joins", join},
	{"leave", "one of three members leaves", leave},
	{"slow", "a third member joins, one of the others takes its time to revoke", slow},
	{"rolling", "five members leave and come back, one after the other", rolling},
}

// rest is how long a restarting member is away: a second, unless heartbeats are faster than usual.
func (s settings) rest() time.Duration { return s.heartbeat() / 3 }

func join(g *stage, run int) error {
	if err := g.start("a", "b"); err != nil {
		return err
	}
	if err := g.ready(run); err != nil {
		return err
	}
	return g.watch(func() error { return g.start("c") })
}

func leave(g *stage, run int) error {
	if err := g.start("a", "b", "c"); err != nil {
		return err
	}
	if err := g.ready(run); err != nil {
		return err
	}
	return g.watch(func() error { return g.stop("c") })
}

func slow(g *stage, run int) error {
	if err := g.start("a"); err != nil {
		return err
	}
	if err := g.startSlow("b", g.settings.Slow); err != nil {
		return err
	}
	if err := g.ready(run); err != nil {
		return err
	}
	return g.watch(func() error { return g.start("c") })
}

func rolling(g *stage, run int) error {
	names := []string{"a", "b", "c", "d", "e"}
	if err := g.start(names...); err != nil {
		return err
	}
	if err := g.ready(run); err != nil {
		return err
	}
	for _, name := range names {
		if err := g.watch(func() error {
			if err := g.stop(name); err != nil {
				return err
			}
			if err := g.sleep(g.settings.rest()); err != nil {
				return err
			}
			return g.start(name + "-again")
		}); err != nil {
			return fmt.Errorf("restarting %s: %w", name, err)
		}
	}
	return nil
}

// ready waits until a group has settled, and a little longer.
func (g *stage) ready(run int) error {
	if err := g.settle(); err != nil {
		return fmt.Errorf("before anything has happened: %w", err)
	}
	return g.phase(run)
}

// rehearse runs a scenario once.
func (sc *scenario) rehearse(ctx context.Context, brokers []string, c *client, s settings, run int) (Run, error) {
	g, err := openStage(ctx, brokers, c, commitAuto, s)
	if err != nil {
		return Run{}, err
	}
	defer g.close()
	if err := g.create(nil); err != nil {
		return Run{}, err
	}
	if err := sc.play(g, run); err != nil {
		return Run{}, err
	}
	return g.finish()
}
