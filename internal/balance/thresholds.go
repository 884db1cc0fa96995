package balance

import "cmp"

// thresholdState holds, per distinct capacity, what thresholds works with.
type thresholdState struct {
	members  []int64 // members with this capacity
	level    []int64 // units that each of them takes for certain
	raised   []bool  // the next unit costs exactly the threshold
	cheapest []bool
}

// thresholds finds, for so many units over the members without regard to subscriptions, the marginal cost of the
// last unit: low is the number of units of a member that are cheaper, high those that are not dearer. The k-th unit on a member of
// capacity c costs (2k-1)/c; quotients are compared by multiplication. tie: low and high differ somewhere.
func (n *network) thresholds(units int64, members []int32) (tie bool) {
	count, level := n.members, n.level
	clear(count)
	clear(n.raised)
	n.work.spend(2 * len(members))
	var capacity int64
	for _, m := range members {
		count[n.capacity[m]]++
		capacity += int64(n.capacities[n.capacity[m]])
	}
	var sum int64
	for j, c := range n.capacities {
		level[j] = 0
		// With a threshold x at least (x*capacity+members)/2 units cost x or less, so that x is at least
		// (2*units-members)/capacity. Start with the units that cost at most this: their sum never
		// exceeds units, as at equality every quotient is whole.
		if v := int64(c)*(2*units-int64(len(members))) + capacity; v > 0 {
			level[j] = v / (2 * capacity)
		}
		sum += count[j] * level[j]
	}
	for sum < units {
		next := n.cheapestUnits()
		if sum+next > units {
			copy(n.raised, n.cheapest)
			tie = true
			break
		}
		for j, is := range n.cheapest {
			if is {
				level[j]++
			}
		}
		sum += next
	}
	for _, m := range members {
		j := n.capacity[m]
		n.low[m], n.high[m] = int32(level[j]), int32(level[j])
		if n.raised[j] {
			n.high[m]++
		}
	}
	return tie
}

// cheapestUnits marks the capacities whose next unit costs least and returns the number of members that have them.
func (n *network) cheapestUnits() (members int64) {
	best := -1
	n.work.spend(len(n.capacities))
	for j, c := range n.capacities {
		if n.members[j] == 0 {
			continue
		}
		cheaper := 1
		if best >= 0 {
			cheaper = cmp.Compare((2*n.level[best]+1)*int64(c), (2*n.level[j]+1)*int64(n.capacities[best]))
		}
		if cheaper > 0 {
			clear(n.cheapest)
			best, members = j, 0
		}
		if cheaper >= 0 {
			n.cheapest[j] = true
			members += n.members[j]
		}
	}
	return members
}
