package trace_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/strategy"
)

func example() (*trace.Rebalance, *strategy.Group) {
	g := &strategy.Group{Name: "g", Generation: 4, Leader: "a", Topics: []strategy.Topic{{Name: "orders", Partitions: 2}}, Members: []strategy.Member{
		{ID: "a", Topics: []string{"orders"}, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{0, 1}}}, Generation: 3, Labels: map[string]string{"tier": "gold"}},
		{ID: "b", InstanceID: "bb", Rack: "r", Topics: []string{"orders"}, Generation: strategy.NoGeneration},
	}}
	a := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{"a": {{Topic: "orders", Partitions: []int32{0}}}, "b": nil},
		Unassigned: []strategy.Unassigned{{Topic: "orders", Partition: 1, Reason: strategy.Withheld}}}
	r := &trace.Rebalance{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC), Group: "g", Generation: 4, Assignor: "cooperative-sticky", Reason: "a member joined", Member: "a", Leader: true,
		JoinedMS: 1.5, TookMS: 3, Assigned: trace.Partitions{{Topic: "orders", Partitions: []int32{0}}}, Removed: trace.Partitions{{Topic: "orders", Partitions: []int32{1}}},
		Callbacks: []trace.Callback{{Callback: "revoke", Partitions: trace.Partitions{{Topic: "orders", Partitions: []int32{1}}}, MS: 1}},
	}
	r.SetPlan(g, &a, 1500*time.Microsecond)
	return r, g
}

func TestRoundTrip(t *testing.T) {
	r, g := example()
	var b bytes.Buffer
	if err := trace.NewWriter(&b).Write(r); err != nil {
		t.Fatal(err)
	}
	const want = `{"v":1,"kind":"rebalance","time":"2026-01-02T03:04:05.0000006Z","group":"g","generation":4,"assignor":"cooperative-sticky","reason":"a member joined",` +
		`"member":"a","leader":true,"joined_ms":1.5,"took_ms":3,"assigned":{"orders":[0]},"added":{},"removed":{"orders":[1]},` +
		`"callbacks":[{"callback":"revoke","partitions":{"orders":[1]},"ms":1}],`
	if !strings.HasPrefix(b.String(), want) || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("the line is\n%s", b.String())
	}
	n := 0
	for got, err := range trace.Read("t", &b) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		group, err := got.Strategy()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(group, g) {
			t.Errorf("the group is\n%+v, and was\n%+v", group, g)
		}
		got.Added = nil // an empty list is as good
		if !reflect.DeepEqual(got, r) {
			t.Errorf("read\n%+v, and written was\n%+v", got, r)
		}
	}
	if n != 1 {
		t.Errorf("%d lines", n)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ text, says string }{
		{"{}", `t:1: is no line of a trace: there is no "v"`},
		{"\n[1]", "t:2: is no line of a trace: "},
		{`{"v":2,"kind":"rebalance"}`, "t:1: the version of this line is not known: it is 2, and not 1"},
		{`{"v":1,"kind":"rebalance","generation":"x"}`, "t:1: is no line of a trace: "},
		{`{"v":1,"kind":"rebalance","assigned":{"t":[3000000000]}}`, "t:1: is no line of a trace: "},
	} {
		var last error
		for _, err := range trace.Read("t", strings.NewReader(test.text)) {
			last = err
		}
		var e *trace.Error
		if !errors.As(last, &e) || !strings.HasPrefix(last.Error(), test.says) {
			t.Errorf("%s: %v", test.text, last)
		}
	}
	for r, err := range trace.Read("t", strings.NewReader(`{"v":1,"kind":"another"}`)) {
		t.Errorf("another kind: %v, %v", r, err)
	}
}

func FuzzRead(f *testing.F) {
	r, _ := example()
	var b bytes.Buffer
	_ = trace.NewWriter(&b).Write(r)
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		for r, err := range trace.Read("t", bytes.NewReader(text)) {
			if err != nil {
				return
			}
			if g, err := r.Strategy(); err == nil && g != nil {
				if err := g.Check(); err != nil {
					t.Errorf("a group that makes no sense: %v", err)
				}
			}
		}
	})
}
