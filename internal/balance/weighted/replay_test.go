package weighted

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A replay makes the steps of a journal again and asks of each whether its reason held at that moment. It works ratios, triggers
// and noise out by itself.
type replay struct {
	t      *testing.T
	s      *solver
	owner  []int32
	load   []float64
	byItem [][]int32 // member -> items, in any order
}

func newReplay(t *testing.T, s *solver) *replay {
	r := &replay{t: t, s: s, owner: make([]int32, len(s.item)), load: make([]float64, s.p.Members), byItem: make([][]int32, s.p.Members)}
	for i := range s.item {
		r.owner[i] = s.item[i].owner
	}
	for k := len(s.journal) - 1; k >= 0; k-- {
		r.owner[s.journal[k].item] = s.journal[k].from
	}
	for i, o := range r.owner {
		if o != None {
			r.load[o] += float64(s.item[i].weight)
			r.byItem[o] = append(r.byItem[o], int32(i))
		}
	}
	return r
}

func (r *replay) ratio(m int32) float64 { return r.load[m] / r.s.capacity[m] }

func (r *replay) noise(items []int32) float64 {
	sum, squares := 0.0, 0.0
	for _, i := range items {
		w := float64(r.s.item[i].weight)
		sum += w
		squares += w * w
	}
	return r.s.o.noise * math.Min(sum, 3.5*math.Sqrt(squares/3))
}

func (r *replay) carry(e *entry) {
	if r.owner[e.item] != e.from {
		r.t.Fatalf("item %d is at %d: %+v", e.item, r.owner[e.item], e)
	}
	w := float64(r.s.item[e.item].weight)
	if e.from != None {
		r.load[e.from] -= w
		for k, i := range r.byItem[e.from] {
			if i == e.item {
				r.byItem[e.from] = append(r.byItem[e.from][:k:k], r.byItem[e.from][k+1:]...)
				break
			}
		}
	}
	r.owner[e.item] = e.to
	r.load[e.to] += w
	r.byItem[e.to] = append(r.byItem[e.to], e.item)
}

const rounding = 1e-9

// relief is what one member gave up until it was content.
type relief struct {
	member int32
	before float64
	given  []int32
}

// run checks every step.
func (r *replay) run() {
	s, now := r.s, relief{member: None}
	finish := func() {
		if now.member == None {
			return
		}
		fall := now.before - r.load[now.member]
		least := s.o.gain*math.Min(now.before, s.target[now.member]) + r.noise(now.given)
		if !s.o.strict && fall < least*(1-rounding) {
			r.t.Fatalf("member %d gave up %v, from %v to %v: less than %v", now.member, now.given, now.before, r.load[now.member], least)
		}
		now = relief{member: None}
	}
	for k := 0; k < len(s.journal); {
		first, end := &s.journal[k], k+1
		for end < len(s.journal) && s.journal[end].cause.step == first.cause.step {
			end++
		}
		step := s.journal[k:end]
		reason, a := first.cause.reason, first.cause.member
		sheds := reason == Shed || reason == Swapped || reason == Chained || reason == Divided
		if now.member != None && (!sheds || a != now.member || first.free) {
			finish()
		}
		if sheds && !first.free {
			if now.member == None {
				now = relief{member: a, before: r.load[a]}
				trigger := s.target[a]*(1+math.Max(s.o.tolerance, s.o.gain)) + r.noise(r.byItem[a])
				if !s.o.strict && r.load[a] <= trigger*(1-rounding) {
					r.t.Fatalf("member %d has %v, its trigger is %v", a, r.load[a], trigger)
				}
			}
			for i := range step {
				now.given = append(now.given, step[i].item)
			}
		}
		r.step(step, reason, a)
		k = end
	}
	finish()
	for m := range r.load {
		if r.load[m] != float64(s.load[m]) {
			r.t.Fatalf("member %d: replayed %v, is %d", m, r.load[m], s.load[m])
		}
	}
}

func (r *replay) step(step []entry, reason Reason, a int32) {
	s, before := r.s, 0.0
	switch reason {
	case Placed:
		r.placed(&step[0])
	case Pulled:
		before = r.ratio(step[0].from)
		if len(step) != 1 || step[0].to != a || r.load[a]+float64(s.item[step[0].item].weight) > s.target[a]*(1+rounding) {
			r.t.Fatalf("pulled too much: %+v, target %v", step, s.target[a])
		}
	case Shed, Swapped, Chained, Divided:
		before = r.ratio(a)
		if r.load[a] <= s.target[a]*(1+s.o.tolerance)*(1-rounding) && !s.o.strict {
			r.t.Fatalf("member %d was content with %v: target %v", a, r.load[a], s.target[a])
		}
	}
	for i := range step {
		if e := &step[i]; e.cause.toLoad[0] != int64(r.load[e.to]) {
			r.t.Fatalf("load before is %v: %+v", r.load[e.to], e)
		}
	}
	was := map[int32]float64{} // others may stay as they are
	for i := range step {
		was[step[i].to] = r.ratio(step[i].to)
	}
	for i := range step {
		e := &step[i]
		if step[i].free && s.item[e.item].home == e.from {
			r.t.Fatalf("not free: %+v", e)
		}
		r.carry(e)
	}
	for i := range step {
		e := &step[i]
		if e.cause.toLoad[1] != int64(r.load[e.to]) || e.from != None && e.cause.giverLoad[1] != int64(r.load[e.from]) {
			r.t.Fatalf("load after is %v: %+v", r.load[e.to], e)
		}
		rises := r.ratio(e.to) > was[e.to] || e.to == a
		if before > 0 && (r.ratio(a) >= before && reason != Pulled || rises && r.ratio(e.to) >= before) {
			r.t.Fatalf("%s lowers nothing: %v, %v from %v: %+v", reason, r.ratio(e.to), r.ratio(a), before, e)
		}
	}
	r.shape(step, reason, a)
}

// shape checks that the hops of a step are what its reason says.
func (r *replay) shape(step []entry, reason Reason, a int32) {
	ok := true
	switch reason {
	case Shed:
		ok = len(step) == 1 && step[0].from == a
	case Swapped:
		ok = len(step) == 2 && step[0].from == a && step[1].to == a && step[0].to == step[1].from
	case Chained:
		for i := 1; i < len(step); i++ {
			ok = ok && step[i].to == step[i-1].from
		}
		ok = ok && step[len(step)-1].from == a
	case Divided:
		for _, e := range step {
			ok = ok && (e.from == a || e.to == a)
		}
	case Returned:
		ok = len(step) == 2 && step[0].to == a && r.s.item[step[0].item].home == a
	case 0:
		ok = len(step) == 1 && r.s.item[step[0].item].home == a
	}
	if !ok {
		r.t.Fatalf("%s by %d: %+v", reason, a, step)
	}
}

// placed checks that nobody else would have had a lower ratio, where nothing else matters.
func (r *replay) placed(e *entry) {
	s := r.s
	if e.from != None {
		r.t.Fatalf("it had an owner: %+v", e)
	}
	if s.limited || s.p.Prefer != nil {
		return
	}
	w := float64(s.item[e.item].weight)
	for _, m := range s.classes.list(s.item[e.item].class) {
		if (r.load[m]+w)/s.capacity[m] < (r.load[e.to]+w)/s.capacity[e.to] {
			r.t.Fatalf("member %d would have had less: %+v", m, e)
		}
	}
}

// Every step of the solver holds what its reason says.
func TestReasons(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[Reason]int{}
	for n := range 4000 {
		p := randomProblem(r, recipe{
			topics: 6, members: 9, partitions: 20, weights: weightings[n%len(weightings)], restricted: n%2 == 0, single: n%5 == 0,
			capacity: n % 3, draining: n%7 == 0, together: n%4 == 0, prefer: n%11 == 0, limit: int32(max(0, n%9-6) * 7),
		})
		o := []Options{{}, {Strict: true}, {Noise: -1}, {MaxMoves: 3}, {Tolerance: -1, Noise: -1, Gain: 1}}[n%5]
		s := newSolver(t.Context(), p, o)
		s.run()
		newReplay(t, s).run()
		for i := range s.journal {
			seen[s.journal[i].cause.reason]++
		}
	}
	t.Log(seen)
	for why := Placed; why < Evened; why++ {
		if seen[why] == 0 && why != Joined {
			t.Errorf("nothing was %s", why)
		}
	}
}
