package balance

import "math/bits"

// A hostSearch evens out what the members of each host have together, without changing what balance has reached: units of the
// tied level pass between members of one block, and a host that receives one may pass on another in any block.
// The sum of the hosts' squares is least exactly if no such path leads from a host to one whose sum
// is lower by two or more.
type hostSearch struct {
	*network
	hostOf  []int32   // per member
	members [][]int32 // per host
	sum     []int64
	blockAt []int32 // of a class
	from    []int32 // node before each node: classes, members, hosts
	queue   []int32
}

// evenHosts finds the least sum of the hosts' squares and tells whether it changed any load.
func (n *network) evenHosts() (changed bool) {
	h := &hostSearch{network: n, hostOf: make([]int32, n.memberN), blockAt: make([]int32, n.classN)}
	for g, group := range hostGroups(numbers(n.problem.Members), n.problem.Host) {
		sum, list := int64(0), make([]int32, len(group))
		for i, caller := range group {
			m := n.number[caller]
			list[i], h.hostOf[m] = m, int32(g)
			sum += int64(n.load[m])
		}
		h.members, h.sum = append(h.members, list), append(h.sum, sum)
	}
	for b, j := range n.blocks {
		for _, c := range j.classes {
			h.blockAt[c] = int32(b)
		}
	}
	h.from = make([]int32, int(n.classN+n.memberN)+len(h.sum))
	fill(h.from, unreached)
	n.focus(numbers(int(n.classN)), numbers(int(n.memberN)))
	copy(n.newMembers, n.inMembers)
	copy(n.newClasses, n.inClasses)
	done := make([]bool, len(h.sum))
	for range h.sum {
		for {
			g := h.highest(done)
			if n.work.empty() {
				n.stopped = Balance
				return changed
			}
			if !h.relieve(g) {
				done[g] = true
				break
			}
			changed = true
		}
	}
	return changed
}

const (
	unreached = -1
	dead      = -2 // nothing lower can be reached from here
)

// highest is the host with the greatest sum of those that are not done.
func (h *hostSearch) highest(done []bool) int32 {
	best := -1
	h.work.spend(len(done))
	for g, sum := range h.sum {
		if !done[g] && (best < 0 || sum > h.sum[best]) {
			best = g
		}
	}
	return int32(best)
}

// relieve takes one unit from the highest host if it finds a path to a host with two less or fewer. If there is none, what it
// has reached is dead: hosts come by falling sums, so that nobody later finds a lower one there, and later paths avoid
// it, so that none opens.
func (h *hostSearch) relieve(g int32) bool {
	hosts := h.classN + h.memberN
	if h.from[hosts+g] == dead {
		return false
	}
	h.queue = append(h.queue[:0], hosts+g)
	h.from[hosts+g] = hosts + g
	found := int32(unreached)
	for i := 0; i < len(h.queue) && found < 0; i++ {
		if h.work.empty() {
			return false
		}
		switch v := h.queue[i]; {
		case v < h.classN:
			h.fromClass(v)
		case v < hosts:
			found = h.fromMember(v-h.classN, h.sum[g]-2)
		default:
			for _, m := range h.members[v-hosts] {
				if h.load[m] > h.low[m] && has(h.newMembers, m) {
					h.reachMember(m, v)
				}
			}
		}
	}
	if found >= 0 {
		h.pass(hosts + found)
		h.sum[found]++
		h.sum[g]--
	}
	for _, v := range h.queue {
		switch {
		case found < 0:
			h.from[v] = dead
			continue
		case v < h.classN:
			h.newClasses[v>>6] |= bit(v)
		case v < hosts:
			h.newMembers[(v-h.classN)>>6] |= bit(v - h.classN)
		}
		h.from[v] = unreached
	}
	return found >= 0
}

func (h *hostSearch) reachMember(m, from int32) {
	h.newMembers[m>>6] &^= bit(m)
	h.from[h.classN+m] = from
	h.queue = append(h.queue, h.classN+m)
}

// fromMember reaches the host, if the member can keep a unit more, and the classes of which it can pass one on. It
// returns the host if its sum is as low as wanted.
func (h *hostSearch) fromMember(m int32, wanted int64) int32 {
	host := h.hostOf[m]
	if v := h.classN + h.memberN + host; h.load[m] < h.high[m] && h.from[v] == unreached {
		h.from[v] = h.classN + m
		h.queue = append(h.queue, v)
		if h.sum[host] <= wanted {
			return host
		}
	}
	column := h.column[h.columnStart[m]:h.columnStart[m+1]]
	h.work.spend(2*len(column) + 4)
	for k := range column {
		q := &column[k]
		x := (q.returns | q.saves) & h.newClasses[q.place]
		h.newClasses[q.place] &^= x
		for ; x != 0; x &= x - 1 {
			c := q.place*64 + lowest(x)
			h.from[c] = h.classN + m
			h.queue = append(h.queue, c)
		}
	}
	return unreached
}

// fromClass reaches the subscribers in the block of the class.
func (h *hostSearch) fromClass(c int32) {
	row := h.row[h.rowStart[c]:h.rowStart[c+1]]
	h.work.spend(2*len(row) + 4)
	for k := range row {
		w := &row[k]
		x := w.row & h.newMembers[w.place]
		h.work.spend(4 * bits.OnesCount64(x))
		for ; x != 0; x &= x - 1 {
			if m := w.place*64 + lowest(x); h.blockOf[m] == h.blockAt[c] {
				h.reachMember(m, c)
			}
		}
	}
}

// pass sends a unit along the path that ends at a node.
func (h *hostSearch) pass(v int32) {
	hosts := h.classN + h.memberN
	for h.from[v] != v {
		u := h.from[v]
		switch {
		case v >= hosts:
			h.load[u-h.classN]++
		case u >= hosts:
			h.load[v-h.classN]--
		case u < h.classN:
			h.change(u, v-h.classN, 1)
		default:
			h.change(v, u-h.classN, -1)
		}
		v = u
	}
}

func (h *hostSearch) change(c, m, units int32) {
	w := h.wordOf(c, m>>6)
	h.add(c, m, w, w.pair(m&63), units)
}
