// Package describe reads what kafka-consumer-groups.sh prints about consumer groups, so that a group can be looked at where there is
// a text of it and no connection: from a ticket, or through a pipe.
//
// What belongs here: the tables of --describe, with --members --verbose and without, of Kafka 3.x and 4.x. What does not: how a group
// looks to an assignor beyond [Group.Strategy], and connections.
package describe

import (
	"cmp"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A Group is what the text says about one consumer group.
type Group struct {
	Name       string
	Generation int32    // the highest epoch that is shown, else [strategy.NoGeneration]: classic groups show none
	Members    []Member // in the order of the text
	// Rebalancing says that the group was, so that what the text says of members is not what will be.
	Rebalancing bool
	Topics      []Topic // by name
}

// A Member is one line of a table of members, or what the table of offsets says about one.
type Member struct {
	ID         string
	InstanceID string // "" for a dynamic member
	Host       string // as it is printed: /10.0.0.1
	ClientID   string
	Generation int32                      // its epoch, else [strategy.NoGeneration]
	Owned      []strategy.TopicPartitions // by topic and number
}

// A Topic is one that the group has partitions or offsets of.
type Topic struct {
	Name       string
	Partitions int32 // the highest number that is shown, and one
	// Lag has the lag of each partition, -1 where it is not known. It is nil if the text has no lags of this topic.
	Lag []int64
}

// Subscriptions says what members read, which the text does not.
type Subscriptions uint8

// What there is to assume.
const (
	AllTopics   Subscriptions = iota // every member reads every topic of the group
	OwnedTopics                      // every member reads the topics that it has partitions of
)

// Strategy returns the group as an assignor sees it, sharing memory with g. Lags become [strategy.SignalLag], unknown ones 0, of the topics
// that have lags, and weights; where no partition of the group lags, there are no weights, as members that all carry nothing cannot be told
// apart.
func (g Group) Strategy(s Subscriptions) strategy.Group {
	out := strategy.Group{Name: g.Name, Generation: g.Generation + 1}
	all := make([]string, len(g.Topics))
	lags := slices.ContainsFunc(g.Topics, func(t Topic) bool {
		return slices.ContainsFunc(t.Lag, func(lag int64) bool { return lag > 0 })
	})
	for i := range g.Topics {
		t := &g.Topics[i]
		all[i] = t.Name
		topic := strategy.Topic{Name: t.Name, Partitions: t.Partitions}
		if t.Lag != nil {
			list := make([]float64, t.Partitions)
			for p, lag := range t.Lag {
				list[p] = float64(max(0, lag))
			}
			topic.Signals = map[string][]float64{strategy.SignalLag: list}
			if lags {
				topic.Weights = list
			}
		}
		out.Topics = append(out.Topics, topic)
	}
	for i := range g.Members {
		m := &g.Members[i]
		member := strategy.Member{ID: m.ID, InstanceID: m.InstanceID, Topics: all, Owned: m.Owned, Generation: m.Generation}
		if s == OwnedTopics {
			member.Topics = make([]string, len(m.Owned)) // not nil: a member without partitions reads nothing
			for k := range m.Owned {
				member.Topics[k] = m.Owned[k].Topic
			}
		}
		out.Members = append(out.Members, member)
	}
	return out
}

// sortOwned orders partitions, each once.
func sortOwned(list []strategy.TopicPartition) []strategy.TopicPartitions {
	slices.SortFunc(list, strategy.TopicPartition.Compare)
	return strategy.ByTopic(slices.Compact(list))
}

func byName(a, b Topic) int { return cmp.Compare(a.Name, b.Name) }
