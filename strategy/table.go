package strategy

import (
	"slices"
)

// Owners of a partition that are not a member.
const (
	NoOwner  = -1
	Disputed = -2 // two members of one generation claim it, so neither may go on with it
)

// A Table is a group in numbers, with the members' claims compared: what an assignor computes on. Members are indices into
// Group.Members, topics into Group.Topics, and partition p of topic t is number Base(t)+p of all. It is not changed once made, so it may
// be read by several goroutines.
//
// Of several claims on a partition the one of the highest generation holds; of several in that generation one by a member that
// subscribes to the topic; of several such ones none, and the partition is [Disputed] (KAFKA-12984). Claims on partitions that the
// group does not have say nothing.
type Table struct {
	// Group is the group in canonical order, sharing memory with the one that was tabulated. Tabulating it again takes no time, so
	// that who has a table hands this group on.
	Group *Group

	base  []int32 // of each topic, and the number of partitions at the end
	owner []int32 // of each partition: a member, NoOwner, Disputed, or gone(member)

	names topicNames
	reads subscriptions

	tidy []bool // the member's claims are all its own and listed as in an Assignment
}

// gone marks an owner that no longer subscribes to the topic, and is its own inverse.
func gone(member int32) int32 { return -3 - member }

// Tabulate numbers g and decides whose each partition is. It returns the [*GroupError] of [Group.Check].
func Tabulate(g *Group) (*Table, error) {
	if g == nil {
		return nil, &GroupError{Subject: "group", Problem: "is nil"}
	}
	if g.table != nil && g.table.Group == g {
		return g.table, nil
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	t := &Table{Group: g.sorted()}
	topics := t.Group.Topics
	t.base, t.names = make([]int32, len(topics)+1), newTopicNames(topics)
	for i := range topics {
		t.base[i+1] = t.base[i] + topics[i].Partitions
	}
	if !t.subscribe() {
		t.Group = t.Group.Canonical()
		t.subscribe()
	}
	t.resolve()
	own := *t.Group
	own.table = t
	t.Group = &own
	return t, nil
}

// Len returns the number of partitions of all topics.
func (t *Table) Len() int { return int(t.base[len(t.base)-1]) }

// Base returns the number of the first partition of a topic.
func (t *Table) Base(topic int) int { return int(t.base[topic]) }

// Sizes returns the number of partitions of each topic, in a new list.
func (t *Table) Sizes() []int32 {
	sizes := make([]int32, len(t.Group.Topics))
	for i := range sizes {
		sizes[i] = t.Group.Topics[i].Partitions
	}
	return sizes
}

// Shares returns each member's [Member.Share] in a new list, nil if all are 1.
func (t *Table) Shares() []int32 {
	shares := make([]int32, len(t.Group.Members))
	equal := true
	for i := range shares {
		shares[i] = t.Group.Members[i].Share()
		equal = equal && shares[i] == 1
	}
	if equal {
		return nil
	}
	return shares
}

// Locate returns the topic and the partition within it that number i stands for.
func (t *Table) Locate(i int) (topic int, partition int32) {
	topic, found := slices.BinarySearch(t.base, int32(i))
	if found {
		for t.base[topic+1] == int32(i) { // topics without partitions
			topic++
		}
	} else {
		topic--
	}
	return topic, int32(i) - t.base[topic]
}

// Name names partition number i.
func (t *Table) Name(i int) TopicPartition {
	topic, p := t.Locate(i)
	return TopicPartition{Topic: t.Group.Topics[topic].Name, Partition: p}
}

// Topic returns the number of a topic, false if the group has none of that name.
func (t *Table) Topic(name string) (int, bool) {
	i := t.names.find(name)
	return int(i), i >= 0
}

// Owner returns who owns partition number i now: a member, subscribed to the topic or not, [NoOwner] or [Disputed].
func (t *Table) Owner(i int) int {
	if o := t.owner[i]; o > Disputed {
		return int(o)
	} else if o < Disputed {
		return int(gone(o))
	}
	return Disputed
}

// Keeper returns the member that owns partition number i now and may go on owning it, else [NoOwner].
func (t *Table) Keeper(i int) int { return max(NoOwner, int(t.owner[i])) }

// Keepers returns what [Table.Keeper] says of each partition, with any negative number for none. The list is the table's own and
// must not be changed.
func (t *Table) Keepers() []int32 { return t.owner }

// Tidy says whether a member's claims all hold, are of topics that it subscribes to, and are listed as in an [Assignment], so that [Table.Keepers] says all
// that they do.
func (t *Table) Tidy(member int) bool { return t.tidy[member] }

// Unowned returns a new list as [Table.Assignment] takes it, in which nobody owns anything.
func (t *Table) Unowned() []int32 {
	owner := make([]int32, t.Len())
	for i := range owner {
		owner[i] = NoOwner
	}
	return owner
}

// resolve compares the claims.
func (t *Table) resolve() {
	g := t.Group
	t.owner = t.Unowned()
	t.tidy = make([]bool, len(g.Members))
	disputes := map[int32]dispute{}
	for i := range g.Members {
		t.claim(int32(i), disputes)
	}
}

// claim enters one member's claims.
func (t *Table) claim(member int32, disputes map[int32]dispute) {
	m := &t.Group.Members[member]
	reads := t.reader(member)
	tidy := true
	topic, step := int32(NoOwner), int32(1)
	for k := range m.Owned {
		claim := &m.Owned[k]
		n := t.names.guess(reads.next(topic, step), claim.Topic)
		if n < 0 {
			tidy = false
			continue
		}
		tidy = tidy && n > topic && len(claim.Partitions) > 0
		step, topic = n-topic, n
		mine := member
		if !reads.topic(n) {
			mine, tidy = gone(member), false
		}
		base, count := t.base[n], t.base[n+1]-t.base[n]
		last := int32(-1)
		for _, p := range claim.Partitions {
			if p <= last || p >= count {
				tidy = false
			}
			if p < 0 || p >= count {
				continue
			}
			last = p
			if o := &t.owner[base+p]; *o == NoOwner {
				*o = mine
			} else if *o != mine {
				tidy = false
				*o = t.compare(*o, mine, base+p, disputes)
			}
		}
	}
	t.tidy[member] = tidy
}

// A dispute is between claims of one generation: of members that subscribe to the topic, or only of ones that did.
type dispute struct {
	generation int32
	readers    bool
}

// compare decides between who holds partition number i so far and another claim on it.
func (t *Table) compare(holder, claimant, i int32, disputes map[int32]dispute) int32 {
	standing := func(o int32) dispute {
		switch {
		case o == Disputed:
			return disputes[i]
		case o < Disputed:
			return dispute{t.Group.Members[gone(o)].Generation, false}
		}
		return dispute{t.Group.Members[o].Generation, true}
	}
	was, now := standing(holder), standing(claimant)
	if now.generation < was.generation || now.generation == was.generation && was.readers && !now.readers {
		return holder
	}
	if holder >= 0 {
		t.tidy[holder] = false // the claimant's claims are not either, as claim sees
	}
	if now.generation > was.generation || now.readers && !was.readers {
		return claimant
	}
	disputes[i] = now
	return Disputed
}
