package balance

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// After a cooperative round has withheld what moves, the next needs no further voluntary move, and then nothing changes.
func TestTwoRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 78))
	for n := range 2000 {
		c := recipe{topics: 14, members: 14, partitions: 12, equal: n%5 == 0, racks: n%7 == 0, hosts: n%11 == 0}
		if n%2 == 0 {
			c.capacity = 4
		}
		p := randomProblem(r, c)
		o := Options{Tolerance: int32(n % 3 / 2)}
		first := mustSolve(t, p, o)
		withheld := slices.Clone(first.Owner)
		for i, m := range withheld {
			if p.Owner != nil && p.Owner[i] != m {
				withheld[i] = None
			}
		}
		second := mustSolve(t, p.ownedBy(withheld), o)
		if second.Voluntary != 0 {
			t.Fatalf("case %d: the second round revokes %d\n%s", n, second.Voluntary, p.describe())
		}
		third := mustSolve(t, p.ownedBy(first.Owner), o)
		if !slices.Equal(third.Owner, first.Owner) {
			t.Fatalf("case %d: not a fixed point: %v, %v\n%s", n, first.Owner, third.Owner, p.describe())
		}
		again := mustSolve(t, p, o)
		if !slices.Equal(again.Owner, first.Owner) {
			t.Fatalf("case %d: not deterministic", n)
		}
	}
}

// A member that joins an even group takes floor(P/(n+1)); when one leaves nobody else loses anything.
func TestChurn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	joins, leaves := 0, 0
	for range 60 {
		p := uniform(1+r.IntN(12), 1+r.IntN(60), 1+r.IntN(40))
		p = p.ownedBy(mustSolve(t, p, Options{}).Owner)
		for range 30 {
			total := p.total()
			switch {
			case r.IntN(2) == 0:
				q := *p
				q.Members++
				got := mustSolve(t, &q, Options{})
				if int(got.Voluntary) != total/q.Members || got.Placed != 0 {
					t.Fatalf("%d partitions: member %d joins, %d move", total, q.Members, got.Voluntary)
				}
				p = q.ownedBy(got.Owner)
				joins++
			case p.Members > 1:
				q := p.without(int32(r.IntN(p.Members)))
				got := mustSolve(t, q, Options{})
				if got.Voluntary != 0 {
					t.Fatalf("%d partitions: one of %d leaves, %d move", total, p.Members, got.Voluntary)
				}
				p = q.ownedBy(got.Owner)
				leaves++
			}
		}
	}
	t.Logf("%d joins, %d leaves", joins, leaves)
}

// topicParts is what each member has of a topic.
func topicParts(p *Problem, r Result, t int) []int {
	parts := make([]int, p.Members)
	for _, m := range r.Owner[p.Base(t):p.Base(t+1)] {
		parts[m]++
	}
	return parts
}

// Kafka's sticky assignors give a newcomer whole topics (KAFKA-16277).
func TestNewcomerGetsOfEveryTopic(t *testing.T) {
	p := uniform(2, 4, 2).ownedBy(make([]int32, 8))
	got := mustSolve(t, p, Options{})
	for topic := range 2 {
		if parts := topicParts(p, got, topic); !slices.Equal(parts, []int{2, 2}) {
			t.Error(parts)
		}
	}
	p = uniform(2, 18, 9).joined()
	got = mustSolve(t, p, Options{})
	for topic := range 2 {
		if parts := topicParts(p, got, topic); slices.Max(parts) > 3 || parts[8] != 2 {
			t.Error(parts)
		}
	}
}

// The same in groups too large for exact work: no member gets more of a topic than an even part, give or take one.
func TestLargeSpread(t *testing.T) {
	p := uniform(200, 50, 100)
	fresh := mustSolve(t, p, Options{})
	join := p.joined()
	for name, got := range map[string]Result{"fresh": fresh, "join": mustSolve(t, join, Options{})} {
		for topic := range p.Partitions {
			if parts := topicParts(p, got, topic); slices.Max(parts) > 1 {
				t.Fatalf("%s: topic %d: %v", name, topic, parts)
			}
		}
	}
	p = uniform(200, 50, 130)
	leave := p.ownedBy(mustSolve(t, p, Options{}).Owner).without(33)
	if s := leave.scoreOf(mustSolve(t, leave, Options{}).Owner)[scoreSpread]; s > 10080 { // at least 10000
		t.Errorf("spread %d after a leave", s)
	}
	half := shaped(rand.New(rand.NewPCG(1, 2)), 100, 100, 100, "half", 0)
	if s := half.scoreOf(mustSolve(t, half, Options{}).Owner); s[scoreSpread] > 22500 { // at least 20888
		t.Errorf("spread %d", s[scoreSpread])
	}
	joined := half.joined()
	if s := joined.scoreOf(mustSolve(t, joined, Options{}).Owner); s[scoreSpread] > 24000 {
		t.Errorf("spread %d after a join", s[scoreSpread])
	}
}

// Members 0 to 2 have two partitions each in every optimal assignment, although others of their block have one or two:
// the bounds count from what a member really may have.
func TestToleranceStartsFromRanges(t *testing.T) {
	p := &Problem{
		Members: 5, Partitions: []int32{6, 3},
		Start: []int32{0, 3, 5}, Subscribers: []int32{0, 1, 2, 3, 4},
		Owner: []int32{0, 0, 0, 1, 1, 1, 3, 3, 4},
	}
	got := mustSolve(t, p, Options{Tolerance: 1})
	if got.Voluntary != 1 || got.Loads[2] != 1 {
		t.Error(got.Voluntary, got.Loads)
	}
}

// withRacks puts members in three racks and partitions in two of them.
func (p *Problem) withRacks(r *rand.Rand) *Problem {
	q := *p
	q.RackStart, q.MemberRack, q.PartitionRacks = []int32{0}, make([]int32, p.Members), nil
	for m := range q.MemberRack {
		q.MemberRack[m] = r.Int32N(3)
	}
	for range p.total() {
		k := r.Int32N(3)
		q.PartitionRacks = append(q.PartitionRacks, k, (k+1)%3)
		q.RackStart = append(q.RackStart, int32(len(q.PartitionRacks)))
	}
	return &q
}

// In groups too large for exact work nearly all partitions still find a member in one of their racks.
func TestLargeRacks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, p := range map[string]*Problem{
		"equal":   uniform(100, 40, 60),
		"unequal": shaped(r, 100, 40, 60, "half", 0),
	} {
		p = p.withRacks(rand.New(rand.NewPCG(3, 4)))
		for step, q := range map[string]*Problem{"fresh": p, "join": p.joined()} {
			got := mustSolve(t, q, Options{})
			if misses := q.scoreOf(got.Owner)[scoreRacks]; misses > int64(p.total()/200) {
				t.Errorf("%s, %s: %d misses", name, step, misses)
			}
		}
	}
}

// Where units without owners may go anywhere within the tolerance, they go where they make loads even.
func TestToleranceFillsEvenly(t *testing.T) {
	p := shaped(rand.New(rand.NewPCG(1, 2)), 100, 50, 60, "half", 0)
	best, got := mustSolve(t, p, Options{}), mustSolve(t, p, Options{Tolerance: 20})
	if a, b := p.scoreOf(best.Owner), p.scoreOf(got.Owner); a[scoreBalance] != b[scoreBalance] {
		t.Errorf("balance %d, without tolerance %d", b[scoreBalance], a[scoreBalance])
	}
}

// Without the exact work on small groups, everything but racks and spread is still exact, apart from the moves where
// hosts play a role; and without a limit on the budget there is no group without it.
func TestWithoutRefinement(t *testing.T) {
	defer func(arcs int) { refineArcs = arcs }(refineArcs)
	refineArcs = -1
	r := rand.New(rand.NewPCG(15, 16))
	for n := 0; n < 4000; {
		c := recipe{topics: 4, members: 4, partitions: 4, hosts: n%2 == 0, racks: n%3 == 0, equal: n%5 == 0}
		if n%4 < 2 {
			c.capacity = 4
		}
		p := randomProblem(r, c)
		if w := p.ways(2000); p.total() > 9 || w < 10 || w > 2000 {
			continue
		}
		n++
		exact := scoreMoves + 1
		if c.hosts && (c.capacity > 0 || !c.equal) {
			exact = scoreMoves
		}
		got := mustSolve(t, p, Options{})
		is, want := p.scoreOf(got.Owner), p.bestScore()
		if !slices.Equal(is[:exact], want[:exact]) {
			t.Fatalf("case %d: score %v, best %v\n%s", n, is, want, p.describe())
		}
		if got = mustSolve(t, p, Options{Budget: -1}); !got.Proven || p.scoreOf(got.Owner) != want {
			t.Fatalf("case %d without limit: score %v, best %v\n%s", n, p.scoreOf(got.Owner), want, p.describe())
		}
	}
}

// Equal hash values must not change anything.
func TestHashCollisions(t *testing.T) {
	defer func() { hashMask = ^uint64(0) }()
	r := rand.New(rand.NewPCG(51, 52))
	for range 50 {
		p := shaped(r, 1+r.IntN(60), 1+r.IntN(20), 9+r.IntN(60), "sets", 0).scattered(r)
		hashMask = ^uint64(0)
		want := mustSolve(t, p, Options{})
		hashMask = 0
		if got := mustSolve(t, p, Options{}); !slices.Equal(got.Owner, want.Owner) {
			t.Fatal("depends on the hash")
		}
	}
}

// Every member subscribing to everything is the same whether said or written out, capacities of one or not given.
func TestEqualWrittenOut(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 300 {
		p := uniform(1+r.IntN(9), 1+r.IntN(9), 1+r.IntN(9)).scattered(r)
		q := *p
		q.Start = []int32{0}
		for range q.Partitions {
			q.Subscribers = append(q.Subscribers, numbers(q.Members)...)
			q.Start = append(q.Start, int32(len(q.Subscribers)))
		}
		q.Capacity = make([]int32, q.Members)
		fill(q.Capacity, 1)
		if a, b := mustSolve(t, p, Options{}), mustSolve(t, &q, Options{}); !slices.Equal(a.Owner, b.Owner) {
			t.Fatal(a.Owner, b.Owner)
		}
		fill(q.Capacity, 3) // takes the other way to the same loads and moves
		if a, b := p.scoreOf(mustSolve(t, p, Options{}).Owner), p.scoreOf(mustSolve(t, &q, Options{}).Owner); a != b {
			t.Fatal(a, b)
		}
	}
}

// A newcomer is not starved by tolerance, and nothing moves while loads are within it.
func TestToleranceLarge(t *testing.T) {
	for _, p := range []*Problem{
		uniform(20, 50, 10).joined(),
		shaped(rand.New(rand.NewPCG(1, 2)), 100, 50, 60, "half", 0).joined(),
	} {
		best := mustSolve(t, p, Options{})
		last := best.Voluntary
		for tolerance := int32(1); tolerance < 6; tolerance++ {
			got := mustSolve(t, p, Options{Tolerance: tolerance})
			if got.Voluntary > last {
				t.Errorf("tolerance %d: %d moves, %d with less", tolerance, got.Voluntary, last)
			}
			last = got.Voluntary
			for m, l := range got.Loads {
				if d := l - best.Loads[m]; d > tolerance+1 || d < -tolerance-1 {
					t.Errorf("tolerance %d: member %d has %d instead of %d", tolerance, m, l, best.Loads[m])
				}
			}
		}
	}
}

func TestMalformed(t *testing.T) {
	good := func() *Problem {
		return &Problem{Partitions: []int32{2, 1}, Members: 2, Start: []int32{0, 2, 3}, Subscribers: []int32{0, 1, 1}}
	}
	if _, err := Solve(good(), Options{}); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(p *Problem, o *Options){
		"negative members":     func(p *Problem, _ *Options) { p.Members = -1 },
		"too many members":     func(p *Problem, _ *Options) { p.Members = math.MaxInt },
		"negative partitions":  func(p *Problem, _ *Options) { p.Partitions[0] = -1 },
		"too many partitions":  func(p *Problem, _ *Options) { p.Partitions = []int32{1 << 30, 1 << 30} },
		"negative tolerance":   func(_ *Problem, o *Options) { o.Tolerance = -1 },
		"capacities missing":   func(p *Problem, _ *Options) { p.Capacity = []int32{1} },
		"capacity too large":   func(p *Problem, _ *Options) { p.Capacity = []int32{1, 1 << 20} },
		"negative capacity":    func(p *Problem, _ *Options) { p.Capacity = []int32{1, -1} },
		"owners missing":       func(p *Problem, _ *Options) { p.Owner = []int32{0} },
		"hosts missing":        func(p *Problem, _ *Options) { p.Host = []int32{0} },
		"racks missing":        func(p *Problem, _ *Options) { p.MemberRack = []int32{0} },
		"rack offsets missing": func(p *Problem, _ *Options) { p.MemberRack, p.RackStart = []int32{0, 0}, []int32{0} },
		"rack offsets fall": func(p *Problem, _ *Options) {
			p.MemberRack, p.RackStart, p.PartitionRacks = []int32{0, 0}, []int32{0, 1, 0, 1}, []int32{0}
		},
		"offsets missing":        func(p *Problem, _ *Options) { p.Start = []int32{0, 2} },
		"offsets fall":           func(p *Problem, _ *Options) { p.Start = []int32{0, 3, 2} },
		"offset beyond the list": func(p *Problem, _ *Options) { p.Start = []int32{0, 2, 4} },
		"subscriber twice":       func(p *Problem, _ *Options) { p.Subscribers[1] = 0 },
		"unknown subscriber":     func(p *Problem, _ *Options) { p.Subscribers[2] = 2 },
	} {
		p, o := good(), Options{}
		spoil(p, &o)
		if _, err := Solve(p, o); !errors.Is(err, errProblem) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Optimum(p, o); !errors.Is(err, errProblem) {
			t.Errorf("optimum, %s: %v", name, err)
		}
	}
}

func TestEdges(t *testing.T) {
	for n, p := range []*Problem{
		{},
		{Members: 3},
		{Partitions: []int32{5}},
		{Partitions: []int32{5}, Start: []int32{0, 0}, Members: 2},
		{Partitions: []int32{0, 0}, Members: 2},
		{Partitions: []int32{3, 4}, Members: 2, Capacity: []int32{0, 0}, Start: []int32{0, 2, 3}, Subscribers: []int32{0, 1, 1}},
		{Partitions: []int32{3, 4}, Members: 2, Capacity: []int32{0, 1<<20 - 1}, Start: []int32{0, 2, 3}, Subscribers: []int32{0, 1, 0}},
		{Partitions: []int32{1000}, Members: 64},
		{Partitions: []int32{1000}, Members: 65, Start: []int32{0, 2}, Subscribers: []int32{0, 64}},
		{Partitions: []int32{2}, Members: 1, Owner: []int32{-7, 1 << 30}},
	} {
		got := mustSolve(t, p, Options{Tolerance: int32(n % 2 * 1 << 30)})
		if got.Stopped != Complete {
			t.Error(n, got.Stopped)
		}
	}
	if Stage(9).String() != "unknown stage" || Complete.String() != "complete" {
		t.Error("stage names")
	}
}
