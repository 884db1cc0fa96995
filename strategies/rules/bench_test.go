package rules_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// benchGroup is 20 topics of 500 partitions and 500 members, with labels, racks and weights.
func benchGroup(b *testing.B) *strategy.Table {
	b.Helper()
	const topics, partitions, members = 20, 500, 500
	g := &strategy.Group{Name: "g"}
	var names []string
	for i := range topics {
		t := strategy.Topic{Name: fmt.Sprintf("signals.logs.tenant%02d", i), Partitions: partitions}
		for p := range partitions {
			t.Weights = append(t.Weights, float64(1+p*p%97))
			t.Racks = append(t.Racks, []string{string(rune('a' + p%3)), string(rune('a' + (p+1)%3))})
		}
		names = append(names, t.Name)
		g.Topics = append(g.Topics, t)
	}
	for i := range members {
		g.Members = append(g.Members, strategy.Member{
			ID: fmt.Sprintf("m%03d", i), Topics: names, Rack: string(rune('a' + i%3)),
			Labels: map[string]string{"tier": []string{"gold", "silver"}[i%2], "cpu": strconv.Itoa(2 + i%7), "pod": strconv.Itoa(i)},
		})
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// What rules cost, without solving: for each pair of a member and a partition.
func BenchmarkEvaluate(b *testing.B) {
	t := benchGroup(b)
	for _, c := range []struct {
		name   string
		config rules.Config
	}{
		{"sees=topic", rules.Config{Eligible: `member.labels.tier == "gold" || partition.topic != "signals.logs.tenant03"`}},
		{"sees=racks", rules.Config{Eligible: `member.rack in partition.racks`}},
		{"sees=number", rules.Config{Eligible: `member.labels.tier == "gold" || partition.number % 10 != 0`}},
		{"sees=all", rules.Config{Eligible: `member.id != "m007" || partition.number > 3`}},
		{"sees=prefer", rules.Config{Prefer: `member.rack in partition.racks ? 1 : 0`}},
		{"sees=no-member", rules.Config{Weight: `partition.lag + 1`, Together: `partition.number`}},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := mustNew(b, c.config)
			for b.Loop() {
				if err := rules.Evaluate(b.Context(), a, t); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(t.Len()*len(t.Group.Members)), "ns/pair")
		})
	}
}

// A whole assignment by rules, the group's first.
func BenchmarkAssign(b *testing.B) {
	g := benchGroup(b).Group
	a := mustNew(b, rules.Config{
		Eligible: `member.labels.tier == "gold" || partition.topic != "signals.logs.tenant03"`, Weight: `partition.lag + 1`, Capacity: `number(member.labels, "cpu", 1)`,
	})
	for b.Loop() {
		if _, err := a.Assign(b.Context(), g); err != nil {
			b.Fatal(err)
		}
	}
}
