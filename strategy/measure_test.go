package strategy

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMeasure(t *testing.T) {
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 6, Racks: [][]string{{"a"}, {"b"}, {"a", "b"}, {}, {"a"}, {"b"}}}},
		Members: []Member{
			{ID: "a", Rack: "a", Topics: []string{"t"}, Generation: 1, Owned: []TopicPartitions{list("t", 0, 1, 2, 3)}},
			{ID: "b", Rack: "b", Topics: []string{"t"}, Generation: 1, Owned: []TopicPartitions{list("t", 4)}},
			{ID: "c", Topics: []string{"t"}, Generation: 1},
		},
	}
	a := Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 1, 2, 3)}, "b": {list("t", 0, 4)}, "c": {list("t", 5)}}}
	m, err := Measure(g, &a)
	if err != nil {
		t.Fatal(err)
	}
	want := Metrics{
		Members: 3, Partitions: 6, Max: 3, Min: 1, Mean: 2, Skew: 2, CV: math.Sqrt(2.0/3) / 2, Jain: 1 / (1 + 2.0/12),
		Regret: 2, RegretRatio: 2.0 / 12, TopicSkew: 2, Voluntary: 1, VoluntaryMinimum: 2, Placed: 1,
		RackMisses: 3, // t-1 with a, t-0 and t-4 with b; c has no rack
	}
	if math.Abs(m.CV-want.CV) > 1e-12 || math.Abs(m.Jain-want.Jain) > 1e-12 {
		t.Errorf("cv %v jain %v, want %v %v", m.CV, m.Jain, want.CV, want.Jain)
	}
	m.CV, m.Jain = want.CV, want.Jain
	if m != want {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
}

func TestMeasureMovement(t *testing.T) {
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 6}, {Name: "u", Partitions: 2}, {Name: "unread", Partitions: 5}, {Name: "w", Partitions: 2}},
		Members: []Member{
			{ID: "a", Topics: []string{"t", "w"}, Generation: 2, Owned: []TopicPartitions{list("t", 0, 1), list("u", 0), list("w", 1)}}, // no longer reads u
			{ID: "b", Topics: []string{"t", "u"}, Generation: 2, Owned: []TopicPartitions{list("t", 2, 3), list("w", 1)}},               // w-1 as a former subscriber
			{ID: "c", Topics: []string{"t", "u"}, Generation: 1, Owned: []TopicPartitions{list("t", 3), list("w", 0)}},                  // stale, and reads w no longer
		},
	}
	a := Assignment{
		Members:    map[string][]TopicPartitions{"a": {list("t", 1, 4), list("w", 0, 1)}, "b": {list("t", 2), list("u", 0)}, "c": {list("t", 3)}},
		Unassigned: []Unassigned{{Topic: "t", Partition: 5, Reason: ReasonIneligible}, {Topic: "t", Partition: 0, Reason: ReasonWithheld}, {Topic: "u", Partition: 1, Reason: ReasonLimit}},
	}
	m, err := Measure(g, &a)
	if err != nil {
		t.Fatal(err)
	}
	if m.Voluntary != 2 || m.Forced != 2 || m.Placed != 1 || m.Partitions != 10 || m.Unassigned != 3 {
		t.Errorf("voluntary %d (t-0, t-3), forced %d (u-0, w-0), placed %d (t-4), partitions %d, unassigned %d", m.Voluntary, m.Forced, m.Placed, m.Partitions, m.Unassigned)
	}
}

// A metric that is 0 for all of these groups is one that nobody computes.
func TestEveryMetricIsMeasured(t *testing.T) {
	topics := []Topic{{Name: "t", Partitions: 6, Racks: [][]string{{"a"}, {"b"}, {"b"}, {"b"}, {"b"}, {"b"}}}, {Name: "u", Partitions: 1}}
	weighted := slices.Clone(topics)
	weighted[1].Weights = []float64{3}
	members := []Member{
		{ID: "a", Rack: "a", Topics: []string{"t"}, Generation: 1, Owned: []TopicPartitions{list("t", 0, 1, 2, 3, 4), list("u", 0)}},
		{ID: "b", Topics: []string{"t", "u"}, Generation: 1},
		{ID: "c", Topics: []string{"t"}, Generation: 1, Draining: true},
	}
	some := Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 1)}, "b": {list("t", 0, 2, 3), list("u", 0)}, "c": {list("t", 4)}}}
	all := Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 0, 1, 2)}, "b": {list("t", 3, 4, 5), list("u", 0)}}}
	var sum []bool // which fields were not 0
	for _, test := range []struct {
		topics []Topic
		answer *Assignment
	}{{topics, &some}, {topics, &all}, {weighted, &some}} {
		m, err := Measure(&Group{Topics: test.topics, Members: members}, test.answer)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.ValueOf(m)
		sum = append(sum, make([]bool, v.NumField()-len(sum))...)
		for i := range sum {
			sum[i] = sum[i] || !v.Field(i).IsZero()
		}
	}
	for i, measured := range sum {
		if !measured {
			t.Errorf("%s is not measured", reflect.TypeFor[Metrics]().Field(i).Name)
		}
	}
}

func TestMeasureCapacities(t *testing.T) {
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 8}},
		Members: []Member{
			{ID: "a", Topics: []string{"t"}, Capacity: 3},
			{ID: "b", Topics: []string{"t"}},
			{ID: "c", Topics: []string{"t"}, Draining: true, Capacity: 9},
		},
	}
	best := Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 0, 1, 2, 3, 4, 5)}, "b": {list("t", 6, 7)}, "c": nil}}
	if m, _ := Measure(g, &best); m.Max != 2 || m.Min != 2 || m.Mean != 2 || m.CV != 0 || m.Jain != 1 || m.Regret != 0 || m.Misplaced != 0 {
		t.Errorf("%+v", m)
	}
	worse := Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 0, 1, 2, 3, 4)}, "b": {list("t", 6, 7)}, "c": {list("t", 5)}}}
	if m, _ := Measure(g, &worse); m.Misplaced != 1 || math.Abs(m.Regret-4.0/3) > 1e-9 { // 5²/3 + 2² - 6²/3 - 2², and 3² - 2² as if b had it
		t.Errorf("a partition on a draining member makes an answer better: %+v", m)
	}
}

// What is within the limits can be measured: no number is infinite, which JSON could not say.
func TestMeasureLargestWeights(t *testing.T) {
	weights := make([]float64, 1000)
	for i := range weights {
		weights[i] = MaxWeight
	}
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 1000, Weights: weights}}, Members: []Member{{ID: "a", Topics: []string{"t"}}, {ID: "b", Topics: []string{"t"}}}}
	all := make([]int32, 1000)
	for i := range all {
		all[i] = int32(i)
	}
	m, err := Measure(g, &Assignment{Members: map[string][]TopicPartitions{"a": {{Topic: "t", Partitions: all}}, "b": nil}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{m.Max, m.Mean, m.Skew, m.CV, m.Jain, m.Regret, m.RegretRatio} {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			t.Errorf("%+v", m)
		}
	}
}

// Topics with weights and without, a member that is about to go, and a topic that one reads and nobody gets.
func TestMeasureWeights(t *testing.T) {
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 4, Weights: []float64{1, 6, 2, 1}}, {Name: "u", Partitions: 2}, {Name: "v", Partitions: 1}},
		Members: []Member{
			{ID: "a", Topics: []string{"t", "u", "v"}}, {ID: "b", Topics: []string{"t", "u"}}, {ID: "ab", Topics: []string{"t"}, Draining: true},
		},
	}
	a := Assignment{
		Members:    map[string][]TopicPartitions{"a": {list("t", 1), list("u", 1)}, "b": {list("t", 0, 2), list("u", 0)}, "ab": {list("t", 3)}},
		Unassigned: []Unassigned{{Topic: "v", Reason: ReasonIneligible}},
	}
	const cv = 1.5 / 5.5
	want := Metrics{ // t-1 fills one member: 6² + 5² is the least there is, and 7² + 4² what is reached
		Members: 3, Partitions: 7, Unassigned: 1, Max: 7, Min: 4, Mean: 5.5, Skew: 3, CV: cv, Jain: 1 / (1 + cv*cv),
		Regret: 4, RegretRatio: 4.0 / 61, Bound: true, TopicSkew: 1, Placed: 6, Misplaced: 1,
	}
	m, err := Measure(g, &a)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(m.Jain-want.Jain) < 1e-12 {
		m.Jain = want.Jain
	}
	if m != want {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
	g.Members[0].Capacity = 2 // weights that could be cut at will would give 121/3
	m, err = Measure(g, &a)
	if want := 49.0/2 + 16 - 121.0/3; err != nil || math.Abs(m.Regret-want) > 1e-9 || math.Abs(m.RegretRatio-want*3/121) > 1e-9 {
		t.Errorf("with capacities: %+v, want %v, %v", m, want, err)
	}
}

func TestMeasureEmpty(t *testing.T) {
	for _, g := range []*Group{{}, {Topics: []Topic{{Name: "t", Partitions: 3}}}, {Members: []Member{{ID: "a"}}}, {Members: []Member{{ID: "a", Draining: true}}}} {
		m, err := Measure(g, &Assignment{})
		if err != nil || m.Regret != 0 || m.Max != 0 || m.Mean != 0 || m.CV != 0 {
			t.Errorf("%+v: %+v, %v", g, m, err)
		}
	}
}

// Two members swap what they have, and a partition that two claim goes to one of them.
func TestMeasureSwap(t *testing.T) {
	reads := []string{"t"}
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 4}}, Members: []Member{claim("a", 1, reads, 0, 2), claim("b", 1, reads, 1, 2)}}
	m, err := Measure(g, &Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 1, 2)}, "b": {list("t", 0, 3)}}})
	if err != nil || m.Voluntary != 2 || m.VoluntaryMinimum != 0 || m.Excess != 2 || m.Placed != 2 || m.Forced != 0 || m.Regret != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err = Measure(g, &Assignment{}); err != nil || m.Jain != 1 || m.Mean != 0 || m.Unassigned != 4 {
		t.Errorf("nobody has anything: %+v, %v", m, err)
	}
}

// How far members differ in one topic, where none, some and all of them have something of it.
func TestMeasureTopicSkew(t *testing.T) {
	both := []string{"t"}
	for _, c := range []struct {
		name            string
		members         []Member
		partitions      int32
		lists           map[string][]TopicPartitions
		skew, misplaced int
		mean            float64
	}{
		{"one has the only one", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both}}, 1, map[string][]TopicPartitions{"b": {list("t", 0)}}, 1, 0, 0.5},
		{"nobody has any", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both}}, 1, nil, 0, 0, 0},
		{"there are none", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both}}, 0, nil, 0, 0, 0},
		{"alone", []Member{{ID: "a", Topics: both}}, 3, map[string][]TopicPartitions{"a": {list("t", 0, 1, 2)}}, 0, 0, 3},
		{"all have some", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both}}, 5, map[string][]TopicPartitions{"a": {list("t", 1)}, "b": {list("t", 0, 2, 3, 4)}}, 3, 0, 2.5},
		{"only one that is draining", []Member{{ID: "a"}, {ID: "b", Topics: both, Draining: true}}, 2, map[string][]TopicPartitions{"b": {list("t", 0, 1)}}, 0, 0, 0},
		{"one that is draining has all", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both, Draining: true}}, 2, map[string][]TopicPartitions{"b": {list("t", 0, 1)}}, 0, 2, 0},
	} {
		g := &Group{Topics: []Topic{{Name: "t", Partitions: c.partitions}}, Members: c.members}
		m, err := Measure(g, &Assignment{Members: c.lists})
		if err != nil || m.TopicSkew != c.skew || m.Misplaced != c.misplaced || m.Mean != c.mean {
			t.Errorf("%s: %+v, %v", c.name, m, err)
		}
	}
}

// The bound for weights must never be above what some assignment reaches.
func TestMeasureWeightsAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(1, 6).Draw(t, "partitions")
		g := &Group{Topics: []Topic{{Name: "t", Partitions: n}}}
		for range n {
			g.Topics[0].Weights = append(g.Topics[0].Weights, float64(rapid.IntRange(0, 9).Draw(t, "weight")))
		}
		equal := rapid.Bool().Draw(t, "equal")
		for _, id := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "members")] {
			m := Member{ID: id, Topics: []string{"t"}}
			if !equal {
				m.Capacity = rapid.Int32Range(1, 3).Draw(t, "capacity")
			}
			g.Members = append(g.Members, m)
		}
		table, err := Tabulate(g)
		if err != nil {
			t.Fatal(err)
		}
		owner := make([]int32, n)
		var place func(i int)
		place = func(i int) {
			if i < int(n) {
				for m := range g.Members {
					owner[i] = int32(m)
					place(i + 1)
				}
				return
			}
			m := measurement{table: table, owner: owner}
			m.count()
			squares := 0.0
			for i := range g.Members {
				squares += m.load[i] * m.load[i] / float64(g.Members[i].Share())
			}
			if bound := m.bound(); bound > squares*(1+1e-12) {
				t.Fatalf("bound %v, and %v reaches %v", bound, owner, squares)
			}
			a := table.Assignment(owner)
			if got, err := Measure(g, &a); err != nil || !got.Bound || got.Regret < 0 {
				t.Fatalf("%+v, %v", got, err)
			}
		}
		place(0)
	})
}

// Regret is 0 for the best of all assignments and positive for all others; VoluntaryMinimum is what the best needs.
func TestMeasureAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Group{Topics: []Topic{{Name: "t", Partitions: rapid.Int32Range(0, 3).Draw(t, "t")}, {Name: "u", Partitions: rapid.Int32Range(0, 3).Draw(t, "u")}}}
		for _, id := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "members")] {
			m := Member{ID: id, Generation: 1, Capacity: rapid.Int32Range(1, 3).Draw(t, "capacity")}
			m.Topics = [][]string{nil, {"t"}, {"u"}, {"t", "u"}}[rapid.IntRange(0, 3).Draw(t, "subscription")]
			m.Owned = []TopicPartitions{list("t", rapid.SliceOfN(rapid.Int32Range(0, 2), 0, 3).Draw(t, "owned")...)}
			g.Members = append(g.Members, m)
		}
		table, err := Tabulate(g)
		if err != nil {
			t.Fatal(err)
		}
		owner := make([]int32, table.Len())
		squares := func() float64 { // times 6, so that it is whole
			loads := make([]int32, len(g.Members))
			for _, o := range owner {
				if o >= 0 {
					loads[o]++
				}
			}
			sum := 0.0
			for i, l := range loads {
				sum += float64(6 / g.Members[i].Share() * l * l)
			}
			return sum
		}
		var place func(i int, f func())
		place = func(i int, f func()) {
			if i == len(owner) {
				f()
				return
			}
			topic, _ := table.Locate(i)
			if len(table.Subscribers(topic)) == 0 {
				owner[i] = NoOwner
				place(i+1, f)
			}
			for _, m := range table.Subscribers(topic) {
				owner[i] = m
				place(i+1, f)
			}
		}
		best, moves := math.Inf(1), 0
		place(0, func() {
			s, moved := squares(), 0
			for i, o := range owner {
				if k := table.Keeper(i); k >= 0 && int(o) != k {
					moved++
				}
			}
			if s < best || s == best && moved < moves {
				best, moves = s, moved
			}
		})
		place(0, func() {
			a := table.Assignment(owner)
			m, err := Measure(g, &a)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(m.Regret-(squares()-best)/6) > 1e-9 || (m.Regret == 0) != (squares() == best) {
				t.Fatalf("regret of %v is %v, want %v", owner, m.Regret, (squares()-best)/6)
			}
			if m.VoluntaryMinimum != moves {
				t.Fatalf("minimum %d, want %d", m.VoluntaryMinimum, moves)
			}
		})
	})
}
