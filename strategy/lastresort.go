package strategy

import (
	"cmp"
	"container/heap"
	"slices"
)

// lastResort keeps every partition with its owner and gives each other one to the member that it makes least full among those that
// may have it, so that it needs no configuration, cannot fail and is valid under either protocol.
func lastResort(g *Group, p Protocol) (Assignment, error) {
	t, err := Tabulate(g)
	if err != nil {
		return Assignment{}, err
	}
	owner := slices.Clone(t.Keepers())
	load := make([]int64, len(t.Group.Members))
	for _, o := range owner {
		if o >= 0 {
			load[o]++
		}
	}
	var unassigned []Unassigned
	for n := range t.Group.Topics {
		readers := fullness{members: t.Group.Members, load: load, order: slices.Clone(t.Subscribers(n))}
		if len(readers.order) == 0 {
			continue
		}
		heap.Init(&readers)
		for i := t.Base(n); i < t.Base(n+1); i++ {
			if owner[i] >= 0 {
				continue
			}
			if p == ProtocolCooperative && t.Owner(i) != NoOwner { // somebody has to give it up first
				name := t.Name(i)
				unassigned = append(unassigned, Unassigned{Topic: name.Topic, Partition: name.Partition, Reason: ReasonWithheld})
				continue
			}
			owner[i] = readers.order[0]
			load[owner[i]]++
			heap.Fix(&readers, 0)
		}
	}
	a := t.Assignment(owner)
	a.Unassigned = unassigned
	return a, nil
}

// fullness is a heap of members, the one on top that one more partition makes least full; draining ones come last.
type fullness struct {
	members []Member
	load    []int64
	order   []int32
}

func (f *fullness) Len() int      { return len(f.order) }
func (f *fullness) Swap(i, j int) { f.order[i], f.order[j] = f.order[j], f.order[i] }
func (f *fullness) Push(any)      {} // nothing is ever pushed
func (f *fullness) Pop() any      { return nil }

func (f *fullness) Less(i, j int) bool {
	a, b := f.order[i], f.order[j]
	m, n := &f.members[a], &f.members[b]
	if m.Draining != n.Draining {
		return n.Draining
	}
	full := cmp.Compare((f.load[a]+1)*int64(max(1, n.Share())), (f.load[b]+1)*int64(max(1, m.Share())))
	return cmp.Or(full, cmp.Compare(a, b)) < 0
}
