package rules_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// promises is what must hold after every step of a recipe's scenario and its assertions cannot say.
var promises = map[string]func(*view) bool{
	"standby": func(v *view) bool {
		members := v.step.Group.Members
		young := !slices.ContainsFunc(members, func(m strategy.Member) bool { return m.Uptime >= 10*time.Minute })
		serves := func(m strategy.Member) bool {
			return m.Labels["site"] == "first" && (m.Uptime >= 10*time.Minute || young)
		}
		first := slices.ContainsFunc(members, serves)
		return v.each(func(_ string, _ int, m *strategy.Member) bool {
			return m != nil && serves(*m) == first && (first || m.Labels["site"] != "first")
		})
	},
	"active": func(v *view) bool {
		counts := map[string]int{}
		v.each(func(topic string, p int, m *strategy.Member) bool {
			if v.topic(topic).Signals[strategy.SignalActive][p] != 0 {
				counts[m.ID]++
			}
			return true
		})
		most, fewest := 0, math.MaxInt
		for _, m := range v.step.Group.Members {
			most, fewest = max(most, counts[m.ID]), min(fewest, counts[m.ID])
		}
		return most-fewest <= 1 && (!strings.HasPrefix(v.step.Event, "measure") || len(v.step.Moved) <= 1)
	},
}

// Every recipe keeps its promise and its scenario's assertions, in one round and in cooperative ones.
func TestPromises(t *testing.T) {
	for _, name := range recipes(t) {
		for _, wrap := range []func(strategy.Assignor) strategy.Assignor{strategy.Cooperative, func(a strategy.Assignor) strategy.Assignor { return a }} {
			s, result := run(t, name, wrap)
			keeps := promises[name]
			for i := range result.Steps {
				if keeps != nil && !keeps(&view{&result.Steps[i]}) {
					t.Errorf("%s, after %s:\n%s", name, result.Steps[i].Event, render(result))
				}
			}
			if len(s.Assertions) == 0 && keeps == nil {
				t.Errorf("%s: nothing says what it is to reach", name)
			}
			failures, err := simulation.Assert(t.Context(), result, s.Assertions)
			if err != nil {
				t.Error(err)
			}
			for _, f := range failures {
				t.Errorf("%s: %v\n%s", name, &f, render(result))
			}
		}
	}
}

// A view asks about one step.
type view struct{ step *simulation.Step }

func (v *view) topic(name string) *strategy.Topic {
	return &v.step.Group.Topics[slices.IndexFunc(v.step.Group.Topics, func(t strategy.Topic) bool { return t.Name == name })]
}

// owner is who has a partition, nil for nobody.
func (v *view) owner(topic string, partition int) *strategy.Member {
	for i := range v.step.Group.Members {
		for _, tp := range v.step.Assignment.Members[v.step.Group.Members[i].ID] {
			if tp.Topic == topic && slices.Contains(tp.Partitions, int32(partition)) {
				return &v.step.Group.Members[i]
			}
		}
	}
	return nil
}

// each asks about all partitions and their owners.
func (v *view) each(holds func(topic string, partition int, owner *strategy.Member) bool) bool {
	for _, t := range v.step.Group.Topics {
		for p := range int(t.Partitions) {
			if !holds(t.Name, p, v.owner(t.Name, p)) {
				return false
			}
		}
	}
	return true
}
