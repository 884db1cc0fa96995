package wire

import (
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// Whatever a group says, the plugin gets it, in canonical order.
func TestGroupGoesOver(t *testing.T) {
	columns, lists, both := 0, 0, 0
	defer func() {
		if columns == 0 || lists == 0 || both == 0 {
			t.Errorf("%d groups with a column of owners, %d with lists of claims, %d with both: something was never tried", columns, lists, both)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		g := group(t)
		r := asked(t, g)
		listed := slices.ContainsFunc(r.Members, func(m *pluginproto.Member) bool { return m.Owned != nil })
		switch {
		case len(r.Owners) > 0 && listed:
			both++
		case len(r.Owners) > 0:
			columns++
		case listed:
			lists++
		}
		if err := g.Check(); err != nil {
			t.Fatalf("not a group: %v", err)
		}
		before := dumped(g)
		if got, want := dumped(sent(t, g)), dumped(g.Canonical()); got != want {
			t.Fatalf("sent\n%s\ngot\n%s", want, got)
		}
		if dumped(g) != before {
			t.Fatalf("the group was changed")
		}
	})
}

func TestTextKeepsNamesApart(t *testing.T) {
	seen := map[string]string{}
	for _, name := range append(odd, "") {
		text := text(name)
		if other, ok := seen[text]; ok {
			t.Errorf("%q and %q are both %q", name, other, text)
		}
		seen[text] = name
		if got := raw(text); got != name {
			t.Errorf("%q became %q, and that %q", name, text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := maybeName.Draw(t, "a"), maybeName.Draw(t, "b")
		if raw(text(a)) != a || a != b && text(a) == text(b) {
			t.Fatalf("%q is %q, %q is %q", a, text(a), b, text(b))
		}
	})
}

// Members that read the same have one list, and topics stand in the message once.
func TestSharedThingsGoOnce(t *testing.T) {
	both := []string{"t", "u"}
	r := asked(t, &strategy.Group{
		Topics: []strategy.Topic{{Name: "t", Partitions: 2, Racks: [][]string{{"r"}, {"r", "s"}}}, {Name: "u", Partitions: 1}},
		Members: []strategy.Member{
			{ID: "a", Topics: both, Owned: []strategy.TopicPartitions{{Topic: "gone", Partitions: []int32{1}}}},
			{ID: "b", Topics: []string{"t"}}, {ID: "c", Topics: []string{"t", "u"}}, {ID: "d", Topics: both}, {ID: "e", Topics: []string{"gone", "t"}},
		},
	})
	if len(r.Topics) != 3 || len(r.PartitionCounts) != 2 || len(r.Subscriptions) != 3 || len(r.Racks) != 2 || len(r.Details) != 1 {
		t.Errorf("topics %q, %d of them exist, %d subscriptions, racks %q, %d details", r.Topics, len(r.PartitionCounts), len(r.Subscriptions), r.Racks, len(r.Details))
	}
}

// Claims that hold are one number a partition, whoever has them, and any others stay lists.
func TestClaimsThatHoldAreAColumn(t *testing.T) {
	list := func(topic string, partitions ...int32) strategy.TopicPartitions {
		return strategy.TopicPartitions{Topic: topic, Partitions: partitions}
	}
	for _, c := range []struct {
		name   string
		a, b   []strategy.TopicPartitions // of the generations 2 and 1
		owners []int32
		listed string // who has lists
	}{
		{"nothing", nil, nil, nil, ""},
		{"all that there is", []strategy.TopicPartitions{list("t", 0, 2), list("u", 1)}, []strategy.TopicPartitions{list("t", 1), list("u", 0)}, []int32{1, 2, 1, 2, 1}, ""},
		{"a claim that does not hold", []strategy.TopicPartitions{list("t", 0)}, []strategy.TopicPartitions{list("t", 0), list("u", 0)}, []int32{1, 0, 0, 0, 0}, "b"},
		{"in another order", []strategy.TopicPartitions{list("u", 0), list("t", 0)}, []strategy.TopicPartitions{list("t", 1, 2)}, []int32{0, 2, 2, 0, 0}, "a"},
		{"twice", []strategy.TopicPartitions{list("t", 0, 0)}, []strategy.TopicPartitions{list("u", 1)}, []int32{0, 0, 0, 0, 2}, "a"},
		{"no such partition", []strategy.TopicPartitions{list("t", 0, 3)}, []strategy.TopicPartitions{list("gone", 0)}, nil, "ab"},
		{"of no partitions", []strategy.TopicPartitions{list("t")}, []strategy.TopicPartitions{list("u", 1)}, []int32{0, 0, 0, 0, 2}, "a"},
	} {
		g := small()
		g.Members[0].Owned, g.Members[0].Generation = c.a, 2
		g.Members[1].Owned, g.Members[1].Generation = c.b, 1
		r := asked(t, g)
		var lists []string
		for _, m := range r.Members {
			if m.Owned != nil {
				lists = append(lists, m.Id)
			}
		}
		if got := strings.Join(lists, ""); !slices.Equal(r.Owners, c.owners) || got != c.listed {
			t.Errorf("%s: owners %v, and lists of %q; want %v and %q", c.name, r.Owners, got, c.owners, c.listed)
		}
	}
}

// Who appends to what a member owns does not change what others do.
func TestClaimsAreApart(t *testing.T) {
	g := small()
	g.Members[1].Generation, g.Members[1].Owned = 1, []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{2}}, {Topic: "u", Partitions: []int32{1}}}
	got := sent(t, g)
	for i := range got.Members {
		m := &got.Members[i]
		for k := range m.Owned {
			_ = append(m.Owned[k].Partitions, 77)
		}
		_ = append(m.Owned, strategy.TopicPartitions{Topic: "x"})
	}
	if got, want := dumped(got), dumped(g); got != want {
		t.Errorf("sent\n%s\ngot\n%s", want, got)
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	one := func(m *pluginproto.Member) *pluginproto.AssignRequest {
		return &pluginproto.AssignRequest{
			Topics: []string{"t", "gone"}, PartitionCounts: []int32{2}, Racks: []string{"r"},
			Subscriptions: []*pluginproto.Subscription{{Topics: []int32{0}}}, Members: []*pluginproto.Member{m},
		}
	}
	owning := func(p *pluginproto.Partitions) *pluginproto.AssignRequest {
		return one(&pluginproto.Member{Id: "m", Owned: p})
	}
	detailed := func(d *pluginproto.TopicDetail) *pluginproto.AssignRequest {
		r := one(&pluginproto.Member{Id: "m"})
		r.Details = []*pluginproto.TopicDetail{d}
		return r
	}
	owned := func(owners ...int32) *pluginproto.AssignRequest {
		r := one(&pluginproto.Member{Id: "m"})
		r.Owners = owners
		return r
	}
	for _, c := range []struct {
		name string
		r    *pluginproto.AssignRequest
		says string
	}{
		{"more counts than topics", &pluginproto.AssignRequest{Topics: []string{"t"}, PartitionCounts: []int32{1, 1}}, "2 counts of partitions for 1 topics"},
		{"a negative count", &pluginproto.AssignRequest{Topics: []string{"t"}, PartitionCounts: []int32{-1}}, `topic "t": has -1 partitions`},
		{"a huge count", &pluginproto.AssignRequest{Topics: []string{"t"}, PartitionCounts: []int32{1<<31 - 1}}, `topic "t": has 2147483647 partitions`},
		{"many large counts", &pluginproto.AssignRequest{Topics: []string{"t", "u"}, PartitionCounts: []int32{1 << 25, 1 << 25}}, "more than 33554432 partitions"},
		{"no such subscription", one(&pluginproto.Member{Id: "m", Subscription: 1}), `member "m": subscription number 1 of 1`},
		{"a negative subscription", one(&pluginproto.Member{Id: "m", Subscription: -1}), `member "m": subscription number -1 of 1`},
		{"no id", one(&pluginproto.Member{}), "has no id"},
		{"a negative capacity", one(&pluginproto.Member{Id: "m", Capacity: -1}), `member "m": capacity -1`},
		{"a subscription to no topic", &pluginproto.AssignRequest{Topics: []string{"t"}, Subscriptions: []*pluginproto.Subscription{{Topics: []int32{0, 1}}}}, "subscription number 0: name number 1 of 1"},
		{"a claim without counts", owning(&pluginproto.Partitions{Topics: []int32{0}, Partitions: []int32{0}}), `member "m": 0 counts of partitions for 1 topics`},
		{"counts of nothing", owning(&pluginproto.Partitions{Counts: []int32{1}}), `1 counts of partitions for 0 topics`},
		{"a claim of no topic", owning(&pluginproto.Partitions{Topics: []int32{2}, Counts: []int32{0}}), "topic number 2 of 2"},
		{"a claim of topic -1", owning(&pluginproto.Partitions{Topics: []int32{-1}, Counts: []int32{0}}), "topic number -1 of 2"},
		{"too few partitions", owning(&pluginproto.Partitions{Topics: []int32{1}, Counts: []int32{2}, Partitions: []int32{0}}), `2 partitions of topic "gone", where 1 are left`},
		{"too many partitions", owning(&pluginproto.Partitions{Topics: []int32{1}, Counts: []int32{1}, Partitions: []int32{0, 1}}), "1 partitions of no topic"},
		{"only partitions", owning(&pluginproto.Partitions{Partitions: []int32{0}}), "1 partitions of no topic"},
		{"a negative number of partitions", owning(&pluginproto.Partitions{Topics: []int32{0, 0}, Counts: []int32{-1, 2}, Partitions: []int32{0}}), `-1 partitions of topic "t"`},
		{"releasing", one(&pluginproto.Member{Id: "m", Releasing: &pluginproto.Partitions{Topics: []int32{9}, Counts: []int32{0}}}), "topic number 9 of 2"},
		{"expecting", one(&pluginproto.Member{Id: "m", Expecting: &pluginproto.Partitions{Topics: []int32{9}, Counts: []int32{0}}}), "topic number 9 of 2"},
		{"details of a topic that does not exist", detailed(&pluginproto.TopicDetail{Topic: 1}), "details of topic number 1 of 1"},
		{"details of topic -1", detailed(&pluginproto.TopicDetail{Topic: -1}), "details of topic number -1 of 1"},
		{"racks of too few partitions", detailed(&pluginproto.TopicDetail{RackCounts: []int32{0}}), "racks for 1 of 2 partitions"},
		{"weights of too few partitions", detailed(&pluginproto.TopicDetail{Weights: []float64{1}}), "weights for 1 of 2 partitions"},
		{"owners of too few partitions", owned(1), "owners of 1 partitions, where the group has 2"},
		{"owners of too many partitions", owned(0, 0, 1), "owners of 3 partitions, where the group has 2"},
		{"no such owner", owned(0, 2), `partition 1 of topic "t" is owned by member number 1 of 1`},
		{"a negative owner", owned(-1, 1), `partition 0 of topic "t" is owned by member number -2 of 1`},
		{"the least owner", owned(-1<<31, 1), "member number -2147483649 of 1"},
		{"owners in a group with too many partitions", &pluginproto.AssignRequest{Topics: []string{"t", "u"}, PartitionCounts: []int32{1 << 30, 1 << 30}, Owners: []int32{0}}, "more than 2147483647 partitions"},
		{"owners of a negative number", &pluginproto.AssignRequest{Topics: []string{"t", "u"}, PartitionCounts: []int32{-1, 2}, Owners: []int32{0}}, "owners of 1 partitions, where the group has 2"},
		{"a negative number of racks", detailed(&pluginproto.TopicDetail{RackCounts: []int32{-1, 2}, Racks: []int32{0}}), `racks of topic "t": -1 of partition 0`},
		{"too few racks", detailed(&pluginproto.TopicDetail{RackCounts: []int32{1, 1}, Racks: []int32{0}}), `racks of topic "t": 1 of partition 1, where 0 are left`},
		{"too many racks", detailed(&pluginproto.TopicDetail{RackCounts: []int32{0, 0}, Racks: []int32{0}}), `racks of topic "t": 1 of no partition`},
		{"leaders of too few partitions", detailed(&pluginproto.TopicDetail{LeaderRacks: []int32{1}}), "leaders' racks for 1 of 2 partitions"},
		{"a leader in no rack", detailed(&pluginproto.TopicDetail{LeaderRacks: []int32{1, 2}}), `leaders' racks of topic "t": name number 1 of 1`},
		{"a leader in rack -2", detailed(&pluginproto.TopicDetail{LeaderRacks: []int32{0, -1}}), `leaders' racks of topic "t": name number -2 of 1`},
		{"a signal of too few partitions", detailed(&pluginproto.TopicDetail{Signals: []*pluginproto.Signal{{Name: "lag", Values: []float64{1}}}}), `signal "lag" for 1 of 2 partitions`},
		{"a signal that is no number", detailed(&pluginproto.TopicDetail{Signals: []*pluginproto.Signal{{Name: "lag", Values: []float64{1, math.NaN()}}}}), `partition 1 has signal "lag" of NaN`},
		{"a signal twice", detailed(&pluginproto.TopicDetail{Signals: []*pluginproto.Signal{{Name: "lag", Values: []float64{1, 1}}, {Name: "lag", Values: []float64{1, 2}}}}), `topic "t" has signal "lag" twice`},
		{"a member's signal that is no number", one(&pluginproto.Member{Id: "m", Signals: map[string]float64{"x": math.Inf(1)}}), `member "m": signal "x" is +Inf`},
		{"a member from the future", one(&pluginproto.Member{Id: "m", UptimeNs: -1}), `member "m": uptime -1ns is negative`},
		{"no such rack", detailed(&pluginproto.TopicDetail{RackCounts: []int32{1, 0}, Racks: []int32{1}}), `racks of topic "t": name number 1 of 1`},
	} {
		data, err := proto.Marshal(c.r)
		if err != nil {
			t.Fatal(err)
		}
		r := &pluginproto.AssignRequest{}
		if err := proto.Unmarshal(data, r); err != nil {
			t.Fatal(err)
		}
		if _, err := Group(r); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

// What is said of an assignment goes over, as does what is asked for a join.
func TestNoticesGoOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topics := rapid.SliceOfN(maybeName, 1, 4).Draw(t, "topics")
		r := strategy.Received{
			Group: maybeName.Draw(t, "group"), Generation: rapid.Int32().Draw(t, "generation"), Member: name.Draw(t, "member"),
			Partitions: claims(t, topics, "partitions"), UserData: data.Draw(t, "data"),
		}
		bytes, err := proto.Marshal(OnAssignmentRequest(r))
		if err != nil {
			t.Fatalf("%v", err)
		}
		message := &pluginproto.OnAssignmentRequest{}
		if err := proto.Unmarshal(bytes, message); err != nil {
			t.Fatalf("%v", err)
		}
		got, err := Received(message)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if got.Group != r.Group || got.Generation != r.Generation || got.Member != r.Member || string(got.UserData) != string(r.UserData) ||
			listed(got.Partitions) != listed(r.Partitions) {
			t.Fatalf("sent %q, got %q", r, got)
		}
		if bytes, err = proto.Marshal(UserDataRequest(topics)); err != nil {
			t.Fatalf("%v", err)
		}
		question := &pluginproto.UserDataRequest{}
		if err := proto.Unmarshal(bytes, question); err != nil {
			t.Fatalf("%v", err)
		}
		if got := Topics(question); strings.Join(got, ",") != strings.Join(topics, ",") {
			t.Fatalf("sent %q, got %q", topics, got)
		}
	})
	if _, err := Received(&pluginproto.OnAssignmentRequest{Partitions: &pluginproto.Partitions{Topics: []int32{0}, Counts: []int32{0}}}); err == nil {
		t.Error("a topic without a name was taken")
	}
}
