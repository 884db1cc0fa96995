package standard_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// TestExplanations holds explanations of random groups against what Measure says of the answer, and against what the assignors promise:
// where sticky is asked, no partition could be moved by itself so that loads would be more even.
func TestExplanations(t *testing.T) {
	byRack, err := rules.New(rules.Config{Name: "by-rack", Eligible: `member.rack != "x" || partition.number > 1`, Weight: "partition.number + 0.5", Limit: "6"})
	if err != nil {
		t.Fatal(err)
	}
	assignors := []strategy.Assignor{byRack, strategy.Cooperative(byRack)}
	for _, spec := range []string{"sticky", "sticky?cooperative", "range", "range-even", "roundrobin?cooperative"} {
		a, err := strategy.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		assignors = append(assignors, a)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := drawGroup(t)
		a := rapid.SampledFrom(assignors).Draw(t, "assignor")
		answer, err := a.Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Topics {
			for p := range g.Topics[i].Partitions {
				checkExplanation(t, a, g, &answer, strategy.TopicPartition{Topic: g.Topics[i].Name, Partition: p})
			}
		}
	})
}

func checkExplanation(t *rapid.T, a strategy.Assignor, g *strategy.Group, answer *strategy.Assignment, of strategy.TopicPartition) {
	e, err := strategy.Explain(t.Context(), a, g, answer, of)
	if err != nil {
		t.Fatal(err)
	}
	again, err := strategy.Explain(t.Context(), a, g, answer, of)
	if err != nil || fmt.Sprint(again.Why, again.Notes) != fmt.Sprint(e.Why, e.Notes) {
		t.Fatalf("%v: explained in two ways:\n%s\n%s", of, e.Why, again.Why)
	}
	d, err := strategy.Derive(g, answer, of, strategy.Terms{})
	if err != nil {
		t.Fatal(err)
	}
	if !answer.Withholds() {
		checkMeasure(t, g, answer, &d)
	}
	holder := e.Holder()
	for i := range e.Members {
		c := &e.Members[i]
		if c.Effect == "" {
			continue
		}
		if c.Barred != "" {
			t.Errorf("%v: %s is barred by %s, and a move to it would be %s", of, c.Member, c.Barred, c.Effect)
		}
		if now, then := holder.Load+c.Load, holder.LoadThen+c.LoadThen; math.Abs(now-then) > 1e-9*math.Max(1, now) {
			t.Errorf("%v: %s and %s have %v together, and would have %v", of, holder.Member, c.Member, now, then)
		}
		if e.Assignor == "sticky" && answer.Stopped == "" && c.Effect == strategy.EffectBetter {
			t.Errorf("%v: sticky leaves it with %s, though loads would be more even with %s: %s", of, holder.Member, c.Member, c.Says)
		}
	}
	if e.Assignor == "sticky" && e.Fate == strategy.FateKept && e.Decided == strategy.ObjectiveUnknown {
		t.Errorf("%v: %s", of, e.Why)
	}
	if e.Fate == strategy.FateUnassigned && e.Reason == "" && e.Decided != strategy.ObjectiveSubscription {
		t.Errorf("%v: nobody has it, by %s", of, e.Decided)
	}
}

// checkMeasure compares loads with what Measure makes of them.
func checkMeasure(t *rapid.T, g *strategy.Group, answer *strategy.Assignment, e *strategy.Explanation) {
	m, err := strategy.Measure(g, answer)
	if err != nil {
		t.Fatal(err)
	}
	most, least := math.Inf(-1), math.Inf(1)
	for i := range e.Members {
		if c := &e.Members[i]; !c.Draining {
			most, least = max(most, c.Ratio), min(least, c.Ratio)
		}
	}
	if !math.IsInf(most, 0) && (most != m.Max || least != m.Min) {
		t.Fatalf("loads from %v to %v; they are measured as %v to %v", least, most, m.Min, m.Max)
	}
}

func drawGroup(t *rapid.T) *strategy.Group {
	g := &strategy.Group{Name: "g"}
	var names []string
	for i := range rapid.IntRange(1, 3).Draw(t, "topics") {
		topic := strategy.Topic{Name: string(rune('t' + i)), Partitions: int32(rapid.IntRange(1, 6).Draw(t, "partitions"))}
		if rapid.Bool().Draw(t, "weighted") {
			for range topic.Partitions {
				topic.Weights = append(topic.Weights, float64(rapid.IntRange(0, 9).Draw(t, "weight")))
			}
		}
		g.Topics, names = append(g.Topics, topic), append(names, topic.Name)
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "members") {
		m := strategy.Member{ID: fmt.Sprintf("m%d", i), Generation: int32(rapid.IntRange(1, 2).Draw(t, "generation"))}
		m.Rack = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "rack")
		m.Capacity, m.Draining = int32(rapid.IntRange(0, 3).Draw(t, "capacity")), rapid.IntRange(0, 5).Draw(t, "draining") == 0
		for n := range names {
			if rapid.IntRange(0, 3).Draw(t, "reads") > 0 {
				m.Topics = append(m.Topics, names[n])
			}
			var owned []int32
			for p := range g.Topics[n].Partitions {
				if rapid.IntRange(0, 3).Draw(t, "owns") == 0 {
					owned = append(owned, p)
				}
			}
			if len(owned) > 0 {
				m.Owned = append(m.Owned, strategy.TopicPartitions{Topic: names[n], Partitions: owned})
			}
		}
		g.Members = append(g.Members, m)
	}
	return g
}
