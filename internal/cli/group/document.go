package group

import (
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/strategy"
)

// description is the JSON form of a group. docs/groups.md has what it means, and other programs rely on it.
type description struct {
	Group        string             `json:"group"`
	Type         string             `json:"type"`
	ProtocolType string             `json:"protocol_type"`
	Strategy     string             `json:"strategy"`
	State        string             `json:"state"`
	Epoch        *int32             `json:"epoch"`
	Coordinator  broker             `json:"coordinator"`
	Lag          int64              `json:"lag"`
	Balance      *balanceDoc        `json:"balance"`
	Unconsumed   map[string][]int32 `json:"unconsumed"`
	Members      []memberDoc        `json:"members"`
	Topics       []topicDoc         `json:"topics"`
	Remarks      []string           `json:"remarks"`
}

type balanceDoc struct {
	Max     float64 `json:"max"`
	Min     float64 `json:"min"`
	BestMax float64 `json:"best_max"`
	BestMin float64 `json:"best_min"`
	Moves   int     `json:"moves"`
	Bound   bool    `json:"bound,omitempty"`
}

type memberDoc struct {
	ID         string             `json:"id"`
	Instance   string             `json:"instance,omitempty"`
	ClientID   string             `json:"client_id"`
	Host       string             `json:"host"`
	Rack       string             `json:"rack,omitempty"`
	Epoch      *int32             `json:"epoch,omitempty"`
	Topics     []string           `json:"topics"`
	Pattern    string             `json:"pattern,omitempty"`
	Capacity   *int32             `json:"capacity,omitempty"` // 0 is draining
	Labels     map[string]string  `json:"labels,omitempty"`
	Partitions int                `json:"partitions"`
	Lag        int64              `json:"lag"`
	Assignment map[string][]int32 `json:"assignment"`
	SetAside   bool               `json:"set_aside,omitempty"`
	Problem    string             `json:"problem,omitempty"`
}

type topicDoc struct {
	Topic      string         `json:"topic"`
	Subscribed bool           `json:"subscribed"`
	Partitions []partitionDoc `json:"partitions"`
}

type partitionDoc struct {
	Partition int      `json:"partition"`
	Member    *string  `json:"member"`
	Committed *int64   `json:"committed"`
	End       *int64   `json:"end"`
	Lag       *int64   `json:"lag"`
	Racks     []string `json:"racks,omitempty"`
}

func groupDocument(g *live.Group, c *comparison) description {
	lags, all := g.Lags()
	d := description{
		Group: g.Name, Type: g.Type, ProtocolType: g.ProtocolType, Strategy: g.Protocol, State: g.State, Epoch: epoch(g.Epoch),
		Coordinator: broker{g.Coordinator.ID, g.Coordinator.Addr}, Lag: all, Unconsumed: byTopic(g.Unconsumed()),
		Members: make([]memberDoc, len(g.Members)), Topics: make([]topicDoc, len(g.Topics)), Remarks: append([]string{}, g.Remarks...),
	}
	if c.members > 0 {
		d.Balance = &balanceDoc{Max: c.max, Min: c.min, BestMax: c.best.max, BestMin: c.best.min, Moves: c.moves, Bound: c.estimated}
	}
	for i := range g.Members {
		m := &g.Members[i]
		d.Members[i] = memberDoc{
			ID: m.ID, Instance: m.InstanceID, ClientID: m.ClientID, Host: m.Host, Rack: m.Rack, Epoch: epoch(m.Epoch),
			Topics: append([]string{}, m.Topics...), Pattern: m.Pattern, Labels: m.Labels, Partitions: m.Count(), Lag: lags[i],
			Assignment: byTopic(m.Owned), SetAside: m.SetAside, Problem: m.Problem,
		}
		switch {
		case m.Draining:
			d.Members[i].Capacity = new(int32)
		case m.Capacity > 0:
			d.Members[i].Capacity = &m.Capacity
		}
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		doc := topicDoc{Topic: t.Name, Subscribed: t.Subscribed, Partitions: make([]partitionDoc, len(t.Owner))}
		for p, o := range t.Owner {
			doc.Partitions[p] = partitionDoc{Partition: p, Committed: known(t.Committed[p]), End: known(t.End[p]), Lag: known(t.Lag(p))}
			if o >= 0 {
				doc.Partitions[p].Member = &g.Members[o].ID
			}
			if t.Racks != nil {
				doc.Partitions[p].Racks = t.Racks[p]
			}
		}
		d.Topics[i] = doc
	}
	return d
}

func epoch(n int32) *int32 {
	if n == strategy.NoGeneration {
		return nil
	}
	return &n
}

func known(n int64) *int64 {
	if n == live.Unknown {
		return nil
	}
	return &n
}

func byTopic(list []strategy.TopicPartitions) map[string][]int32 {
	out := make(map[string][]int32, len(list))
	for i := range list {
		out[list[i].Topic] = list[i].Partitions
	}
	return out
}
