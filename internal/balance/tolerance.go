package balance

import "slices"

// tolerate widens the members' bounds by the tolerance and finds the fewest moves within them. The bounds start from
// the loads that the member has in some optimal assignment. Units may then cross between blocks, so that
// all live members form one problem, and draining ones with the classes that nobody else may take another.
func (n *network) tolerate(tolerance int32) {
	n.ranges()
	if n.work.empty() {
		n.stopped = Moves
		return
	}
	var merged [2]block
	for _, j := range n.blocks {
		kind := 0
		if capacity := n.problem.Capacity; capacity != nil && capacity[n.caller[j.members[0]]] == 0 {
			kind = 1
		}
		merged[kind].classes = append(merged[kind].classes, j.classes...)
		merged[kind].members = append(merged[kind].members, j.members...)
	}
	n.blocks = n.blocks[:0]
	n.base = slices.Clone(n.low)
	for _, j := range merged {
		for _, m := range j.members {
			n.low[m] = max(0, n.low[m]-tolerance)
			n.high[m] += tolerance
			n.blockOf[m] = int32(len(n.blocks))
		}
		if len(j.members) == 0 {
			continue
		}
		n.blocks = append(n.blocks, j)
		if len(j.classes) == 0 || n.keepsMost(j.classes, j.members) {
			continue
		}
		n.focus(j.classes, j.members)
		n.shift(j.classes, j.members)
	}
}
