package weighted

import (
	"context"
	"math"
	"slices"
)

// settings are options in the form in which they are used.
type settings struct {
	strict                 bool
	tolerance, gain, noise float64
	maxMoves, maxWeight    int64
}

// solver is the state of one Solve.
type solver struct {
	ctx     context.Context
	p       *Problem
	o       settings
	classes *classes
	item    []item // by rising weight
	parts   []int32
	split   []int32
	topic   []int32 // of each partition, where preferences are by topic

	capacity []float64 // of draining members: the largest of all, for the balance among them
	drains   []bool
	load     []int64
	ratio    []float64 // load over capacity
	count    []int32   // partitions
	held     [][]int32 // items, ascending and so by rising weight
	target   []float64 // load
	limit    []int32   // partitions, as many as can be where there is none
	limited  bool      // somebody has one

	free        bool // only items that are not at home may move
	moved       int64
	movedWeight int64
	step        int32
	cause       []cause
	journal     []entry
	left        int64 // steps of work
	glance      int64 // the context is looked at when no more than this is left
	stopped     string
	cancelled   bool

	receivers []int32
	takers    []uint64
	given     []int32
	got       []int32
	after     []int32
	trial     []hop
	best      []hop
	sums      []int64
}

// A hop is an item that goes to a member.
type hop struct{ item, to int32 }

// A cause is why an item is where it is; reason 0: it has not moved.
type cause struct {
	reason    Reason
	step      int32
	member    int32
	giver     int32
	giverLoad [2]int64
	toLoad    [2]int64
}

// An entry of the journal is a hop that was made, with what is needed to take it back.
type entry struct {
	hop
	from   int32
	before cause
	cause  cause
	free   bool // it was made while only items that are not at home may move
}

func newSolver(ctx context.Context, p *Problem, o Options) *solver {
	n := p.Members
	s := &solver{
		ctx: ctx, p: p, o: o.settings(p), classes: newClasses(p.Words()),
		capacity: make([]float64, n), drains: make([]bool, n), load: make([]int64, n), ratio: make([]float64, n),
		count: make([]int32, n), held: make([][]int32, n), target: make([]float64, n),
		takers: make([]uint64, max(1, p.Words())),
	}
	s.limit, s.limited = p.limits()
	switch s.left = o.Budget; {
	case o.Budget == 0:
		s.left = DefaultBudget
	case o.Budget < 0:
		s.left = math.MaxInt64
	}
	s.glance = s.left
	shares := p.shares()
	largest := int32(1)
	for _, c := range shares {
		largest = max(largest, c)
	}
	for m := range s.capacity {
		c := int32(1)
		if shares != nil {
			if c = shares[m]; c == 0 {
				s.drains[m], c = true, largest
			}
		}
		s.capacity[m] = float64(c)
	}
	class := s.classes.of(p)
	s.items(class)
	s.orderClasses()
	s.classes.close(shares)
	s.cause = make([]cause, len(s.item))
	if p.Prefer != nil && p.PreferClass == nil {
		s.topic = make([]int32, 0, len(class))
		for t, n := range p.Partitions {
			for range n {
				s.topic = append(s.topic, int32(t))
			}
		}
	}
	return s
}

// orderClasses numbers the classes of items by their weight.
func (s *solver) orderClasses() {
	weight := make([]float64, s.classes.len())
	for i := range s.item {
		weight[s.item[i].class] += float64(s.item[i].weight)
	}
	number := s.classes.order(weight)
	for i := range s.item {
		s.item[i].class = number[s.item[i].class]
	}
}

func (o Options) settings(p *Problem) settings {
	share := func(given, standard int32) float64 {
		if given == 0 {
			given = standard
		}
		if given < 0 || o.Strict {
			return 0
		}
		return float64(given) / 1000
	}
	noise := int32(DefaultNoise)
	if p.uniform() {
		noise = -1
	}
	t := settings{
		tolerance: share(o.Tolerance, DefaultTolerance), gain: share(o.Gain, DefaultGain), noise: share(o.Noise, noise),
		maxMoves: math.MaxInt64, maxWeight: math.MaxInt64,
	}
	t.strict = t.tolerance == 0 && t.gain == 0 && t.noise == 0
	if o.MaxMoves != 0 {
		t.maxMoves = int64(max(0, o.MaxMoves))
	}
	if o.MaxWeight != 0 {
		t.maxWeight = max(0, o.MaxWeight)
	}
	return t
}

// spend counts work.
func (s *solver) spend(steps int) { s.left -= int64(steps) }

// out tells whether the budget or the context has ended, and notes what was going on.
func (s *solver) out(stage string) bool {
	if s.left <= s.glance {
		s.glance = s.left - glances
		s.abandoned()
	}
	if s.left < 0 && s.stopped == "" {
		s.stopped = stage
	}
	return s.left < 0
}

// glances is the work between two looks at the context: about a millisecond.
const glances = 1_000_000

// abandoned tells whether the context has ended. All work ends then as it does with the budget, and its result is not for use.
func (s *solver) abandoned() bool {
	if !s.cancelled && s.ctx.Err() != nil {
		s.cancelled, s.left = true, -1
	}
	return s.cancelled
}

// with is the ratio of m with so much more load.
func (s *solver) with(m int32, more int64) float64 {
	return float64(s.load[m]+more) / s.capacity[m]
}

// goal is the load of m that is good enough.
func (s *solver) goal(m int32) float64 { return float64(s.target[m] * (1 + s.o.tolerance)) }

// movable tells whether item i may leave its owner at this stage.
func (s *solver) movable(i int32) bool {
	return !s.free || s.item[i].home != s.item[i].owner
}

// cost is how the moves that are not forced change if item i goes to m.
func (s *solver) cost(i, m int32) (moves, weight int64) {
	switch x := &s.item[i]; x.home {
	case None:
	case x.owner:
		return int64(x.own), x.stake
	case m:
		return -int64(x.own), -x.stake
	}
	return 0, 0
}

// price sums up what hops cost, and tells whether so much may still move.
func (s *solver) price(hops []hop) (weight int64, allowed bool) {
	moves := int64(0)
	for _, h := range hops {
		n, w := s.cost(h.item, h.to)
		moves, weight = moves+n, weight+w
	}
	return weight, (moves <= 0 || s.moved+moves <= s.o.maxMoves) && (weight <= 0 || s.movedWeight+weight <= s.o.maxWeight)
}

// liking is the score of item i and member m.
func (s *solver) liking(i, m int32) (sum int64) {
	class := s.p.PreferClass
	if class == nil {
		class = s.topic
	}
	for _, q := range s.partitions(&s.item[i]) {
		sum += int64(s.p.Prefer[int(class[q])*s.p.Members+int(m)])
	}
	return sum
}

// apply makes hops in one step and notes why. Items must be at different places than they go to.
func (s *solver) apply(why Reason, member int32, hops []hop) {
	mark := len(s.journal)
	for _, h := range hops {
		c := cause{reason: why, step: s.step, member: member, giver: s.item[h.item].owner}
		c.toLoad[0] = s.load[h.to]
		if c.giver != None {
			c.giverLoad[0] = s.load[c.giver]
		}
		s.journal = append(s.journal, entry{hop: h, from: c.giver, before: s.cause[h.item], cause: c, free: s.free})
	}
	for _, h := range hops {
		s.carry(h)
	}
	for i := range s.journal[mark:] {
		e := &s.journal[mark+i]
		e.cause.toLoad[1] = s.load[e.to]
		if e.from != None {
			e.cause.giverLoad[1] = s.load[e.from]
		}
		s.cause[e.item] = e.cause
	}
	s.step++
}

// undo takes back what the journal has from mark on.
func (s *solver) undo(mark int) {
	for k := len(s.journal) - 1; k >= mark; k-- {
		e := &s.journal[k]
		s.carry(hop{e.item, e.from})
		s.cause[e.item] = e.before
		s.step = min(s.step, e.cause.step)
	}
	s.journal = s.journal[:mark]
}

// carry brings an item to a member, or to none.
func (s *solver) carry(h hop) {
	x := &s.item[h.item]
	n, w := s.cost(h.item, h.to)
	s.moved, s.movedWeight = s.moved+n, s.movedWeight+w
	if a := x.owner; a != None {
		k, _ := slices.BinarySearch(s.held[a], h.item)
		s.held[a] = slices.Delete(s.held[a], k, k+1)
		s.load[a] -= x.weight
		s.count[a] -= x.size
		s.ratio[a] = float64(s.load[a]) / s.capacity[a]
	}
	if b := h.to; b != None {
		k, _ := slices.BinarySearch(s.held[b], h.item)
		s.held[b] = slices.Insert(s.held[b], k, h.item)
		s.load[b] += x.weight
		s.count[b] += x.size
		s.ratio[b] = float64(s.load[b]) / s.capacity[b]
	}
	x.owner = h.to
}
