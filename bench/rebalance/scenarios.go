package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A scenario is what happens to a group in a run.
type scenario struct {
	name, title string
	play        func(g *stage, run int) error
	targets     []target // of ours

	ours, others effort // others without runs: the scenario is for ours only
	without      string // a client that it is not for
	deploy       bool   // it has the settings of deploys
	beside       bool   // members of another library take part
	apart        string // heads the column of partitions that come from members set apart: "from ..."
}

// An effort is how often a scenario runs with each client unless told otherwise, and about how long a run takes then.
type effort struct {
	runs  int
	takes time.Duration
}

// scenarios lists those that need no certain number of brokers.
var scenarios = []scenario{
	{
		name: "join", title: "a third member joins", play: join,
		targets: []target{staysFlow, movesFlow, allOnce},
		ours:    effort{10, 13 * time.Second}, others: effort{3, 17 * time.Second},
	},
	{
		name: "leave", title: "one of three members leaves", play: leave,
		targets: []target{staysFlow, movesFlow, allOnce},
		ours:    effort{10, 13 * time.Second}, others: effort{2, 16 * time.Second},
	},
	{
		name: "slow", title: "a third member joins, one of the others takes its time to revoke", play: slow,
		targets: []target{staysFlow, movesFlow, slowInTime, allOnce},
		ours:    effort{5, 18 * time.Second}, others: effort{2, 22 * time.Second},
		apart: "from the slow one",
	},
	{
		name: "rolling", title: "five members leave and come back, one after the other", play: rolling,
		targets: []target{staysFlow, allOnce},
		ours:    effort{1, 50 * time.Second}, others: effort{1, 60 * time.Second},
	},
	{
		name: "beside", title: "a member joins one of its kind, which leads, and two of Java's", play: beside,
		targets: []target{besideFlow, allOnce},
		ours:    effort{6, 20 * time.Second},
		beside:  true, apart: "from Java",
	},
	{
		name: "deploy", title: "all members are restarted, one after the other", play: deploy{}.play,
		targets: []target{deploysFlow, allOnce},
		ours:    effort{1, 80 * time.Second}, others: effort{1, 120 * time.Second}, without: "sarama/sticky",
		deploy: true,
	},
	{
		name: "deploy-static", title: "all members are restarted, one after the other, with instance ids", play: deploy{static: true}.play,
		targets: []target{deploysFlow, allOnce},
		ours:    effort{1, 80 * time.Second}, others: effort{1, 70 * time.Second}, without: "sarama/sticky",
		deploy: true,
	},
	{
		name: "deploy-surge", title: "all members are replaced, each when its successor reads", play: deploy{surge: true}.play,
		targets: []target{deploysFlow, allOnce},
		ours:    effort{1, 80 * time.Second}, others: effort{1, 120 * time.Second}, without: "sarama/sticky",
		deploy: true,
	},
}

// fits reports whether a scenario is for a client.
func (sc *scenario) fits(client string) bool {
	return client != sc.without && (client == ours || sc.others.runs > 0)
}

// effortFor is that for a client.
func (sc *scenario) effortFor(client string) effort {
	if client == ours {
		return sc.ours
	}
	return sc.others
}

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
	g.roles.apart = []string{"b"}
	if err := g.start("a"); err != nil {
		return err
	}
	if err := g.launch(g.client, &member{name: "b", commits: g.commits, revokes: g.settings.Slow}); err != nil {
		return err
	}
	if err := g.ready(run); err != nil {
		return err
	}
	return g.watch(func() error { return g.start("c") })
}

// beside has the first member lead, as the first one of a group does. The other library commits what it has processed when it revokes, so
// that its members repeat nothing either.
func beside(g *stage, run int) error {
	if err := g.start("a"); err != nil {
		return err
	}
	if err := g.settle(); err != nil {
		return err
	}
	g.roles.apart = []string{"b", "c"}
	for _, name := range g.roles.apart {
		if err := g.launch(g.other, &member{name: name, commits: commitAsync}); err != nil {
			return err
		}
	}
	if err := g.ready(run); err != nil {
		return err
	}
	if err := g.watch(func() error { return g.start("d") }); err != nil {
		return err
	}
	if leader := g.journal.leader(); leader != "a" {
		return fmt.Errorf("the group was not led by its first member, which is ours, but by %q", leader)
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

// rehearse runs a scenario once. The other client is for scenarios in which two take part.
func (sc *scenario) rehearse(ctx context.Context, brokers []string, c, other *client, s settings, run int) (Run, error) {
	if sc.beside && other == nil {
		return Run{}, errors.New("there is no client to play beside this one")
	}
	g, err := openStage(ctx, brokers, c, commitAuto, s)
	if err != nil {
		return Run{}, err
	}
	defer g.close()
	g.other = other
	if err := g.create(nil); err != nil {
		return Run{}, err
	}
	if err := sc.play(g, run); err != nil {
		return Run{}, err
	}
	return g.finish()
}
