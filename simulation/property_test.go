package simulation

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategy"
)

// drawScenario makes up a scenario. Many of its events cannot happen, such as leaving before anybody has joined.
func drawScenario(t *rapid.T) *Scenario {
	topic := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	name := rapid.SampledFrom([]string{"m-1", "m-2", "m-3", "m-4", "x", "m-1~2"})
	pattern := rapid.SampledFrom([]string{"m-1", "m-2", "m-*", "*", "x", "m-?", "*~*"})
	subscription := rapid.OneOf(rapid.Just([]string(nil)), rapid.SliceOfN(topic, 0, 3))
	member := rapid.Custom(func(t *rapid.T) strategy.Member {
		m := strategy.Member{ID: name.Draw(t, "id"), Topics: subscription.Draw(t, "topics"), Generation: strategy.NoGeneration}
		if rapid.Bool().Draw(t, "static") {
			m.InstanceID = "i-" + m.ID
		}
		m.Draining = rapid.IntRange(0, 5).Draw(t, "draining") == 0
		if rapid.IntRange(0, 3).Draw(t, "claims") == 0 {
			m.Generation = int32(rapid.IntRange(0, 2).Draw(t, "generation"))
			m.Owned = []strategy.TopicPartitions{{Topic: topic.Draw(t, "topic"), Partitions: []int32{0, int32(rapid.IntRange(1, 9).Draw(t, "partition"))}}}
		}
		return m
	})
	topics := rapid.Custom(func(t *rapid.T) strategy.Topic {
		return strategy.Topic{Name: topic.Draw(t, "name"), Partitions: int32(rapid.IntRange(0, 6).Draw(t, "partitions"))}
	})
	event := rapid.Custom(func(t *rapid.T) Event {
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0:
			return Join{Members: rapid.SliceOfN(member, 0, 2).Draw(t, "members"), Count: rapid.IntRange(0, 2).Draw(t, "count")}
		case 1:
			return Leave{Members: []string{pattern.Draw(t, "who")}}
		case 2:
			return Deploy{Members: []string{pattern.Draw(t, "who")}, Surge: rapid.IntRange(0, 2).Draw(t, "surge"), MaxUnavailable: rapid.IntRange(0, 2).Draw(t, "unavailable")}
		case 3:
			return Restart{Members: []string{pattern.Draw(t, "who")}}
		case 4:
			return Grow{Topics: map[string]int32{topic.Draw(t, "topic"): int32(rapid.IntRange(1, 9).Draw(t, "to"))}}
		case 5:
			return Create{Topics: []strategy.Topic{topics.Draw(t, "topic")}}
		case 6:
			return Delete{Topics: []string{topic.Draw(t, "topic")}}
		case 7:
			n := Numbers{All: rapid.SliceOfN(rapid.Float64Range(0, 9), 0, 4).Draw(t, "all")}
			if rapid.Bool().Draw(t, "some") {
				n = Numbers{Some: map[int32]float64{int32(rapid.IntRange(0, 4).Draw(t, "partition")): 3}}
			}
			return Measure{map[string]Measured{topic.Draw(t, "topic"): {Weights: n, Signals: map[string]Numbers{"lag": n}}}}
		}
		capacity := int32(rapid.IntRange(0, 2).Draw(t, "capacity"))
		return Set{Members: []string{pattern.Draw(t, "who")}, Capacity: &capacity, Topics: subscription.Draw(t, "topics")}
	})
	s := &Scenario{Group: strategy.Group{
		Topics:  rapid.SliceOfNDistinct(topics, 1, 3, func(t strategy.Topic) string { return t.Name }).Draw(t, "topics"),
		Members: rapid.SliceOfNDistinct(member, 0, 4, func(m strategy.Member) string { return m.ID }).Draw(t, "members"),
	}}
	// Events that cannot happen are left out one by one, so that the others still do.
	for _, e := range rapid.SliceOfN(event, 0, 8).Draw(t, "events") {
		s.Events = append(s.Events, e)
		if s.Check() != nil {
			s.Events = s.Events[:len(s.Events)-1]
		}
	}
	return s
}

// TestProperties: whatever happens, each step follows from the one before it, and its moves are just the difference.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		for _, spec := range specs(testStrategies) {
			r, err := Run(context.Background(), s, spec, testStrategies[spec])
			if err != nil {
				var e *EventError
				if errors.As(err, &e) && e.Event == 0 {
					t.Skip(err)
				}
				t.Fatalf("%s: %v", spec, err)
			}
			steps, _, err := s.rehearse()
			if err != nil || steps != len(r.Steps) {
				t.Fatalf("%d steps, foretold %d (%v)", len(r.Steps), steps, err)
			}
			for i := range r.Steps {
				var before *Step
				if i > 0 {
					before = &r.Steps[i-1]
				}
				if err := follows(before, &r.Steps[i]); err != nil {
					t.Fatalf("%s: step %d (%s): %v", spec, i, r.Steps[i].Event, err)
				}
			}
		}
	})
}

// holding says who has what.
type holding = map[strategy.TopicPartition]string

// holders lists who has what in an assignment.
func holders(a *strategy.Assignment) holding {
	out := holding{}
	for id, list := range a.Members {
		for _, tp := range list {
			for _, p := range tp.Partitions {
				out[strategy.TopicPartition{Topic: tp.Topic, Partition: p}] = id
			}
		}
	}
	return out
}

// follows checks a step against the one before it.
func follows(before, step *Step) error {
	after := holders(&step.Assignment)
	reads := map[string]map[string]bool{}
	for _, m := range step.Group.Members {
		reads[m.ID] = map[string]bool{}
		for _, topic := range m.Topics {
			reads[m.ID][topic] = true
		}
	}
	if len(step.Assignment.Members) != len(reads) {
		return fmt.Errorf("%d of %d members have an entry", len(step.Assignment.Members), len(reads))
	}
	forced, voluntary := 0, 0
	moved := map[strategy.TopicPartition]Move{}
	last := strategy.TopicPartition{}
	for i, m := range step.Moved {
		p := strategy.TopicPartition{Topic: m.Topic, Partition: m.Partition}
		if i > 0 && last.Compare(p) >= 0 {
			return fmt.Errorf("%v stands after %v", p, last)
		}
		last, moved[p] = p, m
		stays := reads[m.From] != nil && reads[m.From][m.Topic]
		switch {
		case m.From == m.To || m.From == "":
			return fmt.Errorf("%v moves from %q to %q", p, m.From, m.To)
		case m.To != after[p]:
			return fmt.Errorf("%v moves to %q, but %q has it", p, m.To, after[p])
		case stays != (m.Kind == MoveVoluntary):
			return fmt.Errorf("%v of %s is %v", p, m.From, m.Kind)
		}
		if m.Kind == MoveForced {
			forced++
		} else {
			voluntary++
		}
	}
	x := step.Metrics
	if x.Voluntary != voluntary || x.Forced != forced {
		return fmt.Errorf("metrics count %d and %d moves, not %d and %d", x.Voluntary, x.Forced, voluntary, forced)
	}
	total, placed := 0, 0
	owned := holding{}
	if before != nil {
		owned = holders(&before.Assignment)
		for _, m := range step.Group.Members {
			if _, was := before.Assignment.Members[m.ID]; !was && len(m.Owned) > 0 {
				before = nil // who joins with claims may have any partition
				break
			}
		}
	}
	for _, topic := range step.Group.Topics {
		for p := range topic.Partitions {
			tp := strategy.TopicPartition{Topic: topic.Name, Partition: p}
			if after[tp] != "" {
				total++
			}
			if before == nil {
				continue
			}
			_, moves := moved[tp]
			switch was := owned[tp]; {
			case was == "" && after[tp] != "" && !moves:
				placed++
			case was != "" && moves == (was == after[tp]):
				return fmt.Errorf("%v went from %q to %q, moved: %v", tp, was, after[tp], moves)
			}
		}
	}
	switch {
	case total != len(after):
		return fmt.Errorf("partitions are assigned that there are not")
	case before != nil && placed != x.Placed:
		return fmt.Errorf("metrics count %d placed, not %d", x.Placed, placed)
	case step.Rounds < 0 || step.Rounds > MaxRounds:
		return fmt.Errorf("%d rounds", step.Rounds)
	case step.Rounds < 2 && step.WithheldFirst > 0:
		return fmt.Errorf("%d withheld and %d rounds", step.WithheldFirst, step.Rounds)
	}
	if before != nil { // members own just what they were given
		for _, m := range step.Group.Members {
			if given, ok := before.Assignment.Members[m.ID]; ok && !equalLists(given, m.Owned) {
				return fmt.Errorf("%s owns %v, and was given %v", m.ID, m.Owned, given)
			}
		}
	}
	return nil
}
