package sticky_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// property checks f on n random inputs.
func property(t *testing.T, n int, f func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	defer func() { _ = checks.Value.Set(before) }()
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, f)
}

// drawSmall makes a group that all assignments of can be tried.
func drawSmall(t *rapid.T) *strategy.Group {
	g := &strategy.Group{Name: "g", Generation: 8}
	names := []string{"t", "u", "v"}[:rapid.IntRange(1, 3).Draw(t, "topics")]
	left := int32(7)
	for _, name := range names {
		n := rapid.Int32Range(0, min(4, left)).Draw(t, "partitions")
		left -= n
		g.Topics = append(g.Topics, strategy.Topic{Name: name, Partitions: n})
	}
	same := rapid.Bool().Draw(t, "equal subscriptions")
	capacities := rapid.Bool().Draw(t, "capacities")
	racks := rapid.SampledFrom([]string{"", "", "a", "ab"}).Draw(t, "racks of members")
	if racks != "" {
		drawRacks(t, g)
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "members") {
		m := strategy.Member{ID: fmt.Sprintf("m%d", i), Generation: rapid.Int32Range(-1, 2).Draw(t, "generation")}
		for _, name := range names {
			if same || rapid.IntRange(0, 2).Draw(t, "subscribes") > 0 {
				m.Topics = append(m.Topics, name)
			}
			if list := rapid.SliceOfN(rapid.Int32Range(-1, 4), 0, 4).Draw(t, "owned"); len(list) > 0 {
				m.Owned = append(m.Owned, strategy.TopicPartitions{Topic: name, Partitions: list})
			}
		}
		if capacities {
			m.Capacity = rapid.Int32Range(1, 4).Draw(t, "capacity")
			m.Draining = rapid.IntRange(0, 3).Draw(t, "draining") == 0
		}
		if racks != "" {
			m.Rack = rapid.SampledFrom(strings.Split(racks, "")).Draw(t, "rack")
			if rapid.IntRange(0, 3).Draw(t, "has no rack") == 0 {
				m.Rack = ""
			}
		}
		if h := rapid.IntRange(0, 2).Draw(t, "host"); h > 0 {
			m.Labels = map[string]string{"host": strconv.Itoa(h)}
		}
		g.Members = append(g.Members, m)
	}
	return g
}

// drawRacks gives some topics racks, of which nobody is in c.
func drawRacks(t *rapid.T, g *strategy.Group) {
	for i := range g.Topics {
		if rapid.IntRange(0, 3).Draw(t, "racks are not known") == 0 {
			continue
		}
		for range g.Topics[i].Partitions {
			racks := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"c", "b", "a"}), 0, 2, rapid.ID).Draw(t, "racks")
			g.Topics[i].Racks = append(g.Topics[i].Racks, racks)
		}
	}
}

// cost is what an assignment is judged by, in this order: partitions on draining members that another could have, Σ load²/capacity
// times 12, the same among draining members, Σ of the squares of hosts' loads, voluntary moves, partitions away from their racks.
type cost [6]int64

// costOf leaves hosts out if they play no role.
func costOf(table *strategy.Table, owner []int32, hosts bool) cost {
	g := table.Group
	var c cost
	loads := make([]int64, len(g.Members))
	for i, o := range owner {
		if k := table.Keeper(i); k >= 0 && int(o) != k {
			c[4]++
		}
		if o < 0 {
			continue
		}
		loads[o]++
		topic, p := table.Locate(i)
		if g.Members[o].Draining && slices.ContainsFunc(g.Members, func(m strategy.Member) bool {
			return !m.Draining && slices.Contains(m.Topics, g.Topics[topic].Name)
		}) {
			c[0]++
		}
		if all := g.Topics[topic].Racks; len(all) > 0 && len(all[p]) > 0 && g.Members[o].Rack != "" && !slices.Contains(all[p], g.Members[o].Rack) {
			c[5]++
		}
	}
	sums := map[string]int64{}
	for m, l := range loads {
		if share := int64(g.Members[m].Share()); share > 0 {
			c[1] += l * l * 12 / share
		} else {
			c[2] += l * l
		}
		host, ok := g.Members[m].Labels["host"]
		if !ok {
			host = g.Members[m].ID
		}
		sums[host] += l
	}
	for _, sum := range sums {
		if hosts {
			c[3] += sum * sum
		}
	}
	return c
}

// bestCost tries all assignments.
func bestCost(table *strategy.Table, hosts bool) cost {
	owner := make([]int32, table.Len())
	best := cost{math.MaxInt64}
	var place func(i int)
	place = func(i int) {
		if i == len(owner) {
			if c := costOf(table, owner, hosts); slices.Compare(c[:], best[:]) < 0 {
				best = c
			}
			return
		}
		topic, _ := table.Locate(i)
		owner[i] = strategy.NoOwner
		list := table.Subscribers(topic)
		for _, m := range list {
			owner[i] = m
			place(i + 1)
		}
		if len(list) == 0 {
			place(i + 1)
		}
	}
	place(0)
	return best
}

func TestAgainstBruteForce(t *testing.T) {
	property(t, 20_000, func(t *rapid.T) {
		g := drawSmall(t)
		table, err := strategy.Tabulate(g)
		if err != nil {
			t.Fatal(err)
		}
		a := sticky.Assignor{Host: rapid.SampledFrom([]string{"", "host"}).Draw(t, "label of hosts")}
		answer := assign(t, a, g)
		got, want := costOf(table, table.Owners(&answer), a.Host != ""), bestCost(table, a.Host != "")
		if got != want {
			t.Fatalf("misplaced, squares, squares of draining, of hosts, moves, rack misses: got %v, want %v\n%v", got, want, answer.Members)
		}
		if answer.Stopped != "" {
			t.Fatal("stopped at", answer.Stopped)
		}
		_, rounds, last := settle(t, strategy.Cooperative(a), g)
		if rounds > 2 {
			t.Fatalf("settled in %d rounds", rounds)
		}
		if end := costOf(table, table.Owners(&last), a.Host != ""); !slices.Equal(end[:4], want[:4]) {
			t.Fatalf("cooperative rounds end with loads of cost %v, want %v", end, want)
		}
	})
}

// With a tolerance, loads stay that close to the best ones, and moves do not become more.
func TestTolerance(t *testing.T) {
	property(t, 2_000, func(t *rapid.T) {
		g := drawSmall(t)
		tolerance := rapid.Int32Range(1, 3).Draw(t, "tolerance")
		strict := assign(t, sticky.Assignor{}, g)
		loose := assign(t, sticky.Assignor{Tolerance: tolerance}, g)
		s, err := strategy.Measure(g, &strict)
		if err != nil {
			t.Fatal(err)
		}
		l, err := strategy.Measure(g, &loose)
		if err != nil {
			t.Fatal(err)
		}
		if l.Voluntary > s.Voluntary {
			t.Fatalf("tolerance %d moves %d, without it %d", tolerance, l.Voluntary, s.Voluntary)
		}
		for _, m := range g.Members { // loads of optimal assignments differ by one from each other at most
			if d := loose.Count(m.ID) - strict.Count(m.ID); !m.Draining && (d > int(tolerance)+1 || d < -int(tolerance)-1) {
				t.Fatalf("load of %s is %d, strict %d, tolerance %d", m.ID, loose.Count(m.ID), strict.Count(m.ID), tolerance)
			}
		}
	})
}

// Any budget gives a valid answer, the same each time, and one that is no less even than dealing to the least loaded.
func TestBudget(t *testing.T) {
	property(t, 2_000, func(t *rapid.T) {
		g := drawSmall(t)
		a := sticky.Assignor{Budget: rapid.Int64Range(1, 2_000).Draw(t, "budget")}
		answer := assign(t, a, g)
		again := assign(t, a, g)
		table, err := strategy.Tabulate(g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table.Owners(&answer), table.Owners(&again)) || answer.Stopped != again.Stopped {
			t.Fatal("two answers to one group")
		}
	})
}

// Hosts that have as many members each get sums that differ by one at most, where all read everything.
func TestHosts(t *testing.T) {
	property(t, 500, func(t *rapid.T) {
		hosts, each := rapid.IntRange(1, 4).Draw(t, "hosts"), rapid.IntRange(1, 4).Draw(t, "members each")
		n := rapid.Int32Range(0, 40).Draw(t, "partitions")
		g := &strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: n}}}
		for i := range hosts * each {
			m := strategy.Member{ID: fmt.Sprintf("m%02d", i), Topics: []string{"t"}, Labels: map[string]string{"host": strconv.Itoa(i % hosts)}}
			if owned := rapid.SliceOfN(rapid.Int32Range(0, 40), 0, 9).Draw(t, "owned"); len(owned) > 0 {
				m.Owned, m.Generation = []strategy.TopicPartitions{{Topic: "t", Partitions: owned}}, 1
			}
			g.Members = append(g.Members, m)
		}
		a, err := strategy.Parse("sticky?host=host")
		if err != nil {
			t.Fatal(err)
		}
		answer := assign(t, a, g)
		sums := map[string]int{}
		for _, m := range g.Members {
			sums[m.Labels["host"]] += answer.Count(m.ID)
		}
		most, least := 0, math.MaxInt
		for _, s := range sums {
			most, least = max(most, s), min(least, s)
		}
		if most-least > 1 {
			t.Fatalf("hosts hold %v", sums)
		}
		if m, err := strategy.Measure(g, &answer); err != nil || m.Regret != 0 {
			t.Fatalf("members are not balanced any more: %+v, %v", m, err)
		}
	})
}
