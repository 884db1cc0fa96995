package rangeassign_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/internal/groupjson"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategy"
)

// TestRacksByHand works thousands of small answers out again by walking through every partition and member as the rule is told:
// first what fits the racks, topics of one shape together, then the rest.
func TestRacksByHand(t *testing.T) {
	random := rand.New(rand.NewPCG(881, 0))
	moved := 0
	for range 5000 {
		g := rackGroup(random)
		a := assign(t, rangeassign.Assignor{Even: true}, g)
		want := strategy.Assignment{Members: byHand(g)}
		if got, want := groupjson.AppendAssignment(nil, &a), groupjson.AppendAssignment(nil, &want); string(got) != string(want) {
			t.Fatalf("%s\ngot  %s\nwant %s", groupjson.AppendGroup(nil, g), got, want)
		}
		for i := range g.Members {
			g.Members[i].Rack = ""
		}
		plain := assign(t, rangeassign.Assignor{Even: true}, g)
		if string(groupjson.AppendAssignment(nil, &a)) != string(groupjson.AppendAssignment(nil, &plain)) {
			moved++
		}
	}
	if moved < 1000 {
		t.Errorf("racks make a difference in %d groups only", moved)
	}
}

func rackGroup(random *rand.Rand) *strategy.Group {
	racks := []string{"a", "b", "c", "d"}[:1+random.IntN(4)]
	g := &strategy.Group{}
	for n := range 1 + random.IntN(4) {
		topic := strategy.Topic{Name: fmt.Sprint("t", n), Partitions: int32(random.IntN(3) * 4)}
		if random.IntN(6) > 0 {
			for range topic.Partitions {
				var of []string
				for range random.IntN(4) {
					of = append(of, racks[random.IntN(len(racks))])
				}
				topic.Racks = append(topic.Racks, of)
			}
		}
		g.Topics = append(g.Topics, topic)
	}
	for m := range 1 + random.IntN(6) {
		member := strategy.Member{ID: fmt.Sprint("m", m)}
		if random.IntN(5) > 0 {
			member.Rack = append(racks, "elsewhere")[random.IntN(len(racks)+1)]
		}
		for n := range g.Topics {
			if random.IntN(6) > 0 {
				member.Topics = append(member.Topics, g.Topics[n].Name)
			}
		}
		g.Members = append(g.Members, member)
	}
	return g
}

// quota counts what a member may still get of one topic.
type quota struct {
	has         map[string]int
	size, extra int
}

func (q *quota) room(id string) int {
	if q.extra > 0 {
		return max(0, q.size+1-q.has[id])
	}
	return max(0, q.size-q.has[id])
}

func (q *quota) give(id string) {
	q.has[id]++
	if q.has[id] > q.size {
		q.extra--
	}
}

func byHand(g *strategy.Group) map[string][]strategy.TopicPartitions {
	subscribers := make([][]*strategy.Member, len(g.Topics))
	quotas := make([]*quota, len(g.Topics))
	places := make([][]string, len(g.Topics))
	aware := make([]bool, len(g.Topics))
	for n := range g.Topics {
		topic := &g.Topics[n]
		for i := range g.Members {
			if slices.Contains(g.Members[i].Topics, topic.Name) {
				subscribers[n] = append(subscribers[n], &g.Members[i])
			}
		}
		C := max(1, len(subscribers[n]))
		quotas[n] = &quota{has: map[string]int{}, size: int(topic.Partitions) / C, extra: int(topic.Partitions) % C}
		places[n] = make([]string, topic.Partitions)
		aware[n] = differ(topic, subscribers[n])
	}
	matches := func(n, p int, m *strategy.Member) bool {
		return m.Rack == "" || len(g.Topics[n].Racks) > 0 && slices.Contains(g.Topics[n].Racks[p], m.Rack)
	}
	if slices.Contains(aware, true) {
		done := make([]bool, len(g.Topics))
		for n := range g.Topics {
			if done[n] {
				continue
			}
			var alike []int
			for k := range g.Topics {
				if g.Topics[k].Partitions == g.Topics[n].Partitions && slices.Equal(subscribers[k], subscribers[n]) {
					alike = append(alike, k)
					done[k] = true
				}
			}
			switch {
			case len(alike) > 1:
				for p := range places[n] {
					for _, m := range subscribers[n] {
						fits := quotas[n].room(m.ID) > 0 && !slices.ContainsFunc(alike, func(k int) bool { return !matches(k, p, m) })
						if !fits {
							continue
						}
						for _, k := range alike {
							places[k][p] = m.ID
							quotas[k].give(m.ID)
						}
						break
					}
				}
			case aware[n]:
				deal(places[n], quotas[n], subscribers[n], func(p int, m *strategy.Member) bool { return matches(n, p, m) })
			}
		}
	}
	answer := map[string][]strategy.TopicPartitions{}
	for i := range g.Members {
		answer[g.Members[i].ID] = nil
	}
	for n := range g.Topics {
		deal(places[n], quotas[n], subscribers[n], func(int, *strategy.Member) bool { return true })
		for p, id := range places[n] {
			if id != "" {
				answer[id] = append(answer[id], strategy.TopicPartitions{Topic: g.Topics[n].Name, Partitions: []int32{int32(p)}})
			}
		}
	}
	return answer
}

// deal gives each member in turn the first free partitions that it may have.
func deal(place []string, q *quota, members []*strategy.Member, may func(p int, m *strategy.Member) bool) {
	for _, m := range members {
		room := q.room(m.ID)
		for p := range place {
			if room > 0 && place[p] == "" && may(p, m) {
				place[p] = m.ID
				q.give(m.ID)
				room--
			}
		}
	}
}

// differ says whether a topic has partitions in different racks, and subscribers in some of these.
func differ(topic *strategy.Topic, members []*strategy.Member) bool {
	var all []string
	for _, racks := range topic.Racks {
		all = append(all, racks...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if !slices.ContainsFunc(members, func(m *strategy.Member) bool { return m.Rack != "" && slices.Contains(all, m.Rack) }) {
		return false
	}
	return slices.ContainsFunc(topic.Racks, func(racks []string) bool {
		return slices.ContainsFunc(all, func(rack string) bool { return !slices.Contains(racks, rack) })
	})
}
