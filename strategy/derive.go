package strategy

import (
	"slices"
)

// Terms is what an assignor counts and looks at, for [Derive]. Its lists are in the order of a [Table]: members as in its Group,
// partitions by its numbers. The zero value is an assignor that balances what [Measure] measures and has no rules of its own.
type Terms struct {
	Assignor string // its name
	Derived  bool   // it is not the assignor who says all this

	// Count says that each partition counts as 1, whatever it weighs. Weights, unless nil, is what they weigh to the assignor.
	Count   bool
	Weights []float64
	// Capacities is what members can carry, 0 for those that drain. Nil: [Member.Share].
	Capacities []float64
	// Barred says of each member why it may not have the partition, beside subscriptions and draining. Nil: no such reason.
	Barred []Objective
	// Together are the numbers of the partitions that move along with the one in question, ascending, itself among them or not.
	Together []int32
	// Prefer has each member's score for the partition. Nil: no preferences.
	Prefer []float64
	// Ties are what decides between members that are as good for balance, in this order: [ObjectivePreference], [ObjectiveRacks],
	// [ObjectiveSpread]. Behind them all is [ObjectiveOrder].
	Ties []Objective
}

// Derive says what follows from a group and an answer to it about one partition: who may have it, loads with and without it, and which of the
// objectives of balance and movement its place agrees with. Assignors that are an [Explainer] say in terms what they count, and correct
// the rest. Its errors are [*GroupError]. It costs about as much as [Validate].
func Derive(g *Group, answer *Assignment, of TopicPartition, terms Terms) (Explanation, error) {
	t, err := Tabulate(g)
	if err != nil {
		return Explanation{}, err
	}
	i, err := t.partition(of)
	if err != nil {
		return Explanation{}, err
	}
	if answer == nil {
		answer = &Assignment{}
	}
	d := &derivation{Terms: terms, table: t, answer: answer, number: i, owner: t.intended(answer)}
	d.topic, _ = t.Locate(i)
	d.holder = int(d.owner[i])
	e := Explanation{Topic: of.Topic, Partition: of.Partition, Assignor: terms.Assignor, Derived: terms.Derived}
	d.fates(&e)
	d.together(&e)
	d.rows(&e)
	d.decide(&e)
	if answer.Stopped != "" {
		e.Notes = append(e.Notes, "the work ended before it was done, at "+answer.Stopped)
	}
	return e, nil
}

type derivation struct {
	Terms
	table  *Table
	answer *Assignment
	number int     // of the partition
	topic  int     // its topic
	owner  []int32 // of each partition, with what is withheld at its new owner
	holder int     // whose the partition is by that, or NoOwner
	unit   []int32 // numbers of what moves together, ascending
	others int     // alternative that words name: an index of Members, or NoOwner
}

// fates fills in whose the partition was and is.
func (d *derivation) fates(e *Explanation) {
	t := d.table
	e.Before, e.Owner, e.For, e.With, e.Reason = "", "", "", nil, ""
	before, now := t.Owner(d.number), t.Owners(d.answer)[d.number]
	if before >= 0 {
		e.Before = t.Group.Members[before].ID
	}
	if now >= 0 {
		e.Owner = t.Group.Members[now].ID
	} else {
		for k := range d.answer.Unassigned {
			if u := &d.answer.Unassigned[k]; u.Topic == e.Topic && u.Partition == e.Partition {
				e.Reason, e.For = u.Reason, u.For
				if u.With != nil {
					with := *u.With
					e.With = &with
				}
			}
		}
	}
	switch {
	case e.Reason == ReasonWithheld:
		e.Fate = FateWithheld
	case now < 0:
		e.Fate = FateUnassigned
	case int(now) == before:
		e.Fate = FateKept
	case t.Keeper(d.number) >= 0:
		e.Fate = FateMoved
	case before >= 0:
		e.Fate = FateForced
	default:
		e.Fate = FatePlaced
	}
}

// weight is what a partition counts.
func (d *derivation) weight(i int32) float64 {
	switch {
	case d.Weights != nil:
		return d.Weights[i]
	case d.Count:
		return 1
	}
	topic, p := d.table.Locate(int(i))
	if w := d.table.Group.Topics[topic].Weights; len(w) > 0 {
		return w[p]
	}
	return 1
}

// together fills in what moves along with the partition.
func (d *derivation) together(e *Explanation) {
	d.unit = d.Together
	if _, in := slices.BinarySearch(d.unit, int32(d.number)); !in {
		d.unit = []int32{int32(d.number)}
	}
	for _, i := range d.unit {
		e.Weight += d.weight(i)
		if int(i) != d.number {
			e.Together = append(e.Together, d.table.Name(int(i)))
		}
	}
}

// rows fills in the members.
func (d *derivation) rows(e *Explanation) {
	members := d.table.Group.Members
	e.Members = make([]Candidate, len(members))
	for m := range members {
		c := &e.Members[m]
		c.Member, c.Rack, c.Draining, c.Capacity = members[m].ID, members[m].Rack, members[m].Draining, float64(members[m].Share())
		if d.Capacities != nil {
			c.Capacity = d.Capacities[m]
		}
		if d.Prefer != nil {
			score := d.Prefer[m]
			c.Prefer = &score
		}
		c.Away = d.away(c.Rack)
	}
	d.loads(e)
	d.bars(e)
	for m := range e.Members {
		c := &e.Members[m]
		c.LoadThen = c.Load
		if m == d.holder {
			c.LoadThen -= d.share(m, true)
		} else {
			c.LoadThen += d.share(m, false)
		}
		c.Ratio, c.RatioThen = ratio(c.Load, c.Capacity), ratio(c.LoadThen, c.Capacity)
	}
	for m := range e.Members {
		if c := &e.Members[m]; d.holder >= 0 && m != d.holder && c.Barred == "" {
			c.Effect = effect(&e.Members[d.holder], c)
		}
	}
}

func ratio(load, capacity float64) float64 {
	if capacity <= 0 {
		return 0
	}
	return load / capacity
}

// away says whether the partition's racks are known and a member's is another one.
func (d *derivation) away(rack string) bool {
	racks := d.table.Group.Topics[d.topic].Racks
	if len(racks) == 0 || rack == "" {
		return false
	}
	of := racks[d.number-d.table.Base(d.topic)]
	return len(of) > 0 && !slices.Contains(of, rack)
}

// loads sums up what members have.
func (d *derivation) loads(e *Explanation) {
	e.Loads = "partitions"
	from, to := d.table.Base(d.topic), d.table.Base(d.topic+1)
	for i, o := range d.owner {
		w := 1.0
		if !d.Count {
			w = d.weight(int32(i))
		}
		if w != 1 {
			e.Loads = "weight"
		}
		if o < 0 {
			continue
		}
		c := &e.Members[o]
		c.Partitions++
		c.Load += w
		if i >= from && i < to {
			c.InTopic++
		}
	}
}

// share is the weight of the unit's partitions that member m has, or those that it does not.
func (d *derivation) share(m int, has bool) (sum float64) {
	for _, i := range d.unit {
		if (int(d.owner[i]) == m) == has {
			sum += d.weight(i)
		}
	}
	return sum
}

// bars fills in who may not have the partition, and why.
func (d *derivation) bars(e *Explanation) {
	ready := false
	for m := range e.Members {
		c := &e.Members[m]
		if !d.table.Subscribed(m, d.topic) {
			c.Barred = ObjectiveSubscription
		} else if d.Barred != nil {
			c.Barred = d.Barred[m]
		}
		ready = ready || c.Barred == "" && c.Capacity > 0
	}
	for m := range e.Members {
		if c := &e.Members[m]; ready && c.Barred == "" && c.Capacity <= 0 {
			c.Barred = ObjectiveDraining
		}
	}
}

// effect compares how even loads are if the partition moves from its holder to c.
func effect(holder, c *Candidate) Effect {
	from, to := holder.Capacity, c.Capacity
	switch {
	case from <= 0 && to > 0:
		return EffectBetter
	case to <= 0 && from > 0:
		return EffectWorse
	case from <= 0:
		from, to = 1, 1
	}
	now := square(holder.Load)/from + square(c.Load)/to
	then := square(holder.LoadThen)/from + square(c.LoadThen)/to
	const rounding = 1e-12
	switch {
	case then > now*(1+rounding):
		return EffectWorse
	case then < now*(1-rounding):
		return EffectBetter
	}
	return EffectSame
}

func square(x float64) float64 { return x * x }
