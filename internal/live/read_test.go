package live_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// What is read of groups of Sarama's members, eager and cooperative, static.
func TestReadSample(t *testing.T) {
	_, client := sample(t)
	g := read(t, client, "billing")
	if g.Type != live.Classic || g.Protocol != "sticky" || g.State != "Stable" || g.ProtocolType != "consumer" || g.Epoch != strategy.NoGeneration ||
		len(g.Members) != 3 || len(g.Remarks) != 0 || g.Coordinator.Addr != client.Addrs()[0] || g.Partitions() != 18 || len(g.Unconsumed()) != 0 {
		t.Errorf("%+v", g)
	}
	for i := range g.Members {
		m := &g.Members[i]
		name := fmt.Sprintf("billing-%d", i+1)
		if m.InstanceID != name || m.ClientID != name || !strings.HasPrefix(m.ID, name) || !strings.HasPrefix(m.Host, "127.0.0.1") || m.Count() != 6 ||
			strings.Join(m.Topics, " ") != "orders payments" || m.Problem != "" || m.SetAside {
			t.Errorf("%+v", m)
		}
	}
	members, all := g.Lags()
	if all != 60 || members[0]+members[1]+members[2] != 60 {
		t.Errorf("lags %v, %d in all", members, all)
	}
	orders := &g.Topics[0]
	if orders.Name != "orders" || orders.End[0] != 40 || orders.Committed[0] != 37 || orders.Lag(0) != 3 || orders.Lag(1) != 0 || orders.Lag(2) != 7 {
		t.Errorf("%+v", orders)
	}

	s := g.Strategy()
	table, err := strategy.Tabulate(&s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range table.Len() {
		if table.Owner(i) < 0 {
			t.Errorf("%v has no owner to an assignor", table.Name(i))
		}
	}
	if s.Topics[0].Weights[2] != 7 || s.Topics[0].Signals[strategy.SignalLag][2] != 7 || s.Members[0].InstanceID != "billing-1" {
		t.Errorf("%+v", s.Topics[0])
	}
	if g := read(t, client, "shipping"); g.Protocol != "cooperative-sticky" || len(g.Members) != 2 || g.Members[0].Count() != 6 {
		t.Errorf("%+v", g)
	}
}

func TestList(t *testing.T) {
	c, client := sample(t)
	worker := newRaw(t, c, "workers")
	if err := worker.join("connect", "sessioned", []byte{1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := worker.sync(nil); err != nil {
		t.Fatal(err)
	}
	groups, err := live.List(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&got, "%s %s %s %s %s %d\n", g.Name, g.Type, g.ProtocolType, g.Protocol, g.State, g.Members)
		if g.Coordinator.Addr != c.Addrs()[0] {
			t.Errorf("%+v", g)
		}
	}
	want := `audit classic consumer range Stable 3
billing classic consumer sticky Stable 3
shipping classic consumer cooperative-sticky Stable 2
workers classic connect sessioned Stable 1
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	_, err = live.Read(t.Context(), client, "workers", live.Options{})
	if !errors.Is(err, live.ErrNotConsumers) || err.Error() != `group "workers" is of type "connect": its members are no consumers with partitions of their own` {
		t.Error(err)
	}
}

func TestNoGroup(t *testing.T) {
	c, client := sample(t)
	_, err := live.Read(t.Context(), client, "biling", live.Options{})
	var e *live.GroupError
	if !errors.Is(err, live.ErrNoGroup) || !errors.As(err, &e) || e.Group != "biling" ||
		err.Error() != `group "biling" does not exist; did you mean "billing"? There are audit, billing, shipping` {
		t.Error(err)
	}
	_, err = live.Read(t.Context(), client, "something else", live.Options{})
	if err == nil || err.Error() != `group "something else" does not exist; there are audit, billing, shipping` {
		t.Error(err)
	}
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListGroups}, TopLevel: true, Err: kerr.ClusterAuthorizationFailed, Count: -1})
	_, err = live.Read(t.Context(), client, "biling", live.Options{})
	if !errors.Is(err, live.ErrNoGroup) {
		t.Error(err)
	}
	_, err = live.List(t.Context(), client)
	if !errors.Is(err, connect.ErrDenied) || !strings.Contains(err.Error(), "Describe on Cluster") {
		t.Error(err)
	}
}

// A group whose members have left has offsets, and partitions that nobody consumes.
func TestEmptyGroup(t *testing.T) {
	c, client := start(t, embedded.Topic{Name: "t", Partitions: 2, Records: []int{5, 7}})
	commit(t, c, "quiet", "t", 1, 3)
	g := read(t, client, "quiet")
	want := `quiet classic  Empty
  t (nobody reads it) 0:-1/5@-1 1:3/7@-1
  nobody: t[0 1]
`
	if got := show(g); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s := g.Strategy()
	if len(s.Topics) != 1 || s.Topics[0].Weights[1] != 4 || s.Topics[0].Weights[0] != 0 {
		t.Errorf("%+v", s)
	}
	if err := c.Fake().DeleteTopic("t"); err != nil {
		t.Fatal(err)
	}
	if g := read(t, client, "quiet"); len(g.Topics) != 0 {
		t.Errorf("%s", show(g))
	}
}

// What members say that no assignor of Kafka's would understand sets aside only them.
func TestOddMetadata(t *testing.T) {
	c, client := start(t, embedded.Topic{Name: "t", Partitions: 3}, embedded.Topic{Name: "u", Partitions: 1})
	envelope, err := (&protocol.UserData{Labels: map[string]string{"tier": "gold"}, Capacity: 3, Draining: true}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := subscription(t, protocol.Subscription{Version: 3, Topics: []string{"t", "nosuch"}, Rack: "b", UserData: envelope})

	ids := together(t, c, "odd", "range", [2][]byte{good, {0, 0, 0, 0, 0, 2, 0, 1, 'a'}},
		[2][]byte{given(t, strategy.TopicPartitions{Topic: "t", Partitions: []int32{2, 0, 0, -4, 7}}), given(t, strategy.TopicPartitions{Topic: "t", Partitions: []int32{0}})})
	got := show(read(t, client, "odd"))
	for i, id := range ids {
		got = strings.ReplaceAll(got, id, fmt.Sprintf("member-%d", i+1))
	}
	for _, want := range []string{
		" reads nosuch t, has t[0 2 7]\n", `" has t:7, which is not there`, "has t[0], set aside, subscription: ",
		`remark: member "member-2" is set aside: subscription: `, `remark: topic "nosuch" does not exist, though a member subscribes to it`,
		"nobody: t[1]\n", "t:0 is assigned twice, to member ", "  nosuch (gone)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	g := read(t, client, "odd")
	for i := range g.Members {
		m := &g.Members[i]
		if m.ID == ids[0] && (m.Rack != "b" || m.Labels["tier"] != "gold" || m.Capacity != 3 || !m.Draining) {
			t.Errorf("%+v", m)
		}
	}
	s := g.Strategy()
	if _, err := strategy.Tabulate(&s); err != nil || len(s.Topics) != 1 {
		t.Errorf("%+v: %v", s, err)
	}

	// A member without metadata, and one whose assignment is cut off.
	together(t, c, "odder", "range", [2][]byte{nil, subscription(t, protocol.Subscription{Topics: []string{"u"}})}, [2][]byte{nil, {0, 0, 0, 0, 0, 9}})
	got = show(read(t, client, "odder"))
	for _, want := range []string{"set aside, the member sent no metadata", ": what it has is not known: assignment: ", "nobody: u[0]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

// A topic that may not be described is remarked, and shown as far as the group tells of it.
func TestDenied(t *testing.T) {
	c, client := sample(t)
	h := c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "payments", Err: kerr.TopicAuthorizationFailed, Count: -1})
	g := read(t, client, "billing")
	if len(g.Remarks) != 1 || !strings.Contains(g.Remarks[0], `topic "payments" may not be described: an ACL is missing: Describe on Topic payments`) {
		t.Errorf("%q", g.Remarks)
	}
	if p := g.Topics[1]; !p.Denied || len(p.Owner) != 6 || p.Owner[5] < 0 || p.End[0] != live.Unknown || p.Lag(0) != live.Unknown {
		t.Errorf("%+v", p)
	}
	if o := g.Topics[0]; o.Lag(0) != 3 {
		t.Errorf("%+v", o)
	}
	h.Remove()
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "payments", Err: kerr.TopicAuthorizationFailed, Count: -1})
	g = read(t, client, "billing")
	if len(g.Remarks) != 1 || !strings.Contains(g.Remarks[0], "the log ends of 6 partitions are not known: ") {
		t.Errorf("%q", g.Remarks)
	}
	c.Fake().Fault(kfake.Fault{Group: "billing", Err: kerr.GroupAuthorizationFailed, Count: -1})
	_, err := live.Read(t.Context(), client, "billing", live.Options{})
	if !errors.Is(err, connect.ErrDenied) || !strings.Contains(err.Error(), "Describe on Group billing") {
		t.Error(err)
	}
}

// A leader that moves between two requests is found again.
func TestMovedLeader(t *testing.T) {
	c, client := sample(t)
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "orders", Partitions: []int32{2}, Err: kerr.NotLeaderForPartition})
	g := read(t, client, "billing")
	if g.Topics[0].Lag(2) != 7 || len(g.Remarks) != 0 {
		t.Errorf("lag %d, remarks %q", g.Topics[0].Lag(2), g.Remarks)
	}
}

// A coordinator that is not ready is waited for.
func TestNotReady(t *testing.T) {
	c, client := sample(t)
	c.Fake().Fault(
		kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Group: "billing", Err: kerr.CoordinatorNotAvailable},
		kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Group: "billing", Err: kerr.CoordinatorLoadInProgress},
		kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Group: "billing", Err: kerr.NotCoordinator},
	)
	if g := read(t, client, "billing"); len(g.Members) != 3 {
		t.Errorf("%+v", g)
	}
}

// A group that rebalances is waited for, but not for ever.
func TestRebalance(t *testing.T) {
	c, client := start(t, embedded.Topic{Name: "t", Partitions: 1})
	a, b := newRaw(t, c, "g"), newRaw(t, c, "g")
	meta := []byte{0, 0, 0, 0, 0, 1, 0, 1, 't', 0xff, 0xff, 0xff, 0xff}
	if err := errors.Join(a.join("consumer", "range", meta), a.sync(nil)); err != nil {
		t.Fatal(err)
	}
	joined := make(chan error, 1)
	go func() { joined <- b.join("consumer", "range", meta) }()
	waitFor(t, c, "g", "PreparingRebalance")

	began := time.Now()
	_, err := live.Read(t.Context(), client, "g", live.Options{Wait: 200 * time.Millisecond})
	var e *live.GroupError
	if !errors.As(err, &e) || !errors.Is(err, live.ErrRebalancing) || e.State != "PreparingRebalance" ||
		err.Error() != `group "g" is rebalancing (PreparingRebalance) and has not come to rest within 200ms; ask again in a moment` {
		t.Error(err)
	}
	if took := time.Since(began); took < 200*time.Millisecond || took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	_, err = live.Read(t.Context(), client, "g", live.Options{Wait: -1})
	if err == nil || err.Error() != `group "g" is rebalancing (PreparingRebalance); ask again in a moment` {
		t.Error(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	other := dial(t, c)
	if _, err := live.Read(ctx, other, "g", live.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}

	done := make(chan error, 1)
	go func() {
		_, err := live.Read(context.Background(), client, "g", live.Options{})
		done <- err
	}()
	if err := errors.Join(a.join("consumer", "range", meta), <-joined); err != nil {
		t.Fatal(err)
	}
	waitFor(t, c, "g", "CompletingRebalance")
	synced := make(chan error, 1)
	go func() { synced <- b.sync(nil) }()
	if err := errors.Join(a.sync(map[string][]byte{a.id: nil, b.id: nil}), <-synced, <-done); err != nil {
		t.Error(err)
	}
}

// A coordinator that does not answer is not waited for longer than the client's timeout, and less when the context ends.
func TestHangingCoordinator(t *testing.T) {
	c, _ := sample(t)
	client := dial(t, c, "--timeout", "300ms")
	other := dial(t, c)
	c.Fake().ControlKey(int16(kmsg.DescribeGroups), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		return nil, nil, true // no answer, ever
	})
	began := time.Now()
	_, err := live.Read(t.Context(), client, "billing", live.Options{})
	if !errors.Is(err, connect.ErrSilent) || !strings.Contains(err.Error(), "does not answer within 300ms") {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := live.Read(ctx, other, "billing", live.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// A broker that asks for a pause of an hour is not waited for either.
func TestThrottled(t *testing.T) {
	embeddedtest.Leave(t)
	c, _ := sample(t)
	client := dial(t, c, "--timeout", "300ms")
	c.Fake().ControlKey(int16(kmsg.DescribeGroups), func(r kmsg.Request) (kmsg.Response, error, bool) {
		resp := r.ResponseKind().(*kmsg.DescribeGroupsResponse)
		resp.ThrottleMillis = 3_600_000
		g := kmsg.NewDescribeGroupsResponseGroup()
		g.Group, g.State, g.ProtocolType = "billing", "Empty", "consumer"
		resp.Groups = append(resp.Groups, g)
		return resp, nil, true
	})
	_, err := live.Read(t.Context(), client, "billing", live.Options{})
	if err == nil || !strings.Contains(err.Error(), c.Addrs()[0]+" takes no request for 900ms: it asks for a pause") {
		t.Error(err)
	}
}

// An error about an answer that cannot be read, or does not come, says whose it is.
func TestUnreadable(t *testing.T) {
	c, client := sample(t)
	c.Fake().ControlKey(int16(kmsg.DescribeGroups), func(kmsg.Request) (kmsg.Response, error, bool) {
		return &garbled{}, nil, true
	})
	_, err := live.Read(t.Context(), client, "billing", live.Options{})
	if err == nil || !strings.Contains(err.Error(), c.Addrs()[0]+" gives an answer that cannot be read") {
		t.Error(err)
	}
	c.Fake().ControlKey(int16(kmsg.DescribeGroups), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		return nil, context.Canceled, true
	})
	_, err = live.Read(t.Context(), client, "billing", live.Options{})
	if err == nil || !strings.Contains(err.Error(), c.Addrs()[0]+" closes the connection") {
		t.Error(err)
	}
}

// garbled is an answer that ends too early.
type garbled struct{ kmsg.DescribeGroupsResponse }

func (*garbled) AppendTo(dst []byte) []byte { return append(dst, 0, 0, 0, 0, 0) }
