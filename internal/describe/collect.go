package describe

import (
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// group collects what several tables say about one.
type group struct {
	name    string
	moving  bool // it rebalances
	members map[string]*memberRows
	order   []string
	topics  map[string]*topicRows
}

type memberRows struct {
	Member
	listed  bool // in a table of members
	owned   []strategy.TopicPartition
	offsets []strategy.TopicPartition // that the table of offsets names it for
}

type topicRows struct {
	partitions int32
	lags       map[int32]int64 // nil without a column of lags
}

// group returns the group of this name, a new one if need be.
func (t *text) group(name string) *group {
	g, ok := t.groups[name]
	if !ok {
		g = &group{name: name, members: map[string]*memberRows{}, topics: map[string]*topicRows{}}
		t.groups[name] = g
		t.order = append(t.order, name)
	}
	return g
}

// member returns the member of a row, a new one if need be.
func (g *group) member(cells map[string]string) *memberRows {
	id := cells["CONSUMER-ID"]
	m, ok := g.members[id]
	if !ok {
		m = &memberRows{Member: Member{ID: id, Generation: strategy.NoGeneration}}
		g.members[id] = m
		g.order = append(g.order, id)
	}
	for _, f := range []struct {
		field *string
		cell  string
	}{{&m.InstanceID, "GROUP-INSTANCE-ID"}, {&m.Host, "HOST"}, {&m.ClientID, "CLIENT-ID"}} {
		if v := value(cells[f.cell]); v != "" {
			*f.field = v
		}
	}
	return m
}

// see notes that a topic has a partition.
func (t *text) see(g *group, topic string, partition int32) error {
	rows, ok := g.topics[topic]
	if !ok {
		rows = &topicRows{}
		g.topics[topic] = rows
	}
	if partition < rows.partitions {
		return nil
	}
	if t.total += int(partition + 1 - rows.partitions); t.total > maxPartitions {
		return t.fail("more than %d partitions in all", maxPartitions)
	}
	rows.partitions = partition + 1
	return nil
}

func (g *group) lag(topic string, partition int32, lag int64) {
	rows := g.topics[topic]
	if rows.lags == nil {
		rows.lags = map[int32]int64{}
	}
	rows.lags[partition] = lag
}

// finish puts together what was collected.
func (t *text) finish() ([]Group, error) {
	if len(t.order) == 0 {
		return nil, &Error{File: t.file, Problem: "has no table of kafka-consumer-groups.sh --describe with --members --verbose, or of offsets"}
	}
	out := make([]Group, len(t.order))
	for i, name := range t.order {
		out[i] = t.groups[name].finish()
	}
	return out, nil
}

func (g *group) finish() Group {
	out := Group{Name: g.name, Generation: strategy.NoGeneration, Rebalancing: g.moving}
	listed := false
	for _, m := range g.members {
		listed = listed || m.listed
	}
	for _, id := range g.order {
		m := g.members[id]
		if listed && !m.listed {
			continue // it has left between the two tables
		}
		owned := m.owned
		if !listed {
			owned = m.offsets
		}
		m.Owned = sortOwned(owned)
		out.Generation = max(out.Generation, m.Generation)
		out.Members = append(out.Members, m.Member)
	}
	for name, rows := range g.topics {
		t := Topic{Name: name, Partitions: rows.partitions}
		if rows.lags != nil {
			t.Lag = make([]int64, t.Partitions)
			for p := range t.Lag {
				t.Lag[p] = -1
				if lag, ok := rows.lags[int32(p)]; ok {
					t.Lag[p] = lag
				}
			}
		}
		out.Topics = append(out.Topics, t)
	}
	slices.SortFunc(out.Topics, byName)
	return out
}
