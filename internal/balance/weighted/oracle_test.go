package weighted

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/balance"
)

// describe prints a problem so that a failing case can be read and rebuilt.
func (p *Problem) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "members %d capacity %v limit %d %v partitions %v\n", p.Members, p.Capacity, p.Limit, p.Limits, p.Partitions)
	if p.Start != nil {
		fmt.Fprintf(&b, "start %v subscribers %v\n", p.Start, p.Subscribers)
	}
	fmt.Fprintf(&b, "weight %v\nowner %v\ntogether %v\neligible %x\nprefer %v of %v\n",
		p.Weight, p.Owner, p.Together, p.Eligible, p.Prefer, p.PreferClass)
	return b.String()
}

func (p *Problem) total() int { return p.Base(len(p.Partitions)) }

// may tells for each partition and member whether it may have it, from the problem alone.
func (p *Problem) may() [][]bool {
	var may [][]bool
	for t, n := range p.Partitions {
		subscribed := make([]bool, p.Members)
		for m := range subscribed {
			subscribed[m] = p.Start == nil
		}
		if p.Start != nil {
			for _, m := range p.Subscribers[p.Start[t]:p.Start[t+1]] {
				subscribed[m] = true
			}
		}
		for range n {
			row, i := slices.Clone(subscribed), len(may)
			for m := range row {
				if p.Eligible != nil && p.Eligible[i*p.Words()+m/64]>>(m%64)&1 == 0 {
					row[m] = false
				}
			}
			may = append(may, row)
		}
	}
	return may
}

func (p *Problem) drained(m int) bool { return p.Capacity != nil && p.Capacity[m] == 0 }

// live takes draining members out of rows that others are in as well.
func (p *Problem) live(may [][]bool) [][]bool {
	var live [][]bool
	for _, row := range may {
		left := slices.Clone(row)
		for m := range left {
			left[m] = left[m] && !p.drained(m)
		}
		if !slices.Contains(left, true) {
			left = row
		}
		live = append(live, left)
	}
	return live
}

// a unit is what has to stay together, worked out from the problem alone.
type unit struct {
	parts  []int
	may    []bool // draining members, too
	live   []bool
	weight int64
}

// units are the partitions and groups, and the keys of contradictory groups.
func (p *Problem) units() (list []unit, split []int32) {
	may := p.may()
	done := map[int32]bool{}
	single := func(i int) { list = append(list, unit{parts: []int{i}, may: may[i], weight: p.weight(int32(i))}) }
	for i := range may {
		if p.Together == nil || p.Together[i] < 0 {
			single(i)
			continue
		}
		key := p.Together[i]
		if done[key] {
			continue
		}
		done[key] = true
		u := unit{may: slices.Clone(may[i])}
		for j := range may {
			if p.Together[j] == key {
				u.parts = append(u.parts, j)
				u.weight += p.weight(int32(j))
				for m := range u.may {
					u.may[m] = u.may[m] && may[j][m]
				}
			}
		}
		if len(u.parts) > 1 && !slices.Contains(u.may, true) {
			split = append(split, key)
			for _, j := range u.parts {
				single(j)
			}
			continue
		}
		list = append(list, u)
	}
	for i := range list {
		list[i].live = p.live([][]bool{list[i].may})[0]
	}
	return list, split
}

func (p *Problem) capacityOf(m int) float64 {
	if p.Capacity == nil {
		return 1
	}
	return float64(max(1, p.Capacity[m]))
}

// worst is the largest load over capacity of members that do not drain.
func (p *Problem) worst(load []int64) (worst float64) {
	for m, l := range load {
		if !p.drained(m) {
			worst = max(worst, float64(l)/p.capacityOf(m))
		}
	}
	return worst
}

// A tester is a test, or one of rapid's.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check verifies that a result is an assignment and reports itself rightly.
func check(t tester, p *Problem, o Options, r Result) {
	t.Helper()
	p = p.weighty()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s\n%sresult %+v", fmt.Sprintf(format, args...), p.describe(), r)
	}
	units, split := p.units()
	if len(r.Owner) != p.total() || !slices.Equal(split, r.Split) {
		fail("%d owners, split %v, should be %v", len(r.Owner), r.Split, split)
	}
	load, count := make([]int64, p.Members), make([]int32, p.Members)
	lacking := map[int]Lack{}
	for _, u := range units {
		to := r.Owner[u.parts[0]]
		for _, i := range u.parts {
			if r.Owner[i] != to {
				fail("%v are not together", u.parts)
			}
			if to != None {
				load[to] += p.weight(int32(i))
				count[to]++
			}
		}
		switch {
		case to == None && !slices.Contains(u.may, true):
			for _, i := range u.parts {
				lacking[i] = Ineligible
			}
		case to == None:
			for _, i := range u.parts {
				lacking[i] = Full
			}
		case !u.may[to]:
			fail("%v went to %d", u.parts, to)
		case !u.live[to] && p.Limit == 0 && p.Limits == nil:
			fail("%v went to %d, which drains", u.parts, to)
		}
	}
	if !slices.Equal(load, r.Loads) || !slices.Equal(count, r.Counts) {
		fail("loads are %v, counts %v", load, count)
	}
	for _, u := range units { // nobody that may have an unassigned partition has room
		for m, n := range count {
			if r.Owner[u.parts[0]] == None && u.may[m] && int(n)+len(u.parts) <= p.most(m) {
				fail("%v are with nobody, %d has room", u.parts, m)
			}
		}
	}
	for m, n := range count {
		if int(n) > p.most(m) {
			fail("%d has %d partitions", m, n)
		}
	}
	if len(lacking) != len(r.Unassigned) {
		fail("lacking %v", lacking)
	}
	for _, u := range r.Unassigned {
		if lacking[int(u.Partition)] != u.Lack {
			fail("lacking %v", lacking)
		}
	}
	checkMoves(p, o, r, fail)
}

func checkMoves(p *Problem, o Options, r Result, fail func(string, ...any)) {
	moves, last := r.Moves, int32(-1)
	var voluntary, weight int64
	may := make([][]bool, p.total())
	units, _ := p.units()
	for _, u := range units {
		for _, i := range u.parts {
			may[i] = u.live
		}
	}
	for i, to := range r.Owner {
		from := p.owner(int32(i))
		if to == from || to == None {
			continue
		}
		if len(moves) == 0 {
			fail("move of %d is missing", i)
		}
		m := moves[0]
		moves = moves[1:]
		if int(m.Partition) != i || m.From != from || m.To != to || m.Reason == 0 || m.Partition <= last {
			fail("wrong move %+v", m)
		}
		last = m.Partition
		if !m.Forced {
			if from == None || !may[i][from] {
				fail("forced move %+v", m)
			}
			voluntary++
			weight += p.weight(int32(i))
		} else if from != None && may[i][from] && p.Together == nil && p.Limit == 0 && p.Limits == nil {
			fail("nothing forced %+v", m)
		}
	}
	if len(moves) > 0 || voluntary != r.Voluntary || weight != r.VoluntaryWeight {
		fail("moves %v, voluntary %d, weight %d", moves, voluntary, weight)
	}
	if o.MaxMoves != 0 && voluntary > int64(max(0, o.MaxMoves)) || o.MaxWeight != 0 && weight > max(0, o.MaxWeight) {
		fail("%d of weight %d moved", voluntary, weight)
	}
}

// best is the least worst ratio that any assignment of all units has, and the least weight that owners lose for it.
func (p *Problem) best() (ratio float64, moved int64) {
	units, _ := p.units()
	slices.SortStableFunc(units, func(a, b unit) int { return int(b.weight - a.weight) })
	load, count := make([]int64, p.Members), make([]int32, p.Members)
	ratio = math.Inf(1)
	var visit func(n int, worst float64, lost int64)
	visit = func(n int, worst float64, lost int64) {
		if worst > ratio || worst == ratio && lost >= moved {
			return
		}
		if n == len(units) {
			ratio, moved = worst, lost
			return
		}
		u := &units[n]
		if !slices.Contains(u.may, true) {
			visit(n+1, worst, lost)
			return
		}
		for m := range load {
			if !u.live[m] || int(count[m])+len(u.parts) > p.most(m) {
				continue
			}
			gone := int64(0)
			for _, i := range u.parts {
				if from := p.owner(int32(i)); from != None && int(from) != m && u.live[from] {
					gone += p.weight(int32(i))
				}
			}
			load[m] += u.weight
			count[m] += int32(len(u.parts))
			r := worst
			if !p.drained(m) {
				r = max(r, float64(load[m])/p.capacityOf(m))
			}
			visit(n+1, r, lost+gone)
			load[m] -= u.weight
			count[m] -= int32(len(u.parts))
		}
	}
	visit(0, 0, 0)
	return ratio, moved
}

// A recipe says what randomProblem makes.
type recipe struct {
	topics, members, partitions int // at most
	weights                     string
	restricted, single          bool // subscriptions by topic, rows by partition
	capacity                    int  // 1 to this; 0: none given
	draining, together, prefer  bool
	limit                       int32
}

var weightings = []string{"uniform", "zipf", "hot", "lognormal", "equal", "some zero"}

func randomWeights(r *rand.Rand, n int, kind string, scale float64) []int64 {
	list := make([]int64, n)
	for i := range list {
		x := scale * r.Float64()
		switch kind {
		case "zipf":
			x = scale * 100 / math.Pow(float64(i+1), 1.1)
		case "hot":
			x = scale * (0.5 + 0.5*r.Float64())
			if i == 0 {
				x = scale * float64(n) / 8
			}
		case "lognormal":
			x = scale * math.Exp(r.NormFloat64())
		case "equal":
			x = 7
		case "some zero":
			if r.IntN(2) == 0 {
				x = 0
			}
		}
		list[i] = int64(math.Ceil(x))
	}
	r.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func randomProblem(r *rand.Rand, c recipe) *Problem {
	p := &Problem{Problem: balance.Problem{Members: 2 + r.IntN(c.members-1)}, Limit: c.limit}
	for range 1 + r.IntN(c.topics) {
		p.Partitions = append(p.Partitions, int32(1+r.IntN(c.partitions)))
	}
	total := p.total()
	p.Weight = randomWeights(r, total, c.weights, 1000)
	if c.restricted {
		p.Start = []int32{0}
		for range p.Partitions {
			from := len(p.Subscribers)
			for m := range int32(p.Members) {
				if r.IntN(2) == 0 {
					p.Subscribers = append(p.Subscribers, m)
				}
			}
			if len(p.Subscribers) == from && r.IntN(8) > 0 {
				p.Subscribers = append(p.Subscribers, r.Int32N(int32(p.Members)))
			}
			p.Start = append(p.Start, int32(len(p.Subscribers)))
		}
	}
	if c.single {
		for range total * p.Words() {
			p.Eligible = append(p.Eligible, r.Uint64()|r.Uint64())
		}
	}
	if c.capacity > 0 {
		for range p.Members {
			p.Capacity = append(p.Capacity, int32(1+r.IntN(c.capacity)))
			if c.draining && r.IntN(4) == 0 {
				p.Capacity[len(p.Capacity)-1] = 0
			}
		}
	}
	for range total {
		o := int32(None)
		if r.IntN(4) > 0 {
			o = r.Int32N(int32(p.Members))
		}
		p.Owner = append(p.Owner, o)
	}
	if c.together {
		for range total {
			p.Together = append(p.Together, r.Int32N(int32(total+1))-1)
		}
	}
	if c.prefer {
		for range len(p.Partitions) * p.Members {
			p.Prefer = append(p.Prefer, r.Int32N(5)-2)
		}
	}
	return p
}

// most is how many partitions a member may have.
func (p *Problem) most(m int) int {
	list, _ := p.limits()
	return int(list[m])
}

func mustSolve(t testing.TB, p *Problem, o Options) Result {
	t.Helper()
	r, err := Solve(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, p, o, r)
	return r
}
