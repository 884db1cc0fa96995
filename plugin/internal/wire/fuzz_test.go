package wire

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// bound is the memory in bytes that reading a message may take. A count that is not backed by as many bytes goes far beyond it.
func bound(size int) uint64 { return 1<<20 + 300*uint64(size) }

// allocated is what f allocates in bytes, with what else goes on in the process.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzAssignment reads answers of whatever bytes. What comes out has each member once, and each partition once, of those there are.
func FuzzAssignment(f *testing.F) {
	limit := []pluginproto.Reason{pluginproto.Reason_REASON_LIMIT}
	for _, r := range []*pluginproto.AssignResponse{
		{Owners: []int32{1, 1, 2, 2, 1}},
		{Owners: []int32{1, 1, 2, 0, 0}, Stopped: "racks", UserData: map[int32][]byte{0: []byte("x"), 1: nil}, Unassigned: &pluginproto.Unassigned{
			Partitions: []int32{4, 3}, Reasons: append(limit, pluginproto.Reason_REASON_WITHHELD), ForMembers: []int32{0, 1}, WithPartitions: []int32{0, 5},
		}},
		{Owners: []int32{1, math.MaxInt32, math.MinInt32, -1, 3}},
		{Owners: make([]int32, 5), Unassigned: &pluginproto.Unassigned{Partitions: []int32{4, 4}, Reasons: append(limit, limit...)}},
	} {
		data, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	table, err := strategy.Tabulate(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a strategy.Assignment
		var err error
		if used := allocated(func() {
			r := &pluginproto.AssignResponse{}
			if err = proto.Unmarshal(data, r); err == nil {
				a, err = Assignment(table, r)
			}
		}); used > bound(len(data)) {
			t.Fatalf("%d bytes took %d bytes of memory", len(data), used)
		}
		if err != nil {
			return
		}
		checkStructure(t, table, &a)
		again := returned(t, table, table.Group, &a)
		if answered(&again) != answered(&a) {
			t.Fatalf("read\n%s\nand once more\n%s", answered(&a), answered(&again))
		}
	})
}

// checkStructure looks for what must not come out of a message, whatever it says. The other rules are for who gets the answer.
func checkStructure(t *testing.T, table *strategy.Table, a *strategy.Assignment) {
	if err := strategy.Validate(table.Group, &strategy.Assignment{Members: a.Members}, strategy.ProtocolEager); err != nil {
		invalid, ok := errors.AsType[*strategy.InvalidError](err)
		for _, rule := range []strategy.Rule{strategy.RuleMember, strategy.RuleTopic, strategy.RulePartition, strategy.RuleOnce, strategy.RuleOrder} {
			if !ok || invalid.Breaks(rule) {
				t.Fatalf("%v", err)
			}
		}
	}
	for _, u := range a.Unassigned {
		topic, ok := table.Topic(u.Topic)
		if !ok || u.Partition < 0 || u.Partition >= table.Group.Topics[topic].Partitions {
			t.Fatalf("no such partition: %v", u)
		}
		if !slices.Contains(strategy.Reasons(), u.Reason) {
			t.Fatalf("no reason: %v", u)
		}
		if u.For != "" && !slices.ContainsFunc(table.Group.Members, func(m strategy.Member) bool { return m.ID == u.For }) {
			t.Fatalf("no such member: %v", u)
		}
	}
}

// FuzzGroup reads groups of whatever bytes. What comes out can be assigned, and sent on as it is.
func FuzzGroup(f *testing.F) {
	g := small()
	g.Topics[0].Weights, g.Topics[1].Racks = []float64{1, 2, 0.5}, [][]string{{"r", "s"}, {}}
	g.Topics[0].LeaderRacks, g.Topics[0].Signals = []string{"", "s", "s"}, map[string][]float64{strategy.SignalLag: {1, 2, -3}}
	g.Members[0].Uptime, g.Members[0].Signals = time.Hour, map[string]float64{"x": 0.5}
	g.Members[0].Labels, g.Members[0].UserData, g.Members[0].Releasing = map[string]string{"\xff": `"`}, []byte("x"), g.Members[0].Owned[:1]
	g.Members[1].Expecting, g.Members[1].ID = []strategy.TopicPartitions{{Topic: "gone", Partitions: []int32{-1, math.MaxInt32}}}, "\xff"
	for _, r := range []*pluginproto.AssignRequest{
		asked(f, g), {Topics: []string{"t"}, PartitionCounts: []int32{math.MaxInt32}}, {Topics: []string{"t"}, PartitionCounts: []int32{strategy.MaxPartitions}},
		{Topics: []string{"t"}, PartitionCounts: []int32{4}, Owners: []int32{2, 1, 0, 2}, Subscriptions: []*pluginproto.Subscription{{Topics: []int32{0}}}, Members: []*pluginproto.Member{{Id: "a"}, {Id: "b"}}},
		{Topics: []string{"t"}, PartitionCounts: []int32{2}, Owners: []int32{-1, math.MaxInt32}, Members: []*pluginproto.Member{{Id: "a"}}},
		{Topics: []string{`"\xff"`, `"\`}, Members: []*pluginproto.Member{{Id: `"x`, Subscription: -1}}},
	} {
		data, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var g *strategy.Group
		var err error
		if used := allocated(func() {
			r := &pluginproto.AssignRequest{}
			if err = proto.Unmarshal(data, r); err == nil {
				g, err = Group(r)
			}
		}); used > bound(len(data)) {
			t.Fatalf("%d bytes took %d bytes of memory", len(data), used)
		}
		if err != nil {
			return
		}
		if err := g.Check(); err != nil {
			t.Fatalf("not a group: %v", err)
		}
		if got, want := dumped(sent(t, g)), dumped(g.Canonical()); got != want {
			t.Fatalf("read\n%s\nand once more\n%s", want, got)
		}
	})
}
