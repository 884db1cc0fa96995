package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// pairTime is what a rule may take for a member and a partition where it has to be evaluated for each pair.
const pairTime = 200 * time.Nanosecond

// A ruleTarget is a rule, and for which part of the pairs of members and partitions it has to be evaluated.
type ruleTarget struct {
	looksAt string
	config  rules.Config
	pairs   bool // it is evaluated for each pair
}

var ruleTargets = []ruleTarget{
	{"member.id, partition.number", rules.Config{Eligible: `member.id != "m007" || partition.number > 3`}, true},
	{"a label, partition.number", rules.Config{Eligible: `member.labels.tier == "gold" || partition.number % 10 != 0`}, false},
	{"a label, partition.topic", rules.Config{Eligible: `member.labels.tier == "gold" || partition.topic != "topic-03"`}, false},
	{"racks", rules.Config{Prefer: `member.rack in partition.racks ? 1 : 0`}, false},
	{"partition.lag", rules.Config{Weight: `partition.lag + 1`}, false},
}

// evaluateRules prints a row for each rule: the time of a whole assignment over the pairs of its group, solving included.
func evaluateRules(ctx context.Context, w io.Writer) (missed int, err error) {
	g := ruled()
	partitions := len(g.Topics) * int(g.Topics[0].Partitions)
	pairs := partitions * len(g.Members)
	fmt.Fprintf(w, "| rule, with %d partitions × %d members | to reach | median | a pair | of the bound | reached |\n|---|---|---|---|---|---|\n", partitions, len(g.Members))
	for i := range ruleTargets {
		x := &ruleTargets[i]
		x.config.Name = "measured"
		a, err := rules.New(x.config)
		if err != nil {
			return missed, err
		}
		const calls = 7
		var times []time.Duration
		for range calls {
			took, err := timed(ctx, a, g)
			if err != nil {
				return missed, err
			}
			times = append(times, took)
		}
		slices.Sort(times)
		took := times[calls/2]
		pair := took / time.Duration(pairs)
		want, of, answer := "–", "–", "–"
		if x.pairs {
			reached := pair <= pairTime
			if !reached {
				missed++
			}
			want, of, answer = fmt.Sprintf("≤ %v a pair", pairTime), fmt.Sprintf("%.2f", float64(pair)/float64(pairTime)), yes(reached)
		}
		fmt.Fprintf(w, "| %s looks at %s | %s | %.1f ms | %.1f ns | %s | %s |\n", x.rule(), x.looksAt, want, ms(took),
			float64(took.Nanoseconds())/float64(pairs), of, answer)
	}
	return missed, nil
}

func (x *ruleTarget) rule() string {
	switch {
	case x.config.Weight != "":
		return "weight"
	case x.config.Prefer != "":
		return "prefer"
	}
	return "eligible"
}

// ruled is a group with all that rules may look at.
func ruled() *strategy.Group {
	g := &strategy.Group{Name: "bench"}
	var names []string
	rack := func(i int) string { return string(rune('a' + i%3)) }
	for i := range 20 {
		t := strategy.Topic{Name: fmt.Sprintf("topic-%02d", i), Partitions: 500}
		for p := range int(t.Partitions) {
			t.Weights = append(t.Weights, float64(1+p*p%97))
			t.Racks = append(t.Racks, []string{rack(p), rack(p + 1)})
		}
		names = append(names, t.Name)
		g.Topics = append(g.Topics, t)
	}
	for i := range 500 {
		g.Members = append(g.Members, strategy.Member{
			ID: fmt.Sprintf("m%03d", i), Topics: names, Rack: rack(i),
			Labels: map[string]string{"tier": []string{"gold", "silver"}[i%2], "pod": strconv.Itoa(i)},
		})
	}
	return g
}
