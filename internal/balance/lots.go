package balance

import "slices"

// exchangeBuilder turns the assignment at hand into an exchange.
type exchangeBuilder struct {
	*placement
	bounds   *limits
	tolerant bool
	most     int // lanes that are not too many; 0: any number
	x        *exchange
	free     []lane // memory for the lanes of lots
	load     []int32
	hostNode []int32 // node after each member
	hosts    int32
	weight   weights
}

// weights of the objectives in the packed cost.
type weights struct {
	hosts, moves, racks int64
	balance             []int64 // per member, for a unit of load²; nil: balance is a matter of bounds
}

func (b *exchangeBuilder) build() *exchange {
	p := b.problem
	b.x = &exchange{}
	b.load = make([]int32, p.Members)
	for _, m := range b.owner {
		if m >= 0 {
			b.load[m]++
		}
	}
	b.makeLots()
	b.countHosts()
	lanes := b.lanes()
	if b.most > 0 && lanes > b.most || !b.weigh() {
		return nil
	}
	b.x.arcs = make([]arc, 0, lanes+p.Members+int(b.hosts)) // pairs are rare, and make it grow
	b.free = make([]lane, lanes)
	b.makeArcs()
	return b.x
}

// makeLots divides each topic's partitions by their racks.
func (b *exchangeBuilder) makeLots() {
	all := numbers(len(b.owner))
	b.x.lots = make([]lot, 0, len(b.problem.Partitions))
	for t := range b.problem.Partitions {
		list := all[b.bases[t]:b.bases[t+1]]
		if len(list) == 0 || b.owner[list[0]] < 0 { // nobody subscribes to it
			continue
		}
		if !b.racks {
			b.x.lots = append(b.x.lots, lot{topic: int32(t), partitions: list})
			continue
		}
		slices.SortStableFunc(list, func(i, j int32) int { return slices.Compare(b.racksOf(i), b.racksOf(j)) })
		for from := 0; from < len(list); {
			to := from + 1
			for to < len(list) && slices.Equal(b.racksOf(list[from]), b.racksOf(list[to])) {
				to++
			}
			b.x.lots = append(b.x.lots, lot{topic: int32(t), partitions: list[from:to]})
			from = to
		}
	}
}

// lanes counts the lanes that the lots will have, at most.
func (b *exchangeBuilder) lanes() (count int) {
	all := b.everyone()
	for i := range b.x.lots {
		count += len(b.problem.subscribers(b.x.lots[i].topic, all))
	}
	return count
}

func (b *exchangeBuilder) racksOf(i int32) []int32 {
	return b.problem.PartitionRacks[b.problem.RackStart[i]:b.problem.RackStart[i+1]]
}

// countHosts numbers the hosts from 0; members without a host have one of their own.
func (b *exchangeBuilder) countHosts() {
	if b.problem.Host == nil {
		return
	}
	b.hostNode = make([]int32, b.problem.Members)
	for _, group := range hostGroups(numbers(b.problem.Members), b.problem.Host) {
		for _, m := range group {
			b.hostNode[m] = b.hosts
		}
		b.hosts++
	}
}

// weigh chooses the weights from how much each objective can change along one cycle, lowest objective first. False:
// the numbers are too large.
func (b *exchangeBuilder) weigh() bool {
	p := b.problem
	nodes, pairs := p.Members+int(b.hosts)+len(b.x.lots)+1, 0
	most := int64(0) // partitions of a topic
	last := int32(-1)
	for i := range b.x.lots {
		l := &b.x.lots[i]
		if l.topic != last {
			last = l.topic
			most = max(most, int64(p.Partitions[last]))
			if b.racks {
				pairs += len(p.subscribers(last, b.everyone()))
			}
		}
	}
	nodes += pairs
	n := float64(nodes)
	cycle := n * (2*float64(most) + 1) // change of spread along a cycle
	racks := 2*cycle + 1
	next := racks * (2*n + 1)
	total := float64(len(b.owner))
	var perLoad []int64
	unit := next
	if b.tolerant {
		multiple := int64(1)
		for m := range p.Members {
			if c := b.capacity(m); multiple < 1<<40 {
				multiple = multiple / gcd(multiple, c) * c
			}
		}
		if multiple < 1<<20 {
			for m := range p.Members {
				perLoad = append(perLoad, multiple/b.capacity(m))
			}
			next *= 2*2*(2*total+1)*float64(multiple) + 1
		}
	}
	hosts, moves := float64(0), next
	if b.hosts > 0 && !b.tolerant {
		hosts = moves * (2*n + 1)
		next = hosts * (2*total + 1)
	} else {
		next = moves
	}
	if next*n*4 > 1<<60 {
		return false
	}
	b.weight = weights{hosts: int64(hosts), moves: int64(moves), racks: int64(racks)}
	for _, v := range perLoad {
		b.weight.balance = append(b.weight.balance, v*int64(unit))
	}
	return true
}

func (b *exchangeBuilder) everyone() []int32 { return everyone(b.problem) }

func (b *exchangeBuilder) capacity(m int) int64 {
	if b.problem.Capacity == nil {
		return 1
	}
	return int64(max(1, b.problem.Capacity[m]))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// makeArcs lays out lots, pairs, members, hosts and the sink, with the flow of the assignment at hand.
func (b *exchangeBuilder) makeArcs() {
	p, x := b.problem, b.x
	member := int32(len(x.lots))
	host := member + int32(p.Members)
	x.sink = host + b.hosts
	x.nodes = int(x.sink) + 1
	all := b.everyone()
	pair := make([]int32, p.Members) // pair node of the topic at hand
	have, mine := make([]int32, p.Members), make([]int32, p.Members)
	for i := 0; i < len(x.lots); {
		t := x.lots[i].topic
		lots := 1
		for i+lots < len(x.lots) && x.lots[i+lots].topic == t {
			lots++
		}
		takers := b.takers(t, p.subscribers(t, all))
		units := p.Partitions[t]
		if lots > 1 {
			clear(have)
			for _, m := range b.owner[b.bases[t]:b.bases[t+1]] {
				have[m]++
			}
			for _, m := range takers {
				pair[m] = int32(x.nodes)
				x.nodes++
				x.arcs = append(x.arcs, arc{from: pair[m], to: member + m, flow: have[m], high: units, square: 1})
			}
		}
		for ; lots > 0; lots-- {
			b.makeLanes(int32(i), takers, have, mine, pair, member)
			i++
		}
	}
	for m, load := range b.load {
		a := arc{from: member + int32(m), to: x.sink, flow: load, low: b.bounds.low[m], high: b.bounds.high[m]}
		if b.weight.balance != nil {
			a.square = b.weight.balance[m]
		}
		if b.hosts > 0 {
			a.to = host + b.hostNode[m]
		}
		x.arcs = append(x.arcs, a)
	}
	sums := make([]int32, b.hosts)
	for m, load := range b.load {
		if b.hosts > 0 {
			sums[b.hostNode[m]] += load
		}
	}
	for h, sum := range sums {
		x.arcs = append(x.arcs, arc{from: host + int32(h), to: x.sink, flow: sum, high: int32(len(b.owner)), square: b.weight.hosts})
	}
}

// takers are the subscribers in the block that has the topic.
func (b *exchangeBuilder) takers(t int32, subscribers []int32) []int32 {
	if b.bounds.block == nil {
		return subscribers
	}
	block := b.bounds.block[b.owner[b.bases[t]]]
	var list []int32
	for _, m := range subscribers {
		if b.bounds.block[m] == block {
			list = append(list, m)
		}
	}
	return list
}

// makeLanes makes the arcs of one lot. have is used up per lot, mine counts owners.
func (b *exchangeBuilder) makeLanes(i int32, takers, have, mine, pair []int32, member int32) {
	p, x := b.problem, b.x
	l := &x.lots[i]
	whole := len(l.partitions) == int(p.Partitions[l.topic])
	clear(have)
	clear(mine)
	for _, at := range l.partitions {
		have[b.owner[at]]++
		if p.Owner != nil {
			if o := p.Owner[at]; o >= 0 && int(o) < p.Members {
				mine[o]++
			}
		}
	}
	l.lanes, b.free = b.free[:0:len(takers)], b.free[len(takers):]
	for _, m := range takers {
		a := arc{from: i, to: member + m, flow: have[m], high: int32(len(l.partitions)), owned: mine[m], moving: b.weight.moves}
		if whole {
			a.square = 1
		} else {
			a.to = pair[m]
		}
		if b.racks && p.misses(l.partitions[0], m) {
			a.linear = b.weight.racks
		}
		l.lanes = append(l.lanes, lane{m, int32(len(x.arcs))})
		x.arcs = append(x.arcs, a)
	}
}
