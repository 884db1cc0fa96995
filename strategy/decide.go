package strategy

import "slices"

// decide finds which objective the partition's place agrees with, and says so.
func (d *derivation) decide(e *Explanation) {
	d.others = NoOwner
	switch {
	case d.holder < 0:
		e.Decided = d.lack(e)
	case d.alone(e):
		e.Decided = d.bar(e)
	case d.table.Owner(d.number) == d.holder:
		e.Decided = d.kept(e)
	case d.table.Keeper(d.number) >= 0:
		e.Decided = d.moved(e)
	default:
		e.Decided = d.placed(e)
	}
	e.say(d)
}

// lack is why nobody has the partition.
func (d *derivation) lack(e *Explanation) Objective {
	switch {
	case len(d.table.Subscribers(d.topic)) == 0:
		return ObjectiveSubscription
	case e.Reason == ReasonIneligible:
		return ObjectiveEligibility
	case e.Reason == ReasonLimit:
		return ObjectiveLimit
	case e.Reason == ReasonDraining:
		return ObjectiveDraining
	case d.table.Owner(d.number) == Disputed:
		return ObjectiveDispute
	}
	return ObjectiveUnknown
}

// alone says whether nobody but the holder may have the partition.
func (d *derivation) alone(e *Explanation) bool {
	return !slices.ContainsFunc(e.Members, func(c Candidate) bool { return c.Effect != "" })
}

// bar is what leaves the holder alone: the most particular reason why another member may not have the partition.
func (d *derivation) bar(e *Explanation) Objective {
	for _, o := range []Objective{ObjectiveEligibility, ObjectiveTogether, ObjectiveLimit, ObjectiveDraining} {
		if slices.ContainsFunc(e.Members, func(c Candidate) bool { return c.Barred == o && c.Member != e.Members[d.holder].Member }) {
			return o
		}
	}
	return ObjectiveSubscription
}

// best notes the alternative with the least ratio among those with an effect, and says whether there is one.
func (d *derivation) best(e *Explanation, effect Effect) bool {
	found := NoOwner
	for m := range e.Members {
		if c := &e.Members[m]; c.Effect == effect && (found < 0 || c.RatioThen < e.Members[found].RatioThen) {
			found = m
		}
	}
	if found >= 0 {
		d.others = found
	}
	return found >= 0
}

func (d *derivation) kept(e *Explanation) Objective {
	switch {
	case d.best(e, EffectBetter):
		return ObjectiveUnknown
	case d.best(e, EffectSame):
		return ObjectiveMovement
	}
	d.best(e, EffectWorse)
	return ObjectiveBalance
}

func (d *derivation) moved(e *Explanation) Objective {
	d.others = d.table.Keeper(d.number)
	c := &e.Members[d.others]
	switch {
	case c.Barred != "":
		return c.Barred
	case c.Effect == EffectWorse:
		return ObjectiveBalance
	}
	return ObjectiveUnknown
}

func (d *derivation) placed(e *Explanation) Objective {
	switch {
	case d.best(e, EffectBetter):
		return ObjectiveUnknown
	case d.best(e, EffectSame):
		return d.tie(e)
	}
	d.best(e, EffectWorse)
	return ObjectiveBalance
}

// tie finds what told the holder from those that are as good for balance.
func (d *derivation) tie(e *Explanation) Objective {
	holder := &e.Members[d.holder]
	var rivals []*Candidate
	for m := range e.Members {
		if c := &e.Members[m]; c.Effect == EffectSame {
			rivals = append(rivals, c)
		}
	}
	for _, o := range d.Ties {
		equal := rivals[:0:0]
		for _, c := range rivals {
			switch x := score(o, holder, -1) - score(o, c, 0); {
			case x < 0:
				return ObjectiveUnknown // the assignor did not look at this one alone
			case x == 0:
				equal = append(equal, c)
			}
		}
		if rivals = equal; len(rivals) == 0 {
			return o
		}
	}
	return ObjectiveOrder
}

// score is how good a member is by an objective, higher is better. own is what to add to its partitions of the topic.
func score(o Objective, c *Candidate, own int) float64 {
	switch {
	case o == ObjectivePreference && c.Prefer != nil:
		return *c.Prefer
	case o == ObjectiveRacks && c.Away:
		return -1
	case o == ObjectiveSpread:
		return -float64(c.InTopic + own)
	}
	return 0
}
