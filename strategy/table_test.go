package strategy

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Groups are small, so many of them can be tried; the command line may still say how many.
func init() {
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
}

// claim makes a member that subscribes to topics and claims partitions of t.
func claim(id string, generation int32, topics []string, partitions ...int32) Member {
	m := Member{ID: id, Topics: topics, Generation: generation}
	if partitions != nil {
		m.Owned = []TopicPartitions{{Topic: "t", Partitions: partitions}}
	}
	return m
}

func TestTabulateComparesClaims(t *testing.T) {
	reads, elsewhere := []string{"t"}, []string{"other"}
	for _, c := range []struct {
		name    string
		members []Member
		owner   int // of t-0
		keeper  int
	}{
		{"nobody claims", []Member{claim("a", 1, reads)}, NoOwner, NoOwner},
		{"one claims", []Member{claim("a", 1, reads, 0)}, 0, 0},
		{"one claims without a generation", []Member{claim("a", NoGeneration, reads, 0)}, 0, 0},
		{"later generation wins", []Member{claim("a", 1, reads, 0), claim("b", 2, reads, 0)}, 1, 1},
		{"later generation wins in any order", []Member{claim("a", 2, reads, 0), claim("b", 1, reads, 0)}, 0, 0},
		{"same generation", []Member{claim("a", 2, reads, 0), claim("b", 2, reads, 0)}, Disputed, NoOwner},
		{"dispute of an older generation", []Member{claim("a", 2, reads, 0), claim("b", 2, reads, 0), claim("c", 3, reads, 0)}, 2, 2},
		{"later claim of an older generation", []Member{claim("a", 3, reads, 0), claim("b", 3, reads, 0), claim("c", 2, reads, 0)}, Disputed, NoOwner},
		{"claimed twice by one", []Member{claim("a", 2, reads, 0, 0)}, 0, 0},
		{"no longer subscribed", []Member{claim("a", 2, elsewhere, 0)}, 0, NoOwner},
		{"subscriber wins in one generation", []Member{claim("a", 2, elsewhere, 0), claim("b", 2, reads, 0)}, 1, 1},
		{"subscriber wins in any order", []Member{claim("a", 2, reads, 0), claim("b", 2, elsewhere, 0)}, 0, 0},
		{"two former subscribers", []Member{claim("a", 2, elsewhere, 0), claim("b", 2, elsewhere, 0)}, Disputed, NoOwner},
		{"a subscriber among two that were", []Member{claim("a", 2, elsewhere, 0), claim("b", 2, elsewhere, 0), claim("c", 2, reads, 0)}, 2, 2},
		{"the same in another order", []Member{claim("a", 2, reads, 0), claim("b", 2, elsewhere, 0), claim("c", 2, elsewhere, 0)}, 0, 0},
		{"two subscribers among three", []Member{claim("a", 2, reads, 0), claim("b", 2, elsewhere, 0), claim("c", 2, reads, 0)}, Disputed, NoOwner},
		{"former subscriber of a later generation", []Member{claim("a", 3, elsewhere, 0), claim("b", 2, reads, 0)}, 0, NoOwner},
		{"negative and unknown partitions", []Member{claim("a", 2, reads, -1, 7)}, NoOwner, NoOwner},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Group{Topics: []Topic{{Name: "other", Partitions: 2}, {Name: "t", Partitions: 1}}, Members: c.members}
			table, err := Tabulate(g)
			if err != nil {
				t.Fatal(err)
			}
			if got := table.Owner(2); got != c.owner {
				t.Errorf("owner of t-0 is %d, want %d", got, c.owner)
			}
			if got := table.Keeper(2); got != c.keeper {
				t.Errorf("keeper of t-0 is %d, want %d", got, c.keeper)
			}
		})
	}
}

// drawGroup makes a small odd group: unsorted, with duplicates, stale, shared and impossible claims.
func drawGroup(t *rapid.T) *Group {
	g := &Group{Name: "g", Generation: 9}
	for i := range rapid.IntRange(0, 4).Draw(t, "topics") {
		g.Topics = append(g.Topics, Topic{Name: fmt.Sprintf("t%d", i), Partitions: rapid.Int32Range(0, 5).Draw(t, "partitions")})
	}
	g.Topics = rapid.Permutation(g.Topics).Draw(t, "order")
	names := []string{"t0", "t1", "t2", "t3", "gone"}
	for i := range rapid.IntRange(0, 5).Draw(t, "members") {
		m := Member{ID: fmt.Sprintf("m%d", i), Generation: rapid.Int32Range(-1, 3).Draw(t, "generation")}
		if rapid.IntRange(0, 3).Draw(t, "static") == 0 {
			m.InstanceID = fmt.Sprintf("i%d", 9-i)
		}
		m.Draining = rapid.IntRange(0, 5).Draw(t, "draining") == 0
		m.Capacity = rapid.Int32Range(0, 3).Draw(t, "capacity")
		m.Topics = rapid.SliceOfN(rapid.SampledFrom(names), 0, 6).Draw(t, "subscription")
		for range rapid.IntRange(0, 3).Draw(t, "claims") {
			m.Owned = append(m.Owned, TopicPartitions{
				Topic:      rapid.SampledFrom(names).Draw(t, "claimed"),
				Partitions: rapid.SliceOfN(rapid.Int32Range(-1, 6), 0, 4).Draw(t, "numbers"),
			})
		}
		g.Members = append(g.Members, m)
	}
	g.Members = rapid.Permutation(g.Members).Draw(t, "order")
	return g
}

// naiveOwner compares claims by looking at all of them.
func naiveOwner(g *Group, topic string, p int32) int {
	best, generation, subscribed := NoOwner, int32(-2), false
	for m := range g.Members {
		member := &g.Members[m]
		claims := slices.ContainsFunc(member.Owned, func(tp TopicPartitions) bool {
			return tp.Topic == topic && slices.Contains(tp.Partitions, p)
		})
		if !claims {
			continue
		}
		reads := slices.Contains(member.Topics, topic)
		switch {
		case member.Generation > generation, member.Generation == generation && reads && !subscribed:
			best, generation, subscribed = m, member.Generation, reads
		case member.Generation == generation && reads == subscribed:
			best = Disputed
		}
	}
	return best
}

func TestTabulateAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, err := Tabulate(drawGroup(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range table.Len() {
			name := table.Name(i)
			if got, want := table.Owner(i), naiveOwner(table.Group, name.Topic, name.Partition); got != want {
				t.Fatalf("owner of %v is %d, want %d", name, got, want)
			}
			topic, p := table.Locate(i)
			keeper := table.Owner(i)
			if keeper >= 0 && !slices.Contains(table.Group.Members[keeper].Topics, name.Topic) || keeper == Disputed {
				keeper = NoOwner
			}
			if table.Keeper(i) != keeper {
				t.Fatalf("keeper of %v is %d, want %d", name, table.Keeper(i), keeper)
			}
			if table.Base(topic)+int(p) != i {
				t.Fatalf("number %d is located at %d-%d", i, topic, p)
			}
		}
	})
}

// What Assignment writes reads back, for every member, in order, whether lists were reused or not.
func TestAssignmentReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, err := Tabulate(drawGroup(t))
		if err != nil {
			t.Fatal(err)
		}
		owner := slices.Clone(table.Keepers())
		for i := range owner {
			topic, _ := table.Locate(i)
			list := table.Subscribers(topic)
			if owner[i] >= 0 && rapid.Bool().Draw(t, "keep") {
				continue
			}
			owner[i] = NoOwner
			if len(list) > 0 {
				owner[i] = rapid.SampledFrom(list).Draw(t, "owner")
			}
		}
		a := table.Assignment(owner)
		if got := table.Owners(&a); !slices.Equal(got, owner) {
			t.Fatalf("owners %v read back as %v", owner, got)
		}
		if err := Validate(table.Group, &a, ProtocolEager); err != nil {
			t.Fatal(err)
		}
	})
}

// What an answer gives away that is not there is passed over, wherever it stands.
func TestOwnersPassesOver(t *testing.T) {
	g := &Group{
		Topics:  []Topic{{Name: "t", Partitions: 2}, {Name: "u", Partitions: 2}, {Name: "w", Partitions: 1}},
		Members: []Member{{ID: "a"}, {ID: "b"}},
	}
	table, err := Tabulate(g)
	if err != nil {
		t.Fatal(err)
	}
	a := Assignment{Members: map[string][]TopicPartitions{
		"a": {list("s", 0), list("u", -1, 2, 1, 3), list("v", 0), list("w", 1), list("t", 0, 5)},
		"c": {list("t", 1)},
	}}
	if got := table.Owners(&a); !slices.Equal(got, []int32{0, NoOwner, NoOwner, 0, NoOwner}) {
		t.Errorf("owners are %v", got)
	}
}

func TestAssignmentSharesWhatStays(t *testing.T) {
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 4}},
		Members: []Member{
			claim("a", 1, []string{"t"}, 0, 1), claim("b", 1, []string{"t"}, 2, 3), claim("c", 1, []string{"t"}),
		},
	}
	table, err := Tabulate(g)
	if err != nil {
		t.Fatal(err)
	}
	a := table.Assignment([]int32{0, 0, 1, 2})
	if &a.Members["a"][0] != &g.Members[0].Owned[0] {
		t.Error("the list of a, which keeps all it has, was copied")
	}
	if &a.Members["b"][0] == &g.Members[1].Owned[0] {
		t.Error("the list of b, which loses a partition, is its claim")
	}
	for _, list := range a.Members { // appending to one list must not write into another
		for i := range list {
			_ = append(list[i].Partitions, 99)
		}
	}
	if got := table.Owners(&a); !slices.Equal(got, []int32{0, 0, 1, 2}) {
		t.Errorf("appending to a list changed another: %v", got)
	}
}

// A table's group has its table with it, and a copy has not.
func TestTabulateAgain(t *testing.T) {
	table, err := Tabulate(twoMembers())
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Tabulate(table.Group); again != table {
		t.Error("tabulated twice")
	}
	other := *table.Group
	other.Members = other.Members[:1]
	if again, _ := Tabulate(&other); again == table {
		t.Error("another group is given the table of the one that it was copied from")
	}
	if table.Shares() != nil {
		t.Errorf("shares are %v, and all are 1", table.Shares())
	}
	other.Members = []Member{{ID: "a", Capacity: 1}, {ID: "b", Capacity: 2}}
	if table, err = Tabulate(&other); err != nil || !slices.Equal(table.Shares(), []int32{1, 2}) {
		t.Errorf("shares are %v, %v", table.Shares(), err)
	}
	for i, name := range []string{"t", "u"} {
		if n, ok := table.Topic(name); n != i || !ok {
			t.Errorf("%s is topic %d, %t", name, n, ok)
		}
	}
	if _, ok := table.Topic("v"); ok {
		t.Error("v is a topic")
	}
}

// Who may read a topic's partitions: those that are not about to leave, if there are any.
func TestReaders(t *testing.T) {
	both := []string{"t", "u"}
	for _, c := range []struct {
		name    string
		members []Member
		t, u    []int32
	}{
		{"all read all", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both}}, []int32{0, 1}, []int32{0, 1}},
		{"one is draining", []Member{{ID: "a", Topics: both, Draining: true}, {ID: "b", Topics: both}}, []int32{1}, []int32{1}},
		{"all are draining", []Member{{ID: "a", Topics: both, Draining: true}, {ID: "b", Topics: both, Draining: true}}, []int32{0, 1}, []int32{0, 1}},
		{"different topics", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both[1:]}}, []int32{0}, []int32{0, 1}},
		{"the first is draining", []Member{{ID: "a", Topics: both, Draining: true}, {ID: "b", Topics: both[1:]}}, []int32{0}, []int32{1}},
		{"the last is draining", []Member{{ID: "a", Topics: both}, {ID: "b", Topics: both[1:], Draining: true}}, []int32{0}, []int32{0}},
	} {
		table, err := Tabulate(&Group{Topics: []Topic{{Name: "t", Partitions: 1}, {Name: "u", Partitions: 1}}, Members: c.members})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table.Readers(0), c.t) || !slices.Equal(table.Readers(1), c.u) {
			t.Errorf("%s: %v and %v, want %v and %v", c.name, table.Readers(0), table.Readers(1), c.t, c.u)
		}
	}
}

// A claim is given back as it is if it is listed as in an answer, and else written anew.
func TestAssignmentOfOddClaims(t *testing.T) {
	for _, c := range []struct {
		name   string
		owned  []TopicPartitions
		shared bool
	}{
		{"one partition", []TopicPartitions{list("t", 0)}, true},
		{"two topics", []TopicPartitions{list("t", 0), list("u", 0, 1)}, true},
		{"a topic twice", []TopicPartitions{list("t", 0), list("t", 1)}, false},
		{"topics out of order", []TopicPartitions{list("u", 0), list("t", 1)}, false},
		{"partitions out of order", []TopicPartitions{list("t", 1, 0)}, false},
		{"a partition twice", []TopicPartitions{list("t", 1, 1)}, false},
		{"an unknown partition", []TopicPartitions{list("t", 1, 2)}, false},
		{"an unknown topic", []TopicPartitions{list("t", 1), list("v", 0)}, false},
		{"nothing of a topic", []TopicPartitions{list("t", 1), list("u")}, false},
	} {
		g := &Group{Topics: []Topic{{Name: "t", Partitions: 2}, {Name: "u", Partitions: 2}}, Members: []Member{{ID: "a", Topics: []string{"t", "u"}, Owned: c.owned}}}
		table, err := Tabulate(g)
		if err != nil {
			t.Fatal(err)
		}
		a := table.Assignment(table.Keepers())
		if shared := &a.Members["a"][0] == &c.owned[0]; shared != c.shared {
			t.Errorf("%s: shared %t", c.name, shared)
		}
		for i, tp := range a.Members["a"] {
			if i > 0 && tp.Topic <= a.Members["a"][i-1].Topic || len(tp.Partitions) == 0 || !slices.IsSorted(tp.Partitions) {
				t.Errorf("%s: answered with %v", c.name, a.Members["a"])
			}
		}
	}
}

func TestTopicNames(t *testing.T) {
	var topics []Topic
	for i := range 3000 {
		topics = append(topics, Topic{Name: fmt.Sprintf("topic-%05d", i)})
	}
	topics = append(topics, Topic{Name: "z"}, Topic{Name: "zz"})
	n := newTopicNames(topics)
	for i := range topics {
		if got := n.find(topics[i].Name); got != int32(i) {
			t.Fatalf("%s is number %d, found %d", topics[i].Name, i, got)
		}
		for _, step := range []int32{-5, 1, 7, 1 << 30} {
			if got := n.guess(int32(i)-1+step, topics[i].Name); got != int32(i) {
				t.Fatalf("%s guessed as %d: found %d", topics[i].Name, int32(i)-1+step, got)
			}
		}
	}
	for _, name := range []string{"", "topic-", "topic-99999", "zzz"} {
		if got := n.find(name); got != -1 {
			t.Errorf("%q is found as %d", name, got)
		}
	}
	none := newTopicNames(nil)
	if none.find("a") != -1 {
		t.Error("found in nothing")
	}
}

// A member whose claims all hold, in order, is told from others.
func TestTidy(t *testing.T) {
	list := func(topic string, partitions ...int32) TopicPartitions {
		return TopicPartitions{Topic: topic, Partitions: partitions}
	}
	for _, c := range []struct {
		name string
		a, b []TopicPartitions // of the generations 2 and 1; b does not subscribe to "u"
		tidy [2]bool
	}{
		{"nothing", nil, nil, [2]bool{true, true}},
		{"apart", []TopicPartitions{list("t", 0, 2), list("u", 0)}, []TopicPartitions{list("t", 1)}, [2]bool{true, true}},
		{"one that does not hold", []TopicPartitions{list("t", 0)}, []TopicPartitions{list("t", 0, 1)}, [2]bool{true, false}},
		{"not subscribed to", []TopicPartitions{list("t", 0)}, []TopicPartitions{list("u", 1)}, [2]bool{true, false}},
		{"partitions out of order", []TopicPartitions{list("t", 2, 0)}, nil, [2]bool{false, true}},
		{"topics out of order", []TopicPartitions{list("u", 0), list("t", 0)}, nil, [2]bool{false, true}},
		{"twice", []TopicPartitions{list("t", 0, 0)}, nil, [2]bool{false, true}},
		{"a topic twice", []TopicPartitions{list("t", 0), list("t", 1)}, nil, [2]bool{false, true}},
		{"of nothing", []TopicPartitions{list("t")}, nil, [2]bool{false, true}},
		{"gone", []TopicPartitions{list("t", 3)}, []TopicPartitions{list("x", 0)}, [2]bool{false, false}},
	} {
		table, err := Tabulate(&Group{
			Topics: []Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 2}},
			Members: []Member{
				{ID: "a", Topics: []string{"t", "u"}, Generation: 2, Owned: c.a},
				{ID: "b", Topics: []string{"t"}, Generation: 1, Owned: c.b},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{table.Tidy(0), table.Tidy(1)}; got != c.tidy {
			t.Errorf("%s: %v, want %v", c.name, got, c.tidy)
		}
	}
}
