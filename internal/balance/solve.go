package balance

// Solve returns the best assignment; see the package comment for what that means. An error says that the problem
// is malformed. Solve keeps nothing of p and changes nothing in it, and may be called from several goroutines.
func Solve(p *Problem, o Options) (Result, error) {
	if err := p.validate(o); err != nil {
		return Result{}, err
	}
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
		s.fromNetwork(n)
	}
	r := Result{Owner: s.owner, Voluntary: s.voluntary, Placed: s.placed, Stopped: stopped}
	if stopped == Complete {
		s.refine(o, work, bounds, &r)
	}
	r.Loads = make([]int32, p.Members)
	for _, m := range r.Owner {
		if m >= 0 {
			r.Loads[m]++
		}
	}
	return r, nil
}

// Optimum tells what Solve would reach in loads and voluntary moves, without placing partitions.
func Optimum(p *Problem, o Options) (Optimal, error) {
	if err := p.validate(o); err != nil {
		return Optimal{}, err
	}
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
	n.fewestMoves()
	return n
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
	clear(s.owned)
	if len(topics) > 0 {
		s.class(topics, members)
	}
}
