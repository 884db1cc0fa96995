package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategy"
)

var tiny = Case{bench.Shape{Topics: 2, Partitions: 6, Members: 3, Subscriptions: bench.Equal}, "join"}

// brokenPeers are wrong in one way each, named for it.
func brokenPeers() []Peer {
	peer := func(name string, cooperative bool, answer func(g *strategy.Group) (plan, error)) Peer {
		return Peer{
			Library: "broken", Assignor: name, Cooperative: cooperative,
			Prepare: func(_ context.Context, g *strategy.Group) (Call, error) {
				return func(context.Context) (plan, time.Duration, error) {
					p, err := answer(g)
					return p, time.Microsecond, err
				}, nil
			},
		}
	}
	var kept [][]byte
	return []Peer{
		peer("hangs", false, func(*strategy.Group) (plan, error) { select {} }),
		peer("spins", false, func(*strategy.Group) (plan, error) {
			for { //nolint:staticcheck // does not end, and never asks whether it should
			}
		}),
		peer("eats", false, func(*strategy.Group) (plan, error) {
			for {
				b := make([]byte, 4<<20)
				for i := range b {
					b[i] = 1
				}
				kept = append(kept, b)
			}
		}),
		peer("panics", false, func(*strategy.Group) (plan, error) { panic("no members today") }),
		peer("crashes", false, func(*strategy.Group) (plan, error) {
			go func() { panic("elsewhere") }()
			select {}
		}),
		peer("fails", false, func(*strategy.Group) (plan, error) { return nil, errors.New("cannot do it") }),
		peer("forgets", false, func(*strategy.Group) (plan, error) { return plan{}, nil }),
		peer("doubles", false, func(g *strategy.Group) (plan, error) {
			p := plan{}
			for _, m := range g.Members {
				p[m.ID] = map[string][]int32{}
				for _, t := range g.Topics {
					for n := range t.Partitions {
						p[m.ID][t.Name] = append(p[m.ID][t.Name], n)
					}
				}
			}
			return p, nil
		}),
		peer("grabs", true, func(g *strategy.Group) (plan, error) { // everything to one, without a round to give it up
			p := plan{g.Members[0].ID: {}}
			for _, t := range g.Topics {
				for n := range t.Partitions {
					p[g.Members[0].ID][t.Name] = append(p[g.Members[0].ID][t.Name], n)
				}
			}
			return p, nil
		}),
		peer("withholds", true, withhold),
	}
}

// withhold has every other partition given up, the others in the next round, and so on.
func withhold(g *strategy.Group) (plan, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return nil, err
	}
	p := plan{}
	first := !slices.ContainsFunc(t.Keepers(), func(o int32) bool { return o < 0 })
	for i := range t.Len() {
		id := t.Group.Members[0].ID
		switch o := t.Owner(i); {
		case first && i%2 == 0:
			id = t.Group.Members[o].ID
		case o != strategy.NoOwner:
			continue
		}
		name := t.Name(i)
		if p[id] == nil {
			p[id] = map[string][]int32{}
		}
		p[id][name.Topic] = append(p[id][name.Topic], name.Partition)
	}
	return p, nil
}

func TestBrokenPeersAreReported(t *testing.T) {
	want := map[string]struct {
		status Status
		says   string
	}{
		"hangs":     {Late, "no answer in"},
		"spins":     {Late, "no answer in"},
		"eats":      {Memory, "more than 150 MB"},
		"panics":    {Panicked, "no members today"},
		"crashes":   {Panicked, "panic: elsewhere"},
		"fails":     {Failed, "cannot do it"},
		"forgets":   {Invalid, "invalid assignment (12 violations); complete: topic-00000-0: nobody gets it"},
		"doubles":   {Invalid, "once: topic-00000-0"},
		"grabs":     {Invalid, "owned: topic-0000"},
		"withholds": {Unending, "6 partitions are still withheld after 5 rounds"},
	}
	for _, p := range brokenPeers() {
		t.Run(p.Assignor, func(t *testing.T) {
			t.Parallel()
			l := limits{Time: time.Minute, Calls: 2, Megabytes: 150}
			if want[p.Assignor].status == Late {
				l.Time = 200 * time.Millisecond
			}
			r, err := isolate(t.Context(), &p, tiny, l)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != want[p.Assignor].status || !strings.Contains(r.Detail, want[p.Assignor].says) || r.String() != p.String() {
				t.Errorf("got %+v, want %v", r, want[p.Assignor])
			}
			our := Result{Library: ours, Assignor: "sticky", Status: Valid, Calls: 1, Took: time.Microsecond}
			if row := (&markdownPrinter{limits: l}).row(&r, &our); !strings.Contains(row, "**"+string(r.Status)+"**: ") {
				t.Errorf("the row does not say so: %s", row)
			}
		})
	}
}

// A run that is interrupted ends its child and reports nothing about the peer.
func TestInterrupted(t *testing.T) {
	p := brokenPeers()[0]
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := isolate(ctx, &p, tiny, limits{Time: time.Minute, Calls: 1, Megabytes: 150}); err == nil {
		t.Error("no error")
	}
}
