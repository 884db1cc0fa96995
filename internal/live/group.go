package live

import (
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// The types of groups that there are, as Kafka calls them.
const (
	Classic  = "classic"  // members assign: one of them leads
	Consumer = "consumer" // the broker assigns (KIP-848)
)

// Unknown stands for an offset or a lag that is not known: nothing is committed, or the request failed or was denied.
const Unknown int64 = -1

// A Broker is where something is.
type Broker struct {
	ID   int32
	Addr string
}

// A Group is a consumer group at one moment. It is not changed once read.
type Group struct {
	Name         string
	Type         string // [Classic] or [Consumer]
	ProtocolType string // "consumer", or "" of a classic group that has only committed offsets
	Protocol     string // the assignor's name on the wire, or the broker's own; "" without members
	State        string // as the broker calls it
	// Epoch is that of the last assignment. Of classic groups, of which no broker tells, it is [strategy.NoGeneration].
	Epoch       int32
	Coordinator Broker
	Members     []Member // in the order of [strategy.Member.Compare]
	Topics      []Topic  // that members read or have, and those with committed offsets; by name
	// Remarks says what was odd or could not be read, a sentence each: members' metadata first, then topics.
	Remarks []string
}

// A Member is one of a group.
type Member struct {
	ID         string
	InstanceID string // "" for a dynamic member
	ClientID   string
	Host       string // without the slash that brokers put before it
	Rack       string // "" if the member does not say
	Topics     []string
	// Pattern is the regular expression that the member subscribes with, if it does. Topics then has what it matches.
	Pattern string
	Owned   []strategy.TopicPartitions // what it was assigned, by topic and number
	Epoch   int32                      // as in Group

	// What members of this project say about themselves.
	Labels   map[string]string
	Capacity int32 // 0 means 1
	Draining bool

	// SetAside members said nothing that can be understood, so nobody knows what they read. Problem says what is wrong with what a member
	// sent, "" if nothing is.
	SetAside bool
	Problem  string
}

// Count returns the number of partitions that the member has.
func (m *Member) Count() int { return strategy.Count(m.Owned) }

// A Topic is one that matters to a group. Its lists have an entry for each partition.
type Topic struct {
	Name       string
	Subscribed bool // a member subscribes to it
	// Gone topics do not exist, Denied ones may not be described. Of both only the partitions are listed that members have or that offsets
	// are committed for.
	Gone, Denied bool
	counted      bool // how many partitions there are is known

	Racks     [][]string // of the replicas, nil where brokers have none
	Leaders   []string   // the racks of the brokers that lead, "" where that is not known; nil where brokers have none
	Owner     []int32    // number of the member that has it, or [strategy.NoOwner]
	Committed []int64    // or [Unknown]
	End       []int64    // of the log, or [Unknown]
}

// Lag is how many records of a partition the group has not committed, or [Unknown].
func (t *Topic) Lag(partition int) int64 {
	if t.Committed[partition] < 0 || t.End[partition] < 0 {
		return Unknown
	}
	return max(0, t.End[partition]-t.Committed[partition]) // a log can be cut short
}

// TotalLag sums up what is known of the lags of all partitions.
func (t *Topic) TotalLag() int64 {
	sum := int64(0)
	for p := range t.Owner {
		sum += max(0, t.Lag(p))
	}
	return sum
}

// Lags returns the sum of the known lags of each member's partitions, and that of all partitions of the group.
func (g *Group) Lags() (members []int64, all int64) {
	members = make([]int64, len(g.Members))
	for i := range g.Topics {
		t := &g.Topics[i]
		for p, o := range t.Owner {
			lag := max(0, t.Lag(p))
			all += lag
			if o >= 0 {
				members[o] += lag
			}
		}
	}
	return members, all
}

// Partitions counts those of all topics.
func (g *Group) Partitions() int {
	n := 0
	for i := range g.Topics {
		n += len(g.Topics[i].Owner)
	}
	return n
}

// Unconsumed returns the partitions that nobody has though a member subscribes to their topic; of a group without members, all partitions
// of its topics.
func (g *Group) Unconsumed() []strategy.TopicPartitions {
	var out []strategy.TopicPartitions
	for i := range g.Topics {
		t := &g.Topics[i]
		if t.Gone || !t.Subscribed && len(g.Members) > 0 {
			continue
		}
		var free []int32
		for p, o := range t.Owner {
			if o < 0 {
				free = append(free, int32(p))
			}
		}
		if free != nil {
			out = append(out, strategy.TopicPartitions{Topic: t.Name, Partitions: free})
		}
	}
	return out
}

// Strategy returns the group as an assignor sees it, sharing memory with g: what members have as their claims, and topics that a member
// subscribes to; of a group without members, all its topics. User data of assignors is left out, as it is for one of them only.
//
// Lags become [strategy.SignalLag], unknown ones 0, of the topics whose ends are known, and weights; where no partition of the group lags,
// there are no weights, as members that all carry nothing cannot be told apart.
func (g *Group) Strategy() strategy.Group {
	out := strategy.Group{Name: g.Name, Generation: g.Epoch + 1}
	lags := slices.ContainsFunc(g.Topics, func(t Topic) bool { return t.TotalLag() > 0 })
	for i := range g.Topics {
		t := &g.Topics[i]
		if t.Gone || !t.Subscribed && len(g.Members) > 0 {
			continue
		}
		topic := strategy.Topic{Name: t.Name, Partitions: int32(len(t.Owner)), Racks: t.Racks, LeaderRacks: t.Leaders}
		if slices.ContainsFunc(t.End, func(end int64) bool { return end >= 0 }) {
			list := make([]float64, len(t.Owner))
			for p := range list {
				list[p] = float64(max(0, t.Lag(p)))
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
		topics := m.Topics
		if topics == nil {
			topics = []string{} // nothing, not everything
		}
		out.Members = append(out.Members, strategy.Member{
			ID: m.ID, InstanceID: m.InstanceID, Rack: m.Rack, Topics: topics, Owned: m.Owned, Generation: m.Epoch,
			Labels: m.Labels, Capacity: m.Capacity, Draining: m.Draining,
		})
	}
	return out
}
