package wire

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	rangestrategy "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// joined places even partitions together, and odd ones, so that some are withheld with others.
type joined struct{ strategy.Assignor }

func (j joined) Unwrap() strategy.Assignor { return j.Assignor }

func (joined) Unit(_ *strategy.Group, _ *strategy.Topic, partition int32) string {
	return strconv.Itoa(int(partition % 2))
}

func assignors() []strategy.Assignor {
	return []strategy.Assignor{
		sticky.Assignor{}, rangestrategy.Assignor{}, roundrobin.Assignor{},
		strategy.Cooperative(sticky.Assignor{}), strategy.Cooperative(rangestrategy.Assignor{}), strategy.Cooperative(joined{roundrobin.Assignor{}}),
	}
}

// What our assignors answer, as plugins, is what they answer in the process.
func TestAnswersOfAssignorsGoOver(t *testing.T) {
	withheld, together, promised := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := group(t)
		table, err := strategy.Tabulate(g)
		if err != nil {
			t.Fatalf("%v", err)
		}
		for _, a := range assignors() {
			want, err := a.Assign(context.Background(), g)
			if err != nil {
				t.Fatalf("%s: %v", a.Name(), err)
			}
			over := sent(t, table.Group)
			there, err := a.Assign(context.Background(), over)
			if err != nil {
				t.Fatalf("%s, sent: %v", a.Name(), err)
			}
			got := returned(t, table, over, &there)
			if answered(&got) != answered(&want) {
				t.Fatalf("%s answered\n%s\nand over the wire\n%s", a.Name(), answered(&want), answered(&got))
			}
			for _, u := range got.Unassigned {
				if u.Reason == strategy.ReasonWithheld {
					withheld++
				}
				if u.With != nil {
					together++
				}
				if u.For != "" {
					promised++
				}
			}
		}
	})
	if withheld == 0 || together == 0 || promised == 0 {
		t.Errorf("%d withheld, %d with another, %d for a member: something was never tried", withheld, together, promised)
	}
}

// Any other answer goes over too, right or wrong, if it has its members and partitions right.
func TestAnswersGoOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, err := strategy.Tabulate(group(t))
		if err != nil {
			t.Fatalf("%v", err)
		}
		a := answer(t, table)
		before := answered(&a)
		got := returned(t, table, sent(t, table.Group), &a)
		if answered(&got) != before {
			t.Fatalf("answered\n%s\ngot\n%s", before, answered(&got))
		}
		if answered(&a) != before {
			t.Fatalf("the answer was changed")
		}
	})
}

// small is a group of two members and five partitions, 0 to 2 of topic "t" and 3 and 4 of topic "u".
func small() *strategy.Group {
	both := []string{"t", "u"}
	return &strategy.Group{
		Topics: []strategy.Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 2}},
		Members: []strategy.Member{
			{ID: "a", Topics: both, Generation: 1, Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1}}, {Topic: "u", Partitions: []int32{0}}}},
			{ID: "b", Topics: both, Generation: strategy.NoGeneration},
		},
	}
}

func TestAnswersWithoutRoom(t *testing.T) {
	list := func(topic string, partitions ...int32) strategy.TopicPartitions {
		return strategy.TopicPartitions{Topic: topic, Partitions: partitions}
	}
	given := func(id string, lists ...strategy.TopicPartitions) strategy.Assignment {
		return strategy.Assignment{Members: map[string][]strategy.TopicPartitions{id: lists}}
	}
	rest := func(u strategy.Unassigned) strategy.Assignment {
		return strategy.Assignment{Unassigned: []strategy.Unassigned{u}}
	}
	for _, c := range []struct {
		name string
		a    strategy.Assignment
		says string
	}{
		{"a partition for two", strategy.Assignment{Members: map[string][]strategy.TopicPartitions{"a": {list("t", 1)}, "b": {list("t", 0, 1)}}},
			`partition 1 of topic "t" is given to member "a" and to member "b"`},
		{"a partition twice", given("a", list("t", 1, 1)), `partition 1 of topic "t" is given to member "a" and to member "a"`},
		{"a stranger", given("x", list("t", 1)), `member "x" is given something, and is not of the group`},
		{"a stranger who gets nothing", given("x"), `member "x"`},
		{"another topic", given("a", list("gone", 1)), `member "a" is given partitions of topic "gone"`},
		{"a partition too many", given("a", list("t", 3)), `member "a" is given partition 3 of topic "t", which has 3`},
		{"partition -1", given("b", list("u", -1)), `member "b" is given partition -1 of topic "u"`},
		{"data for a stranger", strategy.Assignment{UserData: map[string][]byte{"x": nil}}, `user data for member "x"`},
		{"an unknown reason", rest(strategy.Unassigned{Topic: "t", Partition: 1, Reason: "mood"}), `partition 1 of topic "t" has the unknown reason "mood"`},
		{"no reason", rest(strategy.Unassigned{Topic: "t", Partition: 1}), `partition 1 of topic "t" has the unknown reason ""`},
		{"nobody gets another topic", rest(strategy.Unassigned{Topic: "gone", Reason: strategy.ReasonLimit}), `topic "gone"`},
		{"nobody gets a partition too many", rest(strategy.Unassigned{Topic: "u", Partition: 2, Reason: strategy.ReasonLimit}), `partition 2 of topic "u"`},
		{"nobody gets partition -1", rest(strategy.Unassigned{Topic: "u", Partition: -1, Reason: strategy.ReasonLimit}), `partition -1 of topic "u"`},
		{"for a stranger", rest(strategy.Unassigned{Topic: "u", Reason: strategy.ReasonWithheld, For: "x"}), `waits for member "x"`},
		{"with another topic", rest(strategy.Unassigned{Topic: "u", Reason: strategy.ReasonWithheld, With: &strategy.TopicPartition{Topic: "gone"}}), `topic "gone"`},
		{"with a partition too many", rest(strategy.Unassigned{Topic: "u", Reason: strategy.ReasonWithheld, With: &strategy.TopicPartition{Topic: "t", Partition: 3}}), `partition 3 of topic "t"`},
	} {
		if _, err := AssignResponse(small(), &c.a); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
	twice := small()
	twice.Topics[1].Name = "t"
	if _, err := AssignResponse(twice, &strategy.Assignment{}); err == nil {
		t.Error("a group with a topic twice was answered")
	}
	huge := &strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: 1 << 30}, {Name: "u", Partitions: 1 << 30}}}
	if _, err := AssignResponse(huge, &strategy.Assignment{}); err == nil {
		t.Error("a group with more partitions than there are numbers was answered")
	}
}

func TestResponsesThatMakeNoSense(t *testing.T) {
	owners := []int32{1, 1, 2, 2, 0}
	limit := []pluginproto.Reason{pluginproto.Reason_REASON_LIMIT}
	rest := func(u *pluginproto.Unassigned) *pluginproto.AssignResponse {
		return &pluginproto.AssignResponse{Owners: owners, Unassigned: u}
	}
	for _, c := range []struct {
		name string
		r    *pluginproto.AssignResponse
		says string
	}{
		{"nothing at all", &pluginproto.AssignResponse{}, "owners of 0 partitions, where the group has 5"},
		{"too few owners", &pluginproto.AssignResponse{Owners: owners[:4]}, "owners of 4 partitions, where the group has 5"},
		{"too many owners", &pluginproto.AssignResponse{Owners: make([]int32, 6)}, "owners of 6 partitions, where the group has 5"},
		{"no such owner", &pluginproto.AssignResponse{Owners: []int32{1, 1, 1, 3, 1}}, `partition 0 of topic "u" is given to member number 2 of 2`},
		{"a negative owner", &pluginproto.AssignResponse{Owners: []int32{1, -1, 1, 1, 1}}, `partition 1 of topic "t" is given to member number -2 of 2`},
		{"the least owner", &pluginproto.AssignResponse{Owners: []int32{1, -1 << 31, 1, 1, 1}}, `member number -2147483649 of 2`},
		{"the greatest owner", &pluginproto.AssignResponse{Owners: []int32{1, 1<<31 - 1, 1, 1, 1}}, `member number 2147483646 of 2`},
		{"more unassigned than there are", rest(&pluginproto.Unassigned{Partitions: make([]int32, 6), Reasons: make([]pluginproto.Reason, 6)}), "6 partitions are unassigned, and the group has 5"},
		{"no reasons", rest(&pluginproto.Unassigned{Partitions: []int32{4}}), "1 partitions are unassigned, with 0 reasons"},
		{"reasons of nothing", rest(&pluginproto.Unassigned{Reasons: limit}), "0 partitions are unassigned, with 1 reasons"},
		{"an unknown reason", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: []pluginproto.Reason{77}}), `partition 1 of topic "u" has the unknown reason 77`},
		{"an unspecified reason", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: make([]pluginproto.Reason, 1)}), `partition 1 of topic "u" has the unknown reason REASON_UNSPECIFIED`},
		{"members of nothing", rest(&pluginproto.Unassigned{ForMembers: []int32{1}}), "0 partitions are unassigned, with 1 members"},
		{"too many members", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: limit, ForMembers: []int32{1, 1}}), "1 partitions are unassigned, with 2 members"},
		{"too many others", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: limit, WithPartitions: []int32{1, 1}}), "1 partitions are unassigned, with 2 other partitions"},
		{"no such partition", rest(&pluginproto.Unassigned{Partitions: []int32{5}, Reasons: limit}), "partition number 5 of 5"},
		{"partition -1", rest(&pluginproto.Unassigned{Partitions: []int32{-1}, Reasons: limit}), "partition number -1 of 5"},
		{"for nobody", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: limit, ForMembers: []int32{3}}), `partition 1 of topic "u" waits for member number 2 of 2`},
		{"for member -2", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: limit, ForMembers: []int32{-1}}), "member number -2 of 2"},
		{"for the least member", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: limit, ForMembers: []int32{-1 << 31}}), "member number -2147483649 of 2"},
		{"with no partition", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: limit, WithPartitions: []int32{6}}), `partition 1 of topic "u" moves with another: partition number 5 of 5`},
		{"with the least partition", rest(&pluginproto.Unassigned{Partitions: []int32{4}, Reasons: limit, WithPartitions: []int32{-1 << 31}}), "partition number -2147483649 of 5"},
		{"data for nobody", &pluginproto.AssignResponse{Owners: owners, UserData: map[int32][]byte{2: nil}}, "user data for member number 2 of 2"},
		{"data for member -1", &pluginproto.AssignResponse{Owners: owners, UserData: map[int32][]byte{-1: nil}}, "user data for member number -1 of 2"},
	} {
		table, err := strategy.Tabulate(small())
		if err != nil {
			t.Fatal(err)
		}
		data, err := proto.Marshal(c.r)
		if err != nil {
			t.Fatal(err)
		}
		r := &pluginproto.AssignResponse{}
		if err := proto.Unmarshal(data, r); err != nil {
			t.Fatal(err)
		}
		if _, err := Assignment(table, r); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

// The objective at which an assignor stopped is printed, so that it is short and text, whoever says it.
func TestStoppedIsShortText(t *testing.T) {
	table, err := strategy.Tabulate(small())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ said, want string }{
		{"racks", "racks"}, {"\xffracks\xff", "racks"}, {strings.Repeat("x", 300), strings.Repeat("x", 200)}, {strings.Repeat("x", 199) + "é", strings.Repeat("x", 199)},
	} {
		a := strategy.Assignment{Stopped: c.said}
		if got := returned(t, table, table.Group, &a); got.Stopped != c.want {
			t.Errorf("%q came out as %q", c.said, got.Stopped)
		}
		if a, err := Assignment(table, &pluginproto.AssignResponse{Owners: make([]int32, 5), Stopped: c.said}); err != nil || a.Stopped != c.want {
			t.Errorf("%q was read as %q, %v", c.said, a.Stopped, err)
		}
	}
}
