package strategy

import (
	"context"
	"maps"
)

// Cooperative makes any assignor safe for cooperative rebalancing (KIP-429): what it gives to one member while another still
// owns it is withheld for a round, in which the owner gives it up, and handed out in the next. Its name is "cooperative-" and a's.
//
// Ownership is what [Tabulate] says, so a stale claim neither blocks a partition nor frees one, and a disputed partition goes to nobody.
// A partition that a member expects and nobody else owns, or its owner releases, a sees as that member's already, so that what was promised in
// one round is kept in the next, and what is on its way out is not asked for back.
//
// If a is a [UnitProvider], the units it names are withheld whole. An assignor that runs cooperatively already is returned as it is.
func Cooperative(a Assignor) Assignor {
	if ProtocolOf(a) == ProtocolCooperative {
		return a
	}
	return cooperative{a}
}

type cooperative struct{ inner Assignor }

func (c cooperative) Name() string       { return "cooperative-" + c.inner.Name() }
func (c cooperative) Unwrap() Assignor   { return c.inner }
func (c cooperative) Protocol() Protocol { return ProtocolCooperative }

func (c cooperative) Assign(ctx context.Context, g *Group) (Assignment, error) {
	t, err := Tabulate(g)
	if err != nil {
		return Assignment{}, err
	}
	a, err := c.inner.Assign(ctx, t.promised())
	if err != nil {
		return Assignment{}, err
	}
	provider, _ := As[UnitProvider](c.inner)
	withhold(t, &a, provider)
	return a, nil
}

// withhold takes out of a what somebody else than its new member still owns. Everything else stays as it was answered, faults
// included, which are for Validate to name.
func withhold(t *Table, a *Assignment, provider UnitProvider) {
	w := withholder{table: t, provider: provider, units: map[unitOf]int32{}}
	waiting := make([]bool, len(t.Group.Members)) // members for whom something is held elsewhere
	some := false
	for m := range t.Group.Members {
		if list := a.Members[t.Group.Members[m].ID]; !t.keepsAll(m, list) {
			waiting[m] = w.scan(int32(m), list)
			some = some || waiting[m]
		}
	}
	if !some {
		return
	}
	members := maps.Clone(a.Members)
	w.withheld = make([]Unassigned, 0, w.held)
	for m, waits := range waiting {
		if waits {
			id := t.Group.Members[m].ID
			members[id] = w.filter(int32(m), members[id])
		}
	}
	a.Members = members
	a.Unassigned = append(a.Unassigned[:len(a.Unassigned):len(a.Unassigned)], w.withheld...)
	sortUnassigned(a.Unassigned)
}

// keepsAll says whether a list is a member's own claim, all of which is its own: nothing in it is held elsewhere.
func (t *Table) keepsAll(member int, list []TopicPartitions) bool {
	owned := t.Group.Members[member].Owned
	return t.tidy[member] && len(list) == len(owned) && (len(list) == 0 || &list[0] == &owned[0])
}

// A withholder decides what has to wait, and notes it.
type withholder struct {
	table    *Table
	provider UnitProvider
	units    map[unitOf]int32 // units that wait, each with a partition that is still owned elsewhere
	held     int              // partitions that are owned elsewhere
	withheld []Unassigned
	lists    numberLists
}

// unitOf is a unit of partitions that are to go to one member.
type unitOf struct {
	member int32
	name   string
}

// elsewhere says whether somebody else owns partition number i, or two claim it.
func (w *withholder) elsewhere(member, i int32) bool {
	o := w.table.Owner(int(i))
	return o != NoOwner && o != int(member)
}

func (w *withholder) unit(member, i int32) unitOf {
	topic, p := w.table.Locate(int(i))
	return unitOf{member, w.provider.Unit(w.table.Group, &w.table.Group.Topics[topic], p)}
}

// waits says whether partition number i must not go to member yet, and for the sake of which other partition, if any.
func (w *withholder) waits(member, i int32) (wait bool, with *TopicPartition) {
	if w.elsewhere(member, i) {
		return true, nil
	}
	if len(w.units) == 0 || w.table.Owner(int(i)) == int(member) {
		return false, nil // what a member keeps need not wait for the rest of its unit
	}
	cause, ok := w.units[w.unit(member, i)]
	if !ok {
		return false, nil
	}
	name := w.table.Name(int(cause))
	return true, &name
}

// scan notes the units of a member that wait, and says whether anything in its list does.
func (w *withholder) scan(member int32, list []TopicPartitions) (waits bool) {
	w.table.eachOf(list, func(i int32) {
		if !w.elsewhere(member, i) {
			return
		}
		waits = true
		w.held++
		if w.provider == nil {
			return
		}
		if u := w.unit(member, i); u.name != "" {
			if _, known := w.units[u]; !known {
				w.units[u] = i
			}
		}
	})
	return waits
}

// filter returns list without what has to wait. Topics of which nothing has to are taken over as they are.
func (w *withholder) filter(member int32, list []TopicPartitions) []TopicPartitions {
	out := make([]TopicPartitions, 0, len(list))
	at := int32(NoOwner)
	for _, tp := range list {
		n := w.table.names.guess(at+1, tp.Topic)
		if n >= 0 {
			at = n
			before := len(tp.Partitions)
			if tp.Partitions = w.partitions(member, n, tp); len(tp.Partitions) == 0 && before > 0 {
				continue
			}
		}
		out = append(out, tp)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// partitions is filter for one topic.
func (w *withholder) partitions(member, topic int32, tp TopicPartitions) []int32 {
	base, count := w.table.base[topic], w.table.base[topic+1]-w.table.base[topic]
	left, copied := tp.Partitions, false
	for k, p := range tp.Partitions {
		if p >= 0 && p < count {
			if wait, with := w.waits(member, base+p); wait {
				w.withheld = append(w.withheld, Unassigned{Topic: tp.Topic, Partition: p, Reason: ReasonWithheld, For: w.table.Group.Members[member].ID, With: with})
				if !copied {
					left, copied = append(w.lists.empty(len(tp.Partitions)), tp.Partitions[:k]...), true
				}
				continue
			}
		}
		if copied {
			left = append(left, p)
		}
	}
	return left
}
