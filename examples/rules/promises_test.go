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

// promises is what must hold after every step of a recipe's scenario, however the solver breaks ties.
var promises = map[string]func(*view) bool{
	"lag":      func(v *view) bool { return v.heaviest() <= 9000 },
	"weighted": func(v *view) bool { return v.heaviest() <= 1.15*max(v.all()/float64(len(v.step.Group.Members)), 500) },
	"pinned": func(v *view) bool {
		return v.each(func(topic string, p int, m *strategy.Member) bool {
			return topic != "ledger" || p < 4 && (m == nil || m.InstanceID == []string{"ledger-a", "ledger-b"}[p/2]) || p == 4 && m == nil
		})
	},
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
	"zone": func(v *view) bool {
		return v.each(func(topic string, p int, m *strategy.Member) bool {
			return topic != "orders" || slices.Contains(v.topic(topic).Racks[p], m.Rack)
		})
	},
	"tenants": func(v *view) bool {
		noisy := map[string]int{}
		v.each(func(topic string, _ int, m *strategy.Member) bool {
			if topic == "signals.logs.noisy" || topic == "signals.traces.noisy" {
				noisy[m.ID]++
			}
			return true
		})
		for _, n := range noisy {
			if n != 2 {
				return false
			}
		}
		return len(noisy) == 4
	},
	"joined": func(v *view) bool {
		return v.each(func(_ string, p int, m *strategy.Member) bool {
			return v.owner("orders", p) == m && v.owner("payments", p) == m
		})
	},
	"cpu": func(v *view) bool {
		large := v.step.Assignment.Count("large")
		return large == 14 || large == 16
	},
	"single": func(v *view) bool {
		return !slices.ContainsFunc(v.step.Group.Members, func(m strategy.Member) bool { return v.step.Assignment.Count(m.ID) > 1 })
	},
	"drain": func(v *view) bool {
		return v.each(func(topic string, _ int, m *strategy.Member) bool { return topic == "special" || m.Rack != "b" })
	},
	"canary": func(v *view) bool {
		there := slices.ContainsFunc(v.step.Group.Members, func(m strategy.Member) bool { return m.ID == "new" })
		return !there || v.step.Assignment.Count("new") == 5
	},
}

// Every recipe keeps its promise, in one round and in cooperative ones.
func TestPromises(t *testing.T) {
	for name, keeps := range promises {
		for _, wrap := range []func(strategy.Assignor) strategy.Assignor{strategy.Cooperative, func(a strategy.Assignor) strategy.Assignor { return a }} {
			result := run(t, name, wrap)
			for i := range result.Steps {
				if !keeps(&view{&result.Steps[i]}) {
					t.Errorf("%s, after %s:\n%s", name, result.Steps[i].Event, render(result))
				}
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

// heaviest is the largest weight that a member has, all that of all members together.
func (v *view) heaviest() (most float64) {
	for _, m := range v.step.Group.Members {
		most = max(most, weight(v.step.Group, v.step.Assignment.Members[m.ID]))
	}
	return most
}

func (v *view) all() (sum float64) {
	for _, m := range v.step.Group.Members {
		sum += weight(v.step.Group, v.step.Assignment.Members[m.ID])
	}
	return sum
}
