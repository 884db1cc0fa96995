package main

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

var inTest = limits{Time: time.Minute, Calls: 3, Megabytes: 1024}

// sharedJava is opened by the first test that needs it, and closed by TestMain.
var sharedJava javaLibrary

var openShared = sync.OnceValue(func() error {
	sharedJava = javaLibrary{megabytes: 256}
	return sharedJava.open(context.Background())
})

// openJava skips a test that needs Java where there is none.
func openJava(t *testing.T) *javaLibrary {
	t.Helper()
	if err := openShared(); err != nil {
		if *requireJava {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return &sharedJava
}

// Every peer answers right on the groups of a quick run, and what is known about it holds.
func TestPeersInProcess(t *testing.T) {
	examineAll(t, goPeers())
}

func TestJavaPeers(t *testing.T) {
	examineAll(t, append(ourPeers(), openJava(t).peers()...))
}

// goPeers are ours and those that need no Java.
func goPeers() []Peer {
	return slices.DeleteFunc(all(nil), func(p Peer) bool { return p.Outside })
}

func examineAll(t *testing.T, peers []Peer) {
	var r report
	for _, c := range quickCases() {
		g, err := c.Group(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := g.Clone()
		tab := table{Case: c}
		for i := range peers {
			p := &peers[i]
			result := examine(t.Context(), p, g, inTest, nil)
			tab.Results = append(tab.Results, result)
			switch exact := p.Library == ours || p.Library == "franz-go" && strings.HasSuffix(p.Assignor, "sticky"); {
			case result.Status != Valid || result.Calls != inTest.Calls || result.Took <= 0 || result.Distinct < 1:
				t.Errorf("%s, %s: %+v", c, p, result)
			case exact && result.Worst.Regret != 0:
				t.Errorf("%s, %s: %v, and its loads are the best there are", c, p, result.Worst)
			case p.Library == ours && (result.Distinct != 1 || result.Worst.Voluntary != result.Minimum):
				t.Errorf("%s, %s: %+v", c, p, result)
			case p.Cooperative && c.Phase == "join" && result.Rounds != 2:
				t.Errorf("%s, %s: %d rounds", c, p, result.Rounds)
			}
			if !reflect.DeepEqual(g, before) {
				t.Fatalf("%s: %s changed the group", c, p)
			}
		}
		r.Tables = append(r.Tables, tab)
	}
	if v := better(&r); v.Outcome != outcomeReached {
		t.Error(v)
	}
}

// Range and roundrobin are the same everywhere, but for kafka-go.
func TestRangeAndRoundRobinAgree(t *testing.T) {
	equal := map[string]strategy.Assignor{
		"franz-go/range": rangeassign.Assignor{Even: true}, "franz-go/roundrobin": roundrobin.Assignor{},
		"sarama/range": rangeassign.Assignor{Even: true}, "sarama/roundrobin": roundrobin.Assignor{},
	}
	agree(t, goPeers(), equal, false)
}

func TestJavaRangeAndRoundRobinAgree(t *testing.T) {
	equal := map[string]strategy.Assignor{"java/range": rangeassign.Assignor{Even: true}, "java/server-range": rangeassign.Assignor{Even: true}, "java/roundrobin": roundrobin.Assignor{}}
	agree(t, openJava(t).peers(), equal, true)
}

// agree compares peers with assignors of ours on random groups.
func agree(t *testing.T, peers []Peer, equal map[string]strategy.Assignor, static bool) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		g := randomGroup(r, static)
		tab, err := strategy.Tabulate(g)
		if err != nil {
			t.Fatal(err)
		}
		for i := range peers {
			a, ok := equal[peers[i].String()]
			if !ok {
				continue
			}
			want, err := a.Assign(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			call, err := peers[i].Prepare(t.Context(), tab.Group)
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := call(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := p.assignment(tab, strategy.ProtocolEager)
			if digest(&got) != digest(&want) {
				t.Fatalf("%s: %v\nours: %v\ngroup: %+v", peers[i], got.Members, want.Members, tab.Group)
			}
		}
	}
}

// randomGroup has up to 5 topics and 6 members, whose names sort as their numbers do.
func randomGroup(r *rand.Rand, static bool) *strategy.Group {
	g := &strategy.Group{Name: "test", Generation: 3}
	for i := range 1 + r.IntN(5) {
		g.Topics = append(g.Topics, strategy.Topic{Name: "t" + strconv.Itoa(i), Partitions: r.Int32N(8)})
	}
	for i := range 1 + r.IntN(6) {
		m := strategy.Member{ID: "m" + strconv.Itoa(i), Generation: strategy.NoGeneration}
		if static && r.IntN(2) == 0 {
			m.InstanceID = "i" + strconv.Itoa(9-i)
		}
		for k := range g.Topics {
			if r.IntN(3) > 0 {
				m.Topics = append(m.Topics, g.Topics[k].Name)
			}
		}
		g.Members = append(g.Members, m)
	}
	return g.Canonical()
}

// What a member owned arrives at the peer: with nothing to balance, the sticky ones leave everything where it is.
func TestClaimsArrive(t *testing.T) {
	claimsArrive(t, goPeers())
}

func TestClaimsArriveInJava(t *testing.T) {
	claimsArrive(t, openJava(t).peers())
}

func claimsArrive(t *testing.T, peers []Peer) {
	c := tiny
	c.Phase = "stable"
	g, err := c.Group(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range choose(peers, regexp.MustCompile("sticky|uniform")) {
		result := examine(t.Context(), &p, g, inTest, nil)
		if result.Status != Valid || result.Worst.Voluntary != 0 || result.Distinct != 1 || result.Rounds != 1 {
			t.Errorf("%s: %+v", p, result)
		}
	}
}

// A topic must not go to a member that does not read it, whatever a stale claim of another says. Sarama's sticky does that, and it shows.
func TestStaleClaims(t *testing.T) {
	g := &strategy.Group{Name: "test", Generation: 3, Topics: []strategy.Topic{{Name: "t0", Partitions: 4}, {Name: "t1", Partitions: 2}}}
	g.Members = []strategy.Member{
		{ID: "a", Topics: []string{"t0"}, Generation: 2, Owned: []strategy.TopicPartitions{{Topic: "t0", Partitions: []int32{0, 1, 2, 3}}}},
		{ID: "b", Topics: []string{"t1"}, Generation: 1, Owned: []strategy.TopicPartitions{{Topic: "t0", Partitions: []int32{0, 1, 2, 3}}}},
		{ID: "c", Topics: []string{"t0", "t1"}, Generation: 2, Owned: []strategy.TopicPartitions{{Topic: "t1", Partitions: []int32{0, 1}}}},
	}
	l := inTest
	l.Calls = 20
	for _, p := range choose(goPeers(), regexp.MustCompile("^(sarama|franz-go)/sticky$")) {
		result := examine(context.Background(), &p, g, l, nil)
		if wrong := p.Library == "sarama"; wrong != (result.Status == Invalid && strings.Contains(result.Detail, "subscription: t0")) {
			t.Errorf("%s: %+v", p, result)
		}
	}
}

// A Java process that is ended, as it took too long, is replaced; without Java, its assignors are missing with the reason.
func TestJavaIsReplacedOrMissing(t *testing.T) {
	g, err := tiny.Group(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone := &javaLibrary{problem: errors.New("no JDK")}
	for _, p := range gone.peers() {
		if r := examine(t.Context(), &p, g, inTest, nil); r.Status != Missing || r.Detail != "missing: no JDK" {
			t.Errorf("%+v", r)
		}
	}
	j := openJava(t)
	p := j.peers()[0]
	late := inTest
	late.Time = time.Nanosecond
	if r := examine(t.Context(), &p, g, late, nil); r.Status != Late {
		t.Errorf("%+v", r)
	}
	if r := examine(t.Context(), &p, g, inTest, nil); r.Status != Valid {
		t.Errorf("%+v", r)
	}
}

// Digests are equal for equal answers only.
func TestDigest(t *testing.T) {
	g, err := tiny.Group(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := sticky.Assignor{}.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	b := strategy.Assignment{Members: maps.Clone(a.Members)}
	if digest(&a) != digest(&b) {
		t.Error("equal answers differ")
	}
	first, second := g.Members[0].ID, g.Members[1].ID
	b.Members[first], b.Members[second] = b.Members[second], b.Members[first]
	if digest(&a) == digest(&b) {
		t.Error("answers that differ are equal")
	}
}
