package strategy

import (
	"cmp"
	"slices"
)

// An Assignment is an assignor's answer: who owns what from now on.
type Assignment struct {
	// Members has every member of the group, also those that get nothing, each with its partitions: topics by name, partitions
	// by number, no topic without partitions.
	Members map[string][]TopicPartitions
	// Unassigned lists partitions that some member could read and nobody gets, each with the reason.
	Unassigned []Unassigned
	// Stopped names the objective at which the assignor's budget of work ended, "" if it did all it meant to. The answer is as
	// valid as any other.
	Stopped string
	// UserData is sent to members along with their partitions; see [Notifier]. May be nil, may lack members.
	UserData map[string][]byte
}

// Unassigned is a partition that nobody gets, though a member subscribes to its topic.
type Unassigned struct {
	Topic     string
	Partition int32
	Reason    Reason
	// For, for a partition withheld, is the member that it is to go to, "" if the assignor does not say.
	For string
	// With, for a partition withheld only because it moves together with another, is that other one, which is still owned.
	With *TopicPartition
}

// TopicPartition names one partition.
type TopicPartition struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
}

// Compare orders by topic, then by partition.
func (p TopicPartition) Compare(q TopicPartition) int {
	return cmp.Or(cmp.Compare(p.Topic, q.Topic), cmp.Compare(p.Partition, q.Partition))
}

// Count returns the number of partitions in a list.
func Count(list []TopicPartitions) (n int) {
	for i := range list {
		n += len(list[i].Partitions)
	}
	return n
}

// ByTopic lists partitions, which are sorted, by their topics.
func ByTopic(sorted []TopicPartition) []TopicPartitions {
	var out []TopicPartitions
	for _, p := range sorted {
		if n := len(out); n == 0 || out[n-1].Topic != p.Topic {
			out = append(out, TopicPartitions{Topic: p.Topic})
		}
		last := &out[len(out)-1]
		last.Partitions = append(last.Partitions, p.Partition)
	}
	return out
}

// A Reason says why nobody gets a partition.
type Reason string

// The reasons there are.
const (
	// ReasonWithheld means: in a cooperative round, another member still owns it, or two claim it. It is handed out in the next round.
	ReasonWithheld Reason = "withheld"
	// ReasonIneligible means: no member may have it by the assignor's own rules.
	ReasonIneligible Reason = "ineligible"
	// ReasonLimit means: every member that may have it has as many partitions as the assignor's own limit allows.
	ReasonLimit Reason = "limit"
	// ReasonDraining means: only draining members may have it, and the assignor gives them nothing.
	ReasonDraining Reason = "draining"
)

// Reasons returns all reasons, sorted.
func Reasons() []Reason {
	return []Reason{ReasonDraining, ReasonIneligible, ReasonLimit, ReasonWithheld}
}

// Count returns the number of partitions that member is given.
func (a *Assignment) Count(member string) int { return Count(a.Members[member]) }

// Withholds reports whether a partition is [ReasonWithheld], so that a further round is needed.
func (a *Assignment) Withholds() bool {
	return slices.ContainsFunc(a.Unassigned, func(u Unassigned) bool { return u.Reason == ReasonWithheld })
}

// sortUnassigned puts the list in the order of topics and partitions.
func sortUnassigned(list []Unassigned) {
	slices.SortFunc(list, func(a, b Unassigned) int {
		if c := cmp.Compare(a.Topic, b.Topic); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Reason, b.Reason))
	})
}
