package strategy

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCanonicalIsOneForAllOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGroup(t)
		before := g.Clone()
		c := g.Canonical()
		shuffled := g.Clone()
		if len(shuffled.Members) > 0 { // one of them twice, with another rack and other signals
			shuffled.Members[0].Rack, shuffled.Members[0].Signals = "here", map[string]float64{"cpu": 2, "heap": 3}
			twice := shuffled.Members[0]
			twice.Rack, twice.Uptime, twice.Signals = "elsewhere", time.Minute, map[string]float64{"cpu": 1}
			shuffled.Members = append(shuffled.Members, twice)
			c = shuffled.Canonical()
			shuffled.Members = rapid.Permutation(shuffled.Members).Draw(t, "members")
		}
		if len(shuffled.Topics) > 0 {
			shuffled.Topics = rapid.Permutation(shuffled.Topics).Draw(t, "topics")
		}
		for i := range shuffled.Members {
			m := &shuffled.Members[i]
			if len(m.Topics) > 0 {
				m.Topics = rapid.Permutation(m.Topics).Draw(t, "subscription")
			}
		}
		if got := shuffled.Canonical(); !reflect.DeepEqual(got.Members, c.Members) || !reflect.DeepEqual(got.Topics, c.Topics) {
			t.Fatalf("another order gives another group:\n%+v\n%+v", got, c)
		}
		if c.Canonical() != c {
			t.Fatal("a canonical group is copied")
		}
		if !reflect.DeepEqual(g, before) {
			t.Fatal("the group was changed")
		}
	})
}

func TestCanonicalMembers(t *testing.T) {
	g := &Group{Members: []Member{
		{ID: "b", Topics: []string{"u", "t", "u"}}, {ID: "z", InstanceID: "i2"}, {ID: "y", InstanceID: "i10"}, {ID: "a"},
		{ID: "b", Topics: []string{"v"}, Generation: 3, Owned: []TopicPartitions{{Topic: "v", Partitions: []int32{1}}}},
	}}
	var got []string
	for _, m := range g.Canonical().Members {
		got = append(got, m.ID+":"+strings.Join(m.Topics, ","))
	}
	if want := "y: z: a: b:t,u,v"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s: static members by instance, then dynamic ones by id, one of each", got, want)
	}
	if m := g.Canonical().Members[3]; m.Generation != 3 || len(m.Owned) != 1 {
		t.Errorf("the claim of the later generation is lost: %+v", m)
	}
}

// Entries of one member become one, whatever order they come in.
func TestCanonicalMerges(t *testing.T) {
	owned := func(partitions ...int32) []TopicPartitions { return []TopicPartitions{list("t", partitions...)} }
	for _, c := range []struct {
		name             string
		one, other, want Member
	}{
		{"a later generation", Member{Generation: 3, Owned: owned(0)}, Member{Generation: 2, Owned: owned(1)}, Member{Generation: 3, Owned: owned(0)}},
		{"one generation", Member{Generation: 2, Owned: owned(0)}, Member{Generation: 2, Owned: owned(1)},
			Member{Generation: 2, Owned: []TopicPartitions{list("t", 0), list("t", 1)}}},
		{"capacities", Member{Capacity: 2}, Member{Capacity: 3}, Member{Capacity: 3}},
		{"one drains", Member{Draining: true}, Member{}, Member{Draining: true}},
		{"an instance", Member{InstanceID: "i"}, Member{}, Member{InstanceID: "i"}},
		{"a rack", Member{Rack: "r"}, Member{}, Member{Rack: "r"}},
		{"uptimes", Member{Uptime: time.Second}, Member{Uptime: time.Minute}, Member{Uptime: time.Minute}},
		{"signals", Member{Signals: map[string]float64{"cpu": 1}}, Member{}, Member{Signals: map[string]float64{"cpu": 1}}},
		{"signals of both", Member{Signals: map[string]float64{"cpu": 1}}, Member{Signals: map[string]float64{"cpu": 2, "heap": 3}}, Member{Signals: map[string]float64{"cpu": 1}}},
		{"labels", Member{Labels: map[string]string{"k": "v"}}, Member{}, Member{Labels: map[string]string{"k": "v"}}},
		{"user data of the second", Member{Rack: "z", UserData: []byte("d")}, Member{Rack: "a"}, Member{Rack: "a", UserData: []byte("d")}},
		{"user data", Member{UserData: []byte("d")}, Member{}, Member{UserData: []byte("d")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.one.ID, c.other.ID, c.want.ID = "m", "m", "m"
			for _, members := range [][]Member{{c.one, c.other}, {c.other, {ID: "n", InstanceID: "z"}, c.one}} {
				got := (&Group{Members: members}).Canonical().Members
				merged := got[len(got)-1]
				if merged.ID != "m" {
					merged = got[0]
				}
				if len(got) != len(members)-1 || !reflect.DeepEqual(merged, c.want) {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			}
		})
	}
}

func TestCompareMembers(t *testing.T) {
	sorted := []Member{{ID: "z", InstanceID: "i"}, {ID: "a", InstanceID: "j"}, {ID: "b", InstanceID: "j"}, {ID: "a"}, {ID: "c"}}
	for i := range sorted {
		for j := range sorted {
			if got, want := sorted[i].Compare(&sorted[j]), cmp.Compare(i, j); got != want {
				t.Errorf("%+v and %+v compare as %d, want %d", sorted[i], sorted[j], got, want)
			}
		}
	}
}

func TestClone(t *testing.T) {
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 1, Racks: [][]string{{"a"}}, Weights: []float64{2}, LeaderRacks: []string{"a"}, Signals: map[string][]float64{"lag": {7}}}},
		Members: []Member{{
			ID: "m", Topics: []string{"t"}, Owned: []TopicPartitions{list("t", 0), list("u", 1)}, Releasing: []TopicPartitions{list("t", 0)},
			Expecting: []TopicPartitions{list("u", 2)}, Labels: map[string]string{"k": "v"}, UserData: []byte("d"),
			Uptime: time.Second, Signals: map[string]float64{"cpu": 1},
		}},
	}
	c := g.Clone()
	if !reflect.DeepEqual(c, g) {
		t.Fatalf("got %+v, want %+v", c, g)
	}
	topic, m := &c.Topics[0], &c.Members[0]
	for name, shared := range map[string]bool{
		"topics": topic == &g.Topics[0], "racks": &topic.Racks[0] == &g.Topics[0].Racks[0], "a partition's racks": &topic.Racks[0][0] == &g.Topics[0].Racks[0][0],
		"weights": &topic.Weights[0] == &g.Topics[0].Weights[0], "members": m == &g.Members[0], "subscription": &m.Topics[0] == &g.Members[0].Topics[0],
		"claims": &m.Owned[0] == &g.Members[0].Owned[0], "claimed partitions": &m.Owned[0].Partitions[0] == &g.Members[0].Owned[0].Partitions[0],
		"user data": &m.UserData[0] == &g.Members[0].UserData[0], "what is released": &m.Releasing[0] == &g.Members[0].Releasing[0],
		"leaders' racks": &topic.LeaderRacks[0] == &g.Topics[0].LeaderRacks[0], "a signal's numbers": &topic.Signals["lag"][0] == &g.Topics[0].Signals["lag"][0],
		"what is expected": &m.Expecting[0] == &g.Members[0].Expecting[0],
	} {
		if shared {
			t.Errorf("%s are shared", name)
		}
	}
	m.Labels["k"] = "w"
	if g.Members[0].Labels["k"] != "v" {
		t.Error("labels are shared")
	}
	m.Signals["cpu"], topic.Signals["rate"] = 2, nil
	if g.Members[0].Signals["cpu"] != 1 || len(g.Topics[0].Signals) != 1 {
		t.Error("signals are shared")
	}
	if _ = append(m.Owned[0].Partitions, 9); m.Owned[1].Partitions[0] != 1 {
		t.Error("appending to one list writes into the next")
	}
}

func TestNothing(t *testing.T) {
	var group *GroupError
	if _, err := Tabulate(nil); !errors.As(err, &group) {
		t.Error(err)
	}
	if err := Validate(nil, &Assignment{}, ProtocolEager); !errors.As(err, &group) {
		t.Error(err)
	}
	if _, err := Measure(nil, nil); !errors.As(err, &group) {
		t.Error(err)
	}
	var invalid *InvalidError
	if err := Validate(twoMembers(), nil, ProtocolEager); !errors.As(err, &invalid) {
		t.Error(err)
	}
	if _, err := Measure(twoMembers(), nil); err != nil {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		g    Group
		want string
	}{
		{"negative partitions", Group{Topics: []Topic{{Name: "t", Partitions: -1}}}, `topic "t": has -1 partitions`},
		{"absurd partitions", Group{Topics: []Topic{{Name: "t", Partitions: 1_000_000_000}}}, `topic "t": has 1000000000 partitions; 33554432 is the most`},
		{"absurd in all", Group{Topics: []Topic{{Name: "t", Partitions: MaxPartitions}, {Name: "u", Partitions: 1}}}, `topic "u": more than 33554432 partitions in all`},
		{"nameless topic", Group{Topics: []Topic{{Partitions: 1}}}, `topic "": has no name`},
		{"racks", Group{Topics: []Topic{{Name: "t", Partitions: 2, Racks: [][]string{{"a"}}}}}, `topic "t": has racks for 1 of 2 partitions`},
		{"weights", Group{Topics: []Topic{{Name: "t", Partitions: 1, Weights: []float64{1, 2}}}}, `topic "t": has weights for 2 of 1 partitions`},
		{"negative weight", Group{Topics: []Topic{{Name: "t", Partitions: 1, Weights: []float64{-1}}}}, `topic "t": partition 0 weighs -1, which is not within 0..1e+100`},
		{"no weight", Group{Topics: []Topic{{Name: "t", Partitions: 1, Weights: []float64{math.NaN()}}}}, `topic "t": partition 0 weighs NaN, which is not within 0..1e+100`},
		{"absurd weight", Group{Topics: []Topic{{Name: "t", Partitions: 1, Weights: []float64{1e101}}}}, `topic "t": partition 0 weighs 1e+101, which is not within 0..1e+100`},
		{"topic listed twice", Group{Topics: []Topic{{Name: "t", Partitions: 1}, {Name: "t", Partitions: 2}}}, `topic "t": is listed twice, with different facts`},
		{"topic listed twice, weights", Group{Topics: []Topic{{Name: "t", Partitions: 1}, {Name: "t", Partitions: 1, Weights: []float64{1}}}}, `topic "t": is listed twice, with different facts`},
		{"topic listed twice, racks", Group{Topics: []Topic{{Name: "t", Partitions: 1}, {Name: "t", Partitions: 1, Racks: [][]string{{"r"}}}}}, `topic "t": is listed twice, with different facts`},
		{"topic listed twice, leaders", Group{Topics: []Topic{{Name: "t", Partitions: 1}, {Name: "t", Partitions: 1, LeaderRacks: []string{"r"}}}}, `topic "t": is listed twice, with different facts`},
		{"topic listed twice, signals", Group{Topics: []Topic{{Name: "t", Partitions: 1, Signals: map[string][]float64{"lag": {1}}}, {Name: "t", Partitions: 1, Signals: map[string][]float64{"lag": {2}}}}}, `topic "t": is listed twice, with different facts`},
		{"leaders' racks", Group{Topics: []Topic{{Name: "t", Partitions: 2, LeaderRacks: []string{"a"}}}}, `topic "t": has leaders' racks for 1 of 2 partitions`},
		{"a signal of some", Group{Topics: []Topic{{Name: "t", Partitions: 2, Signals: map[string][]float64{"lag": {1}}}}}, `topic "t": has signal "lag" for 1 of 2 partitions`},
		{"a signal of none", Group{Topics: []Topic{{Name: "t", Partitions: 2, Signals: map[string][]float64{"lag": nil}}}}, `topic "t": has signal "lag" for 0 of 2 partitions`},
		{"no signal", Group{Topics: []Topic{{Name: "t", Partitions: 1, Signals: map[string][]float64{"z": {math.Inf(1)}, "lag": {math.NaN()}}}}}, `topic "t": partition 0 has signal "lag" of NaN, which is not within ±1e+100`},
		{"an absurd signal", Group{Topics: []Topic{{Name: "t", Partitions: 1, Signals: map[string][]float64{"lag": {-1e101}}}}}, `topic "t": partition 0 has signal "lag" of -1e+101, which is not within ±1e+100`},
		{"uptime", Group{Members: []Member{{ID: "a", Uptime: -time.Second}}}, `member "a": uptime -1s is negative`},
		{"a member's signal", Group{Members: []Member{{ID: "a", Signals: map[string]float64{"z": math.NaN(), "cpu": math.Inf(-1)}}}}, `member "a": signal "cpu" is -Inf, which is not within ±1e+100`},
		{"nameless member", Group{Members: []Member{{ID: "a"}, {}}}, `member 2: has no id`},
		{"a capacity above the most", Group{Members: []Member{{ID: "z", Capacity: MaxCapacity}, {ID: "a", Capacity: MaxCapacity + 1}}}, `member "a": capacity 1048576 is not within 0..1048575`},
		{"infinite weight", Group{Topics: []Topic{{Name: "t", Partitions: 1, Weights: []float64{math.Inf(1)}}}}, `topic "t": partition 0 weighs +Inf, which is not within 0..1e+100`},
		{"capacity", Group{Members: []Member{{ID: "a", Capacity: -1}}}, `member "a": capacity -1 is not within 0..1048575`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.g.Check()
			var group *GroupError
			if !errors.As(err, &group) || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if _, again := Tabulate(&c.g); again == nil || again.Error() != c.want {
				t.Errorf("Tabulate: %v", again)
			}
		})
	}
}
