package strategy

import (
	"fmt"
	"strconv"
	"strings"
)

// name is how sentences call the partition: "orders-7".
func (e *Explanation) name() string { return nameOf(TopicPartition{e.Topic, e.Partition}) }

func nameOf(p TopicPartition) string { return p.Topic + "-" + strconv.Itoa(int(p.Partition)) }

// say puts into words what was decided, and what each member is to the partition.
func (e *Explanation) say(d *derivation) {
	e.Why = e.sentence(d)
	for m := range e.Members {
		e.Members[m].Says = e.about(&e.Members[m])
	}
}

// sentence is why the partition is where it is.
func (e *Explanation) sentence(d *derivation) string {
	if d.holder < 0 {
		return e.lacking()
	}
	name, holder, before := e.name(), e.Members[d.holder].Member, d.table.Owner(d.number)
	switch {
	case before == d.holder:
		return fmt.Sprintf("%s keeps %s%s.", holder, name, e.because(d))
	case d.table.Keeper(d.number) >= 0:
		from := &e.Members[before]
		if from.Barred != "" {
			return fmt.Sprintf("%s moves from %s, which %s, to %s.", name, from.Member, e.barrier(from.Barred), holder)
		}
		return fmt.Sprintf("%s moves from %s to %s%s.", name, from.Member, holder, e.relief(d))
	case before >= 0:
		return fmt.Sprintf("%s gets %s, as %s does not subscribe to %s any more%s.", holder, name, e.Members[before].Member, e.Topic, e.because(d))
	case before == Disputed:
		return fmt.Sprintf("%s gets %s, which two members claimed%s.", holder, name, e.because(d))
	}
	return fmt.Sprintf("%s gets %s, which nobody owned%s.", holder, name, e.because(d))
}

// because compares the holder with its alternatives.
func (e *Explanation) because(d *derivation) string {
	holder := &e.Members[d.holder]
	if d.others < 0 {
		return ": no other member may have it" + e.tally(holder.Member)
	}
	other := &e.Members[d.others]
	switch e.Decided {
	case ObjectiveBalance:
		return fmt.Sprintf(": with any other member that may have it loads would be less even. The best of them, %s, would have %s with it, to %s of %s without",
			other.Member, e.amount(other.LoadThen, other.Capacity), e.amount(holder.LoadThen, holder.Capacity), holder.Member)
	case ObjectiveMovement:
		return fmt.Sprintf(": with %s loads would be as even as they are, so a move would gain nothing", other.Member)
	case ObjectivePreference:
		return fmt.Sprintf(": %s would be as good for balance, and %s is preferred", other.Member, holder.Member)
	case ObjectiveRacks:
		return fmt.Sprintf(": %s would be as good for balance, and %s is in a rack of the partition", other.Member, holder.Member)
	case ObjectiveSpread:
		return fmt.Sprintf(": %s would be as good for balance, and %s has fewer partitions of %s", other.Member, holder.Member, e.Topic)
	case ObjectiveOrder:
		return fmt.Sprintf(": %s would be as good, and the order of partitions and members decides", other.Member)
	}
	if other.Effect == EffectBetter {
		return fmt.Sprintf(", though loads would be more even with %s", other.Member)
	}
	return fmt.Sprintf(", though %s would be as good", other.Member)
}

// relief compares the owner before with the holder.
func (e *Explanation) relief(d *derivation) string {
	from, to := &e.Members[d.others], &e.Members[d.holder]
	switch from.Effect {
	case EffectWorse:
		return fmt.Sprintf(", so that loads are more even: with it %s would have %s, and has %s; without it %s would have %s, and has %s", from.Member,
			e.amount(from.LoadThen, from.Capacity), figure(from.Load), to.Member, e.amount(to.LoadThen, to.Capacity), figure(to.Load))
	case EffectBetter:
		return ", though loads would be more even if it had stayed"
	}
	return ", though loads would be as even if it had stayed"
}

// lacking is why nobody has the partition.
func (e *Explanation) lacking() string {
	name := e.name()
	switch e.Decided {
	case ObjectiveSubscription:
		return fmt.Sprintf("Nobody gets %s: no member subscribes to %s.", name, e.Topic)
	case ObjectiveEligibility:
		return fmt.Sprintf("Nobody gets %s: no member may have it by the rules of %s.", name, e.Assignor)
	case ObjectiveLimit:
		return fmt.Sprintf("Nobody gets %s: every member that may have it has as many partitions as the limit allows.", name)
	case ObjectiveDraining:
		return fmt.Sprintf("Nobody gets %s: only draining members may have it.", name)
	case ObjectiveDispute:
		return fmt.Sprintf("Nobody gets %s yet: two members claim it, and both have to give it up first.", name)
	}
	if e.Fate == FateWithheld && e.Before != "" {
		return fmt.Sprintf("Nobody gets %s yet: %s still owns it, and gives it up first.", name, e.Before)
	}
	return fmt.Sprintf("Nobody gets %s, and %s does not say why.", name, e.Assignor)
}

// about is what a member is to the partition.
func (e *Explanation) about(c *Candidate) string {
	holder := e.Holder()
	switch {
	case holder != nil && holder.Member == c.Member:
		return e.Why
	case c.Barred != "":
		return fmt.Sprintf("%s may not have %s: it %s.", c.Member, e.name(), e.barrier(c.Barred))
	case holder == nil:
		return fmt.Sprintf("%s subscribes to %s, and does not get %s.", c.Member, e.Topic, e.name())
	}
	result := "as even as they are, so a move would gain nothing"
	switch c.Effect {
	case EffectWorse:
		result = "less even than they are"
	case EffectBetter:
		result = "more even than they are"
	}
	return fmt.Sprintf("With %s, %s would have %s instead of %s, and %s %s instead of %s: loads would be %s.", e.name(), c.Member,
		e.amount(c.LoadThen, c.Capacity), figure(c.Load), holder.Member, e.amount(holder.LoadThen, holder.Capacity), figure(holder.Load), result)
}

// barrier is why a member may not have the partition, to stand behind "it" or "which".
func (e *Explanation) barrier(o Objective) string {
	switch o {
	case ObjectiveSubscription:
		return "does not subscribe to " + e.Topic
	case ObjectiveEligibility:
		return "is not eligible by the rules of " + e.Assignor
	case ObjectiveTogether:
		return "may not have all that moves along with it"
	case ObjectiveLimit:
		return "has as many partitions as the limit allows"
	case ObjectiveDraining:
		return "is draining"
	}
	return "may not have it (" + string(o) + ")"
}

// tally counts why members other than the holder may not have the partition.
func (e *Explanation) tally(holder string) string {
	count := map[Objective]int{}
	for m := range e.Members {
		if c := &e.Members[m]; c.Member != holder && c.Barred != "" {
			count[c.Barred]++
		}
	}
	var parts []string
	for _, x := range []struct {
		bar       Objective
		one, many string
	}{
		{ObjectiveSubscription, "does not subscribe to " + e.Topic, "do not subscribe to " + e.Topic},
		{ObjectiveEligibility, "is not eligible", "are not eligible"},
		{ObjectiveTogether, "may not have all that moves along", "may not have all that moves along"},
		{ObjectiveLimit, "is at the limit", "are at the limit"},
		{ObjectiveDraining, "is draining", "are draining"},
	} {
		switch n := count[x.bar]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+x.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, x.many))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// amount is a load in words.
func (e *Explanation) amount(load, capacity float64) string {
	text := figure(load)
	switch {
	case e.Loads != "partitions":
		text = "weight " + text
	case text == "1":
		text += " partition"
	default:
		text += " partitions"
	}
	for m := range e.Members {
		if c := e.Members[m].Capacity; c > 0 && c != 1 && capacity > 0 {
			return text + " at capacity " + figure(capacity)
		}
	}
	return text
}

// figure prints a number as briefly as two decimals allow.
func figure(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}

// promise notes that a promise decided: kept is who the partition counts as owned by, as it was promised to it.
func (e *Explanation) promise(kept string) {
	if holder := e.Holder(); holder != nil && holder.Member == kept && kept != e.Before {
		e.Decided = ObjectivePromise
		e.Why = fmt.Sprintf("%s gets %s, which it was promised in an earlier round.", kept, e.name())
		holder.Says = e.Why
	}
}

// sayWithheld adds for what the partition waits.
func (e *Explanation) sayWithheld() {
	holder := e.Holder()
	if e.Fate != FateWithheld || holder == nil {
		return
	}
	switch {
	case e.With != nil:
		e.Why += fmt.Sprintf(" It waits for %s, which moves along with it and is still owned by another member; %s gets both in the next round.", nameOf(*e.With), holder.Member)
	case e.Before == "":
		e.Why += fmt.Sprintf(" Both that claim it give it up first; %s gets it in the next round.", holder.Member)
	default:
		e.Why += fmt.Sprintf(" %s still owns it and gives it up first; %s gets it in the next round.", e.Before, holder.Member)
	}
	holder.Says = e.Why
}
