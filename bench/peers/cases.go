package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A Case is a group in a phase. What its members own before, in all phases but "fresh" and "arbitrary", is the fresh answer of our
// sticky, whoever is asked: all peers are given the same group.
type Case struct {
	Shape bench.Shape `json:"shape"`
	Phase string      `json:"phase"`
}

// String names the case, as in equal/topics=100/partitions=10000/members=100/step=join.
func (c Case) String() string { return c.Shape.String() + "/step=" + c.Phase }

// Group makes the group, the same in every process.
func (c Case) Group(ctx context.Context) (*strategy.Group, error) {
	return c.Shape.Group(ctx, c.Phase, sticky.Assignor{})
}

// The cases that speed is promised on.
var (
	large      = Case{bench.Shape{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal}, "join"}
	halfJoin   = Case{bench.Shape{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Half}, "join"}
	nestedMany = Case{bench.Shape{Topics: 1000, Partitions: 50, Members: 500, Subscriptions: bench.Nested}, "fresh"}
)

// cases are those of a full run, what is promised first.
func cases() []Case {
	list := []Case{large, halfJoin, nestedMany}
	list = append(list, each(bench.Shape{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Equal}, "fresh", "join", "arbitrary")...)
	list = append(list, each(bench.Shape{Topics: 1000, Partitions: 100, Members: 500, Subscriptions: bench.Equal}, "fresh", "join")...)
	list = append(list, each(bench.Shape{Topics: 1, Partitions: 10000, Members: 1000, Subscriptions: bench.Equal}, "fresh")...)
	list = append(list, each(halfJoin.Shape, "fresh", "arbitrary")...)
	list = append(list, each(bench.Shape{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Nested}, "fresh", "arbitrary")...)
	return append(list, each(bench.Shape{Topics: 500, Partitions: 20, Members: 200, Subscriptions: bench.Nested}, "fresh")...)
}

// gridCases are the groups of bench.Grid in each of the phases that its workloads go through. Of those that differ in size only, smaller ones
// come first.
func gridCases() []Case {
	var list []Case
	for _, s := range bench.Grid() {
		list = append(list, each(s, bench.Phases[:len(bench.Phases)-1]...)...)
	}
	return list
}

// smaller says whether c is another group of the kind of other, and larger than it in nothing.
func (c Case) smaller(other Case) bool {
	a, b := c.Shape, other.Shape
	fits := a.Topics <= b.Topics && a.Topics*a.Partitions <= b.Topics*b.Partitions && a.Members <= b.Members
	a.Topics, a.Partitions, a.Members = b.Topics, b.Partitions, b.Members
	return fits && c != other && a == b && c.Phase == other.Phase
}

// quickCases are those of a quick run.
func quickCases() []Case {
	list := each(bench.Shape{Topics: 20, Partitions: 10, Members: 15, Subscriptions: bench.Equal}, "fresh", "join")
	list = append(list, each(bench.Shape{Topics: 12, Partitions: 10, Members: 10, Subscriptions: bench.Half}, "join", "arbitrary")...)
	return append(list, each(bench.Shape{Topics: 12, Partitions: 8, Members: 8, Subscriptions: bench.Nested}, "fresh")...)
}

func each(s bench.Shape, phases ...string) []Case {
	list := make([]Case, len(phases))
	for i, phase := range phases {
		list[i] = Case{s, phase}
	}
	return list
}

// A selection is a list of cases that a run may be about.
type selection func() []Case

// match returns the cases whose name matches.
func (s selection) match(match *regexp.Regexp) []Case {
	list := s()
	selected := list[:0]
	for _, c := range list {
		if match.MatchString(c.String()) {
			selected = append(selected, c)
		}
	}
	return selected
}

// names lists names for a message.
func names[T fmt.Stringer](list []T) string {
	var b strings.Builder
	for _, x := range list {
		fmt.Fprintf(&b, "  %s\n", x)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
