package weighted

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/internal/balance"
)

// Where all weigh the same the answer is internal/balance's, racks, hosts, tolerance and all.
func TestEvenWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		p := randomProblem(r, recipe{topics: 4, members: 6, partitions: 9, weights: "equal", restricted: n%2 == 0, capacity: n % 4, draining: true})
		switch n % 3 {
		case 0:
			p.Weight = nil
		case 1:
			clear(p.Weight)
		}
		if n%5 == 0 {
			for range p.Members {
				p.MemberRack = append(p.MemberRack, r.Int32N(3)-1)
				p.Host = append(p.Host, r.Int32N(3)-1)
			}
			p.RackStart = []int32{0}
			for i := range p.total() {
				p.PartitionRacks = append(p.PartitionRacks, r.Int32N(2))
				p.RackStart = append(p.RackStart, int32(i+1))
			}
		}
		o := Options{Even: balance.Options{Tolerance: r.Int32N(3)}}
		want, err := balance.Solve(&p.Problem, o.Even)
		if err != nil {
			t.Fatal(err)
		}
		got := mustSolve(t, p, o)
		if !slices.Equal(got.Owner, want.Owner) || got.Targets != nil {
			t.Fatalf("%v, not %v\n%s", got.Owner, want.Owner, p.describe())
		}
		o.MaxMoves = 1
		mustSolve(t, p, o)
	}
}

// With equal weights and equal eligibility the weighted solver itself gets as even as internal/balance.
func TestEvenWeightsWithoutHelp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		p := randomProblem(r, recipe{topics: 4, members: 9, partitions: 20, weights: "equal"})
		p.Limit = 1000
		best, err := balance.Solve(&p.Problem, balance.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := mustSolve(t, p, Options{Strict: true})
		if slices.Max(got.Counts)-slices.Min(got.Counts) > 1 || got.Voluntary != best.Voluntary {
			t.Fatalf("counts %v, %d moves, best %d\n%s", got.Counts, got.Voluntary, best.Voluntary, p.describe())
		}
	}
}

// Targets have the least largest ratio that partitions could have if they were divided: the average over the set of classes
// where it is largest.
func TestTargets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		p := randomProblem(r, recipe{topics: 8, members: 6, partitions: 30, weights: "uniform", restricted: true, capacity: 3})
		s := newSolver(t.Context(), p, Options{})
		s.settleHomes()
		s.setTargets()
		weight := make([]float64, s.classes.len())
		for i := range s.item {
			if k := s.item[i].class; len(s.classes.list(k)) > 0 {
				weight[k] += float64(s.item[i].weight)
			}
		}
		want := 0.0
		for set := 1; set < 1<<len(weight); set++ {
			total, capacity := 0.0, 0.0
			for k, w := range weight {
				if set>>k&1 != 0 {
					total += w
				}
			}
			for m := range int32(p.Members) {
				for k := range weight {
					if set>>k&1 != 0 && s.classes.has(int32(k), m) {
						capacity += s.capacity[m]
						break
					}
				}
			}
			if capacity > 0 {
				want = max(want, total/capacity)
			}
		}
		got, giant := 0.0, false
		for m, x := range s.target {
			got = max(got, x/s.capacity[m])
		}
		for i := range s.item {
			giant = giant || float64(s.item[i].weight) > want
		}
		if !giant && (got < want*0.99 || got > want*1.01) {
			t.Fatalf("largest target %v, should be %v\n%s", got, want, p.describe())
		}
	}
}

// jittered is the problem with weights up to a fifth off.
func (p *Problem) jittered(r *rand.Rand) *Problem {
	q := *p
	q.Weight = make([]int64, len(p.Weight))
	for i, w := range p.Weight {
		q.Weight[i] = int64(float64(w) * (0.8 + 0.4*r.Float64()))
	}
	return &q
}

// Weights that jitter move nothing, whatever their distribution.
func TestJitter(t *testing.T) {
	for _, shape := range shapes {
		for _, kind := range []string{"zipf", "uniform", "hot", "lognormal"} {
			t.Run(shape+"/"+kind, func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, 8))
				p := shaped(r, shape, kind, 1000, 50)
				p = p.ownedBy(mustSolve(t, p, Options{}).Owner)
				without := 0
				for n := range 100 {
					q := p.jittered(r)
					if got, err := Solve(t.Context(), q, Options{}); err != nil || len(got.Moves) > 0 {
						t.Fatalf("rebalance %d moved %+v, %v", n, got.Moves, err)
					}
					if n < 5 {
						without += len(mustSolve(t, q, Options{Noise: -1}).Moves)
					}
				}
				t.Logf("without the noise band 5 rebalances move %d", without)
			})
		}
	}
}

// A member that joins gets about its target, for no more weight than that.
func TestJoin(t *testing.T) {
	for _, shape := range shapes {
		for _, kind := range []string{"zipf", "uniform", "hot", "lognormal"} {
			r := rand.New(rand.NewPCG(9, 10))
			p := shaped(r, shape, kind, 2000, 50)
			first := mustSolve(t, p, Options{})
			q := p.ownedBy(first.Owner).joined(r, shape)
			got := mustSolve(t, q, Options{})
			load, target := float64(got.Loads[50]), got.Targets[50]
			if load < 0.9*target || load > 1.03*target || float64(got.VoluntaryWeight) > 1.25*target {
				t.Errorf("%s, %s: %v of %v, %d moved", shape, kind, load, target, got.VoluntaryWeight)
			}
			if again := mustSolve(t, q.ownedBy(got.Owner), Options{}); len(again.Moves) > 0 {
				t.Errorf("%s, %s: then %v", shape, kind, again.Moves)
			}
		}
	}
}

// The queue takes members in the order in which choose does.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 300 {
		p := randomProblem(r, recipe{topics: 3, members: 9, partitions: 20, weights: weightings[n%len(weightings)]})
		q := *p
		q.Limit = 1000 // not for the queue
		with, without := newSolver(t.Context(), p, Options{}), newSolver(t.Context(), &q, Options{})
		for _, s := range []*solver{with, without} {
			s.settleHomes()
			s.setTargets()
			s.keep()
			s.place()
		}
		if !reflect.DeepEqual(with.item, without.item) {
			t.Fatal(p.describe())
		}
	}
}

// A partition that becomes hot stays, and its owner is rid of the others.
func TestHotPartition(t *testing.T) {
	p := shaped(rand.New(rand.NewPCG(1, 2)), "equal", "uniform", 200, 10)
	p.Owner = mustSolve(t, p, Options{}).Owner
	p.Weight[17] = 100_000_000
	got := mustSolve(t, p, Options{})
	hot := p.Owner[17]
	if got.Owner[17] != hot || got.Counts[hot] != 1 {
		t.Errorf("its owner has %d partitions", got.Counts[hot])
	}
	for _, m := range got.Moves {
		if m.From != hot || m.Member != hot || m.Reason != Shed {
			t.Errorf("moved %+v", m)
		}
	}
	if again := mustSolve(t, p.ownedBy(got.Owner), Options{}); len(again.Moves) > 0 {
		t.Error(again.Moves)
	}
}

// A member that drains gives all away but what nobody else may have.
func TestDraining(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := shaped(r, "equal", "lognormal", 300, 10)
	p.Owner = mustSolve(t, p, Options{}).Owner
	p.Capacity = slices.Repeat([]int32{1}, 10)
	p.Capacity[3] = 0
	p.Eligible = slices.Repeat([]uint64{1<<10 - 1}, 300)
	p.Eligible[5] = 1 << 3
	got := mustSolve(t, p, Options{MaxMoves: -1})
	if got.Counts[3] != 1 || got.Owner[5] != 3 || got.Voluntary != 0 {
		t.Errorf("it has %d, %d moved", got.Counts[3], got.Voluntary)
	}
	clear(p.Capacity) // all of them: then they share
	got = mustSolve(t, p, Options{})
	if float64(slices.Max(got.Loads)) > 1.1*float64(slices.Min(got.Loads)) {
		t.Errorf("loads %v", got.Loads)
	}
}

// Few partitions a member, some of which may have only some: who can have one has one.
func TestLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := randomProblem(r, recipe{topics: 3, members: 8, partitions: 5, weights: "uniform", single: true, restricted: true, limit: 1})
		if r.IntN(2) == 0 {
			for range p.Members {
				p.Limits = append(p.Limits, r.Int32N(4))
			}
		}
		got := mustSolve(t, p, Options{})
		lost := len(got.Unassigned)
		if want := p.total() - p.matching(); lost != want {
			t.Fatalf("%d have no owner, %d need not\n%s", lost, want, p.describe())
		}
	}
}

// matching is how many partitions can have an owner within its limit.
func (p *Problem) matching() (n int) {
	var slots []int // a member for each partition that it may have
	for m := range p.Members {
		slots = append(slots, slices.Repeat([]int{m}, p.most(m))...)
	}
	may, of := p.may(), slices.Repeat([]int{None}, len(slots))
	var find func(i int, seen []bool) bool
	find = func(i int, seen []bool) bool {
		for m, member := range slots {
			if may[i][member] && !seen[m] {
				seen[m] = true
				if of[m] == None || find(of[m], seen) {
					of[m] = i
					return true
				}
			}
		}
		return false
	}
	for i := range may {
		if find(i, make([]bool, len(slots))) {
			n++
		}
	}
	return n
}

// Preference decides where partitions are placed, and never moves one.
func TestPreference(t *testing.T) {
	p := &Problem{
		Problem: balance.Problem{Members: 2, Partitions: []int32{10, 10}}, Limit: 100,
		Prefer: []int32{1, 0, 0, 1},
	}
	got := mustSolve(t, p, Options{})
	if want := append(slices.Repeat([]int32{0}, 10), slices.Repeat([]int32{1}, 10)...); !slices.Equal(got.Owner, want) {
		t.Errorf("placed %v", got.Owner)
	}
	p.Prefer = []int32{0, 1, 1, 0}
	slices.Reverse(got.Owner)
	if again := mustSolve(t, p, Options{}); !slices.Equal(again.Owner, got.Owner) {
		t.Errorf("placed %v the other way round", again.Owner)
	}
	p.Owner = append(slices.Repeat([]int32{0}, 10), slices.Repeat([]int32{1}, 10)...)
	if got := mustSolve(t, p, Options{}); len(got.Moves) > 0 {
		t.Errorf("moved %v", got.Moves)
	}
}

// The budget ends the work at the same place every time, and leaves an assignment.
func TestBudget(t *testing.T) {
	p := shaped(rand.New(rand.NewPCG(1, 2)), "half", "lognormal", 2000, 50)
	p.Owner = make([]int32, 2000)
	for _, o := range []Options{{Budget: 1}, {Budget: 100_000}, {Budget: 1_000_000, Strict: true}} {
		got := mustSolve(t, p, o)
		if got.Stopped == "" {
			t.Errorf("budget %d was enough", o.Budget)
		}
		if again := mustSolve(t, p, o); !reflect.DeepEqual(got, again) {
			t.Errorf("budget %d: not deterministic", o.Budget)
		}
	}
}

func TestEdges(t *testing.T) {
	big := balance.Problem{Members: 3, Partitions: []int32{3}, Owner: []int32{0, 0, 0}}
	for n, p := range []*Problem{
		{},
		{Limit: 1},
		{Problem: balance.Problem{Members: 3}, Limit: 1},
		{Problem: balance.Problem{Partitions: []int32{5}}, Limit: 1},
		{Problem: balance.Problem{Partitions: []int32{5}, Members: 2, Start: []int32{0, 0}}, Together: []int32{1, 1, 1, 2, 2}},
		{Problem: big, Weight: []int64{MaxWeight - 3, 1, 1}},
		{Problem: big, Weight: []int64{0, 0, 1}},
		{Problem: big, Weight: []int64{0, 0, 0}, Limit: 1},
		{Problem: big, Together: []int32{7, 7, 7}, Limit: 2},
		{Problem: big, Eligible: []uint64{math.MaxUint64, 1 << 63, 2}, Weight: []int64{5, 6, 7}},
	} {
		for _, o := range []Options{{}, {Strict: true}, {MaxMoves: -1, MaxWeight: -1}} {
			if got := mustSolve(t, p, o); got.Stopped != "" {
				t.Error(n, got.Stopped)
			}
		}
	}
	if Lack(9).String() != "unknown" || Full.String() != "limit" || Reason(99).String() != "unknown" || Evened.String() != "evened" {
		t.Error("names")
	}
}

func TestMalformed(t *testing.T) {
	good := func() *Problem {
		return &Problem{Problem: balance.Problem{Members: 2, Partitions: []int32{2, 1}}, Weight: []int64{1, 2, 3}, Prefer: make([]int32, 4)}
	}
	mustSolve(t, good(), Options{})
	for name, spoil := range map[string]func(*Problem){
		"negative weight":    func(p *Problem) { p.Weight[1] = -1 },
		"too much in sum":    func(p *Problem) { p.Weight[1] = MaxWeight - 1 },
		"overflow":           func(p *Problem) { p.Weight[1] = math.MaxInt64 },
		"few weights":        func(p *Problem) { p.Weight = p.Weight[:2] },
		"negative limit":     func(p *Problem) { p.Limit = -1 },
		"few limits":         func(p *Problem) { p.Limits = make([]int32, p.Members-1) },
		"negative limits":    func(p *Problem) { p.Limits = slices.Repeat([]int32{-1}, p.Members) },
		"few keys":           func(p *Problem) { p.Together = make([]int32, 2) },
		"many words":         func(p *Problem) { p.Eligible = make([]uint64, 4) },
		"few scores":         func(p *Problem) { p.Prefer = p.Prefer[:3] },
		"high score":         func(p *Problem) { p.Prefer[2] = MaxScore + 1 },
		"few classes":        func(p *Problem) { p.PreferClass = make([]int32, 2) },
		"unknown class":      func(p *Problem) { p.PreferClass = []int32{0, 1, 2} },
		"class out of range": func(p *Problem) { p.PreferClass = []int32{0, -1, 1} },
	} {
		p := good()
		spoil(p)
		if _, err := Solve(t.Context(), p, Options{}); !errors.Is(err, errProblem) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := good()
	p.Members = -1
	if _, err := Solve(t.Context(), p, Options{}); err == nil {
		t.Error("internal/balance does not check")
	}
}

// Hot partitions whose owner has left do not go round: who gets one is rid of most of the others.
func TestHotOrphans(t *testing.T) {
	for _, shape := range []string{"equal", "half"} {
		r := rand.New(rand.NewPCG(1, 2))
		p := shaped(r, shape, "zipf", 10000, 500)
		first, err := Solve(t.Context(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Owner = first.Owner
		for m := range int32(8) {
			got, err := Solve(t.Context(), p.left(60*m), Options{}) // the oracle is too slow for so many
			if err != nil {
				t.Fatal(err)
			}
			heaviest := make([]int64, p.Members)
			for i, o := range got.Owner {
				heaviest[o] = max(heaviest[o], p.Weight[i])
			}
			for m, l := range got.Loads {
				if rest := float64(l - heaviest[m]); float64(heaviest[m]) > 2*got.Targets[m] && rest > 0.4*got.Targets[m] {
					t.Errorf("%s: member %d has %d, and %v besides: target %v", shape, m, heaviest[m], rest, got.Targets[m])
				}
			}
		}
	}
}

// Where all weigh the same and eligibility differs, chains reach the least largest load, as internal/balance proves it.
func TestChains(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	above := 0
	for range 1000 {
		p := randomProblem(r, recipe{topics: 9, members: 9, partitions: 9, weights: "equal", restricted: true})
		best, err := balance.Optimum(&p.Problem, balance.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Limit = 1000
		got := mustSolve(t, p, Options{Strict: true})
		if slices.Max(got.Counts) > slices.Max(best.Loads) {
			above++
		}
	}
	if above > 0 {
		t.Errorf("%d of 1000 are not as even as they could be", above)
	}
}

// A group goes where most of it is, by weight and then by number.
func TestTogether(t *testing.T) {
	p := &Problem{Problem: balance.Problem{Members: 3, Partitions: []int32{6}, Owner: []int32{0, 1, 1, 2, 0, 0}}, Together: []int32{7, 7, 7, 8, 8, 8}}
	p.Weight = []int64{0, 0, 0, 5, 2, 2}
	got := mustSolve(t, p, Options{})
	if !slices.Equal(got.Owner, []int32{1, 1, 1, 2, 2, 2}) || got.Voluntary != 0 {
		t.Errorf("owners %v, %d moved", got.Owner, got.Voluntary)
	}
	for _, m := range got.Moves {
		if m.Reason != Joined || !m.Forced {
			t.Errorf("%+v", m)
		}
	}
}

// A group that finds no room leaves the way open for a single partition: member 0 passes partition 0 on for partition 5.
func TestRoomBehindAGroup(t *testing.T) {
	p := &Problem{
		Problem: balance.Problem{Members: 2, Partitions: []int32{6}, Owner: []int32{0, 0, 1, None, None, None}},
		Limit:   2, Weight: []int64{1, 2, 3, 50, 50, 9}, Together: []int32{-1, -1, -1, 4, 4, -1}, Eligible: []uint64{3, 1, 2, 1, 1, 1},
	}
	got := mustSolve(t, p, Options{MaxMoves: -1})
	if !slices.Equal(got.Owner, []int32{1, 0, 1, None, None, 0}) || len(got.Moves) != 2 || got.Moves[0].Reason != Made {
		t.Errorf("owners %v, moves %+v", got.Owner, got.Moves)
	}
}

// Small groups, where a target is a few partitions and jitters with them, keep still as well.
func TestJitterOfSmallGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	moving, rebalances := 0, 0
	for n := range 500 {
		p := randomProblem(r, recipe{topics: 5, members: 8, partitions: 12, weights: weightings[n%4], restricted: n%2 == 0, capacity: n % 3})
		p.Owner = nil
		p.Owner = mustSolve(t, p, Options{}).Owner
		for range 20 {
			rebalances++
			if len(mustSolve(t, p.jittered(r), Options{}).Moves) > 0 {
				moving++
			}
		}
	}
	t.Logf("%d of %d rebalances move something", moving, rebalances)
	if moving > rebalances/1000 {
		t.Error("more than usual")
	}
}
