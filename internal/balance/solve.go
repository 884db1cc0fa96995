package balance

import "slices"

// Solve returns the best assignment; see the package comment for what that means. An error says that the problem
// is malformed. Solve keeps nothing of p and changes nothing in it, and may be called from several goroutines.
func Solve(p *Problem, o Options) (Result, error) {
	if err := p.validate(o); err != nil {
		return Result{}, err
	}
	o.Tolerance = min(o.Tolerance, int32(p.total()))
	work := newMeter(o.Budget)
	all := everyone(p)
	s := newPlacement(p, p.offsets())
	bounds := &limits{low: make([]int32, p.Members), high: make([]int32, p.Members)}
	var stopped Stage
	if members, topics, is := p.equal(all); is {
		s.unassigned(all)
		s.equal(members, topics, o.Tolerance, bounds)
	} else {
		s.unassigned(all)
		n := solveNetwork(p, o, work, s.bases)
		stopped = n.stopped
		n.limits(bounds)
		if stopped == Complete {
			n.smooth(len(s.owner))
			if stopped = n.stopped; stopped == Spread && s.racks {
				stopped = Racks // they come first and were not seen to
			}
		}
		s.fromNetwork(n)
	}
	r := Result{Owner: s.owner, Loads: s.loads, Voluntary: s.voluntary, Placed: s.placed, Stopped: stopped}
	if stopped == Complete {
		s.refine(o, work, bounds, &r)
	}
	return r, nil
}

// Optimum tells what Solve would reach in loads and voluntary moves, without placing partitions.
func Optimum(p *Problem, o Options) (Optimal, error) {
	if err := p.validate(o); err != nil {
		return Optimal{}, err
	}
	o.Tolerance = min(o.Tolerance, int32(p.total()))
	if p.Host != nil {
		r, err := Solve(p, o) // the host's choice of loads is final only after the last step
		return Optimal{Loads: r.Loads, Voluntary: r.Voluntary, Stopped: r.Stopped}, err
	}
	all := everyone(p)
	if members, topics, is := p.equal(all); is {
		s := &placement{problem: p, quota: make([]int32, p.Members), owned: make([]int32, p.Members)}
		bases := p.offsets()
		s.quotas(members, topics, bases, o.Tolerance, &limits{low: make([]int32, p.Members), high: make([]int32, p.Members)})
		var lost int64
		for _, m := range members {
			lost += int64(max(0, s.owned[m]-s.quota[m]))
		}
		return Optimal{Loads: s.quota, Voluntary: lost}, nil
	}
	n := solveNetwork(p, o, newMeter(o.Budget), p.offsets())
	r := Optimal{Loads: make([]int32, p.Members), Voluntary: n.voluntary(), Stopped: n.stopped}
	for m, load := range n.load {
		r.Loads[n.caller[m]] = load
	}
	return r, nil
}

// everyone lists all members if all subscribe to everything.
func everyone(p *Problem) []int32 {
	if p.Start != nil {
		return nil
	}
	return numbers(p.Members)
}

// limits are the loads that members may have, and the blocks that units may not cross. block nil: all one.
type limits struct {
	low, high []int32
	block     []int32
}

func solveNetwork(p *Problem, o Options, work *meter, bases []int32) *network {
	n := newNetwork(p, newClasses(p), work)
	n.own(bases)
	n.balance()
	if n.stopped == Balance {
		n.settle()
		return n
	}
	if o.Tolerance > 0 {
		n.tolerate(o.Tolerance)
		return n
	}
	n.fewestMoves()
	if p.Host != nil {
		if n.stopped == Complete {
			n.settleHosts()
		} else {
			n.stopped = Balance // the hosts' loads are not even yet
		}
	}
	return n
}

// settleHosts evens out the hosts' loads and finds the fewest moves for the loads that this leads to. The bounds
// stay as wide as balance allows, for the exact work on small groups.
func (n *network) settleHosts() {
	if !n.evenHosts() || n.stopped != Complete {
		return
	}
	low, high := slices.Clone(n.low), slices.Clone(n.high)
	copy(n.low, n.load)
	copy(n.high, n.load)
	for i := range n.blocks {
		n.blocks[i].tie = false
	}
	n.fewestMoves()
	copy(n.low, low)
	copy(n.high, high)
}

// limits translates the bounds of the members' loads.
func (n *network) limits(to *limits) {
	to.block = make([]int32, n.memberN)
	for m, caller := range n.caller {
		to.low[caller], to.high[caller] = n.low[m], n.high[m]
		to.block[caller] = n.blockOf[m]
	}
}

// quotas counts owners and finds the members' loads where all subscriptions are equal.
func (s *placement) quotas(members, topics, bases []int32, tolerance int32, bounds *limits) {
	p := s.problem
	if p.Start != nil {
		s.subscribed(appendRow(nil, members))
	}
	total := int64(0)
	for _, t := range topics {
		total += int64(p.Partitions[t])
		if p.Owner == nil {
			continue
		}
		for _, o := range p.Owner[bases[t]:bases[t+1]] {
			if uint32(o) < uint32(p.Members) && (p.Start == nil || has(s.member, o)) {
				s.owned[o]++
			}
		}
	}
	if len(members) == 0 {
		return
	}
	var low, high int32
	if p.Host != nil {
		low, high = hostQuotas(members, s.owned, p.Host, total, s.quota)
	} else {
		low, high = quotas(members, s.owned, total, s.quota)
	}
	if tolerance > 0 {
		low, high = max(0, low-tolerance), high+tolerance
		tolerantQuotas(members, s.owned, total, low, high, s.quota)
	}
	for _, m := range members {
		bounds.low[m], bounds.high[m] = low, high
	}
}

// equal places all partitions where all subscriptions are equal.
func (s *placement) equal(members, topics []int32, tolerance int32, bounds *limits) {
	s.quotas(members, topics, s.bases, tolerance, bounds)
	s.loads = slices.Clone(s.quota)
	if len(topics) > 0 {
		s.class(topics, members)
	}
}
