package consumer_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A seer is an assignor that looks at signals, and shares partitions out by the one that it weighs: each, by falling weight, to the member
// with the least so far. Without that signal it is sticky.
type seer struct {
	weighs string

	mu      sync.Mutex
	looksAt []string
	seen    []*strategy.Group
}

func newSeer(weighs string, others ...string) *seer {
	return &seer{looksAt: append(others, weighs), weighs: weighs}
}

func (*seer) Name() string                { return "cooperative-seer" }
func (*seer) Protocol() strategy.Protocol { return strategy.ProtocolCooperative }

func (s *seer) Signals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looksAt
}

// look has it look at one more signal from now on.
func (s *seer) look(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looksAt = append(slices.Clone(s.looksAt), name)
}

func (s *seer) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	s.mu.Lock()
	s.seen = append(s.seen, g.Clone())
	s.mu.Unlock()
	return strategy.Cooperative(sharing{s.weighs}).Assign(ctx, g)
}

// last is the group that was seen last.
func (s *seer) last() *strategy.Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) == 0 {
		return &strategy.Group{}
	}
	return s.seen[len(s.seen)-1]
}

// signal is that of the last group's only topic.
func (s *seer) signal(name string) []float64 {
	if g := s.last(); len(g.Topics) == 1 {
		return g.Topics[0].Signals[name]
	}
	return nil
}

type sharing struct{ weighs string }

func (sharing) Name() string { return "sharing" }

func (s sharing) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if len(g.Topics) != 1 || g.Topics[0].Signals[s.weighs] == nil {
		return sticky.Assignor{}.Assign(ctx, g)
	}
	weights := g.Topics[0].Signals[s.weighs]
	order := make([]int32, len(weights))
	for p := range order {
		order[p] = int32(p)
	}
	slices.SortStableFunc(order, func(p, q int32) int { return cmp.Compare(weights[q], weights[p]) })
	loads, has := make([]float64, len(g.Members)), make([][]int32, len(g.Members))
	for _, p := range order {
		to := 0
		for m := range loads {
			if cmp.Or(cmp.Compare(loads[m], loads[to]), cmp.Compare(len(has[m]), len(has[to]))) < 0 {
				to = m
			}
		}
		loads[to] += weights[p]
		has[to] = append(has[to], p)
	}
	answer := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	for m, list := range has {
		slices.Sort(list)
		answer.Members[g.Members[m].ID] = nil
		if len(list) > 0 {
			answer.Members[g.Members[m].ID] = []strategy.TopicPartitions{{Topic: g.Topics[0].Name, Partitions: list}}
		}
	}
	return answer, nil
}

// signalConfig is a configuration whose leader measures all the time, and has time to.
func signalConfig(cluster *embedded.Cluster, s strategy.Assignor, measure ...consumer.Signal) consumer.Config {
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Assignors = []strategy.Assignor{s}
	cfg.Commits = consumer.CommitManual
	cfg.Signals = consumer.Signals{Measure: measure, Interval: 30 * time.Millisecond, Timeout: embeddedtest.Patience, MaxAge: time.Hour, HoldDown: -1}
	return cfg
}

// calm has no plan made but those that are asked for by others.
func calm(cfg consumer.Config) consumer.Config {
	cfg.Signals.Interval = time.Hour
	return cfg
}

// asked counts the rebalances that members have begun because of signals.
func (m *member) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, e := range m.events {
		if b, ok := e.(consumer.RebalanceBegan); ok && b.Cause == "signals" {
			n++
		}
	}
	return n
}

// ends lists the rebalances that have ended. It is called with m.mu held.
func (m *member) ends() (list []consumer.RebalanceEnded) {
	for _, e := range m.events {
		if r, ok := e.(consumer.RebalanceEnded); ok {
			list = append(list, r)
		}
	}
	return list
}

// missing waits for a plan that was made without a signal.
func (m *member) missing(signal string) (found consumer.SignalMissing) {
	m.t.Helper()
	m.sees("a plan without "+signal, func(e consumer.Event) bool {
		x, ok := e.(consumer.SignalMissing)
		if ok = ok && x.Signal == signal; ok {
			found = x
		}
		return ok
	})
	return found
}

// TestLag has the leader see how far the group is behind: from where it has committed, and where it has not, from where it would begin.
func TestLag(t *testing.T) {
	for _, c := range []struct {
		start callbacks.Start
		want  []float64
	}{
		{callbacks.Start{}, []float64{5, 7, 0}},
		{callbacks.Start{From: callbacks.FromLatest}, []float64{5, 0, 0}},
		{callbacks.Start{From: callbacks.FromOffset, Offset: 2}, []float64{5, 5, 0}},
		{callbacks.Start{From: callbacks.FromTimestamp, Time: time.Now().Add(-100 * 365 * 24 * time.Hour)}, []float64{5, 7, 0}},
		{callbacks.Start{From: callbacks.FromTimestamp, Time: time.Now().Add(24 * time.Hour)}, []float64{5, 0, 0}},
	} {
		t.Run(c.start.From.String(), func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 3, Records: []int{9, 7, 0}})
			s := newSeer(strategy.SignalLag)
			cfg := calm(signalConfig(cluster, s))
			cfg.Signals.MaxAge = time.Millisecond // so that each plan measures
			cfg.Start = c.start
			a := start(t, "a", cfg, nil)
			a.waitOwned(3)
			if err := a.Commit(t.Context(), map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders", Partition: 0}: {Offset: 4}}); err != nil {
				t.Fatal(err)
			}
			embeddedtest.Eventually(t, "the lag is seen", func() bool {
				time.Sleep(20 * time.Millisecond)
				_ = a.Rejoin("to see it")
				return reflect.DeepEqual(s.signal(strategy.SignalLag), c.want)
			})
		})
	}
}

// TestRate has records come, and the leader see how many in a second.
func TestRate(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{1}})
	s := newSeer(strategy.SignalRate)
	a := start(t, "a", signalConfig(cluster, s), nil)
	a.waitOwned(2)
	if x := a.missing(strategy.SignalRate); x.Err != nil || !slices.Equal(x.Topics, []string{"orders"}) {
		t.Errorf("before there is a second measurement: %+v", x)
	}
	embeddedtest.Eventually(t, "a rate", func() bool {
		embeddedtest.Produce(t, cluster, "orders", 1, 10)
		_ = a.Rejoin("to see it")
		rate := s.signal(strategy.SignalRate)
		return len(rate) == 2 && rate[0] == 0 && rate[1] > 0
	})
}

// TestSignalsHaveTheGroupRebalance has the lag of a partition grow until the assignor would have it elsewhere. That is asked for once; another
// change has to wait.
func TestSignalsHaveTheGroupRebalance(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{40, 30, 20, 10}})
	measured := make(chan struct{}, 1)
	count := consumer.Signal{Name: "count", Members: func(_ context.Context, members []strategy.Member) (map[string]float64, error) {
		answer := map[string]float64{}
		for _, m := range members {
			answer[m.ID] = 0
		}
		if len(members) == 2 {
			select {
			case measured <- struct{}{}:
			default:
			}
		}
		return answer, nil
	}}
	var members [2]*member
	for i := range members {
		cfg := signalConfig(cluster, newSeer(strategy.SignalLag, "count"), count)
		cfg.Signals.HoldDown = time.Hour
		cfg.Signals.MaxAge = 10 * time.Second
		members[i] = start(t, string(rune('a'+i)), cfg, nil)
		members[i].polls("partitions", func() bool { return strategy.Count(members[i].Owned()) > 0 })
	}
	a, b := members[0], members[1]
	settled := func(heavy int) { // who has partition 0 has so many
		embeddedtest.Eventually(t, "the group is settled", func() bool {
			x, y := a.Owned(), b.Owned()
			if strategy.Count(x)+strategy.Count(y) != 4 {
				return false
			}
			for _, list := range [][]strategy.TopicPartitions{x, y} {
				if len(list) == 1 && slices.Contains(list[0].Partitions, 0) {
					return len(list[0].Partitions) == heavy
				}
			}
			return false
		})
	}
	settled(2)                                          // 40 and 10, 30 and 20
	embeddedtest.Produce(t, cluster, "orders", 0, 1000) // 1040, and 30, 20 and 10
	a.sees("a rebalance", func(e consumer.Event) bool {
		r, ok := e.(consumer.RebalanceEnded)
		return ok && r.Cause == "signals" && r.Leader && strings.HasPrefix(r.Reason, "by count, lag, 1 partitions")
	})
	settled(1)
	embeddedtest.Produce(t, cluster, "orders", 1, 5000)
	for range 10 { // measurements
		<-measured
	}
	if n := a.asked() + b.asked(); n != 1 {
		t.Errorf("%d rebalances were asked for", n)
	}
}

// TestActive has an application say that partitions have work, and then that others do. Nothing has to show twice for that.
func TestActive(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	var first atomic.Int64 // who is active
	var since atomic.Int64 // how often that was measured since it is another
	s := newSeer(strategy.SignalActive)
	active := consumer.Signal{Name: strategy.SignalActive, Partitions: func(ctx context.Context, topics []strategy.Topic) (map[string][]float64, error) {
		if topics[0].Name != "orders" || topics[0].Partitions != 2 {
			t.Errorf("it is asked about %+v", topics)
		}
		topics[0].Name = "mine" // it may do with it what it likes
		if first.Load() == 0 {
			return map[string][]float64{"orders": {1, 0}}, nil
		}
		if since.Add(1) > 1 {
			<-ctx.Done()
		}
		return map[string][]float64{"orders": {0, 1}}, nil
	}}
	cfg := signalConfig(cluster, s, active)
	cfg.Signals.HoldDown, cfg.Signals.Timeout = time.Nanosecond, time.Hour
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	b := start(t, "b", cfg, nil)
	a.waitOwned(1)
	b.waitOwned(1)
	if !reflect.DeepEqual(s.signal(strategy.SignalActive), []float64{1, 0}) {
		t.Errorf("the leader sees %v", s.signal(strategy.SignalActive))
	}
	before := a.Owned()[0].Partitions[0]
	first.Store(1)
	embeddedtest.Eventually(t, "partitions change places", func() bool {
		x, y := a.Owned(), b.Owned()
		return len(x) == 1 && len(y) == 1 && x[0].Partitions[0] == 1-before && y[0].Partitions[0] == before
	})
	if n := a.asked() + b.asked(); n != 1 {
		t.Errorf("%d rebalances were asked for", n)
	}
}

// TestBadSignals has functions of the application fail in every way. The group goes on without, and says why.
func TestBadSignals(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	for why, c := range map[string]struct {
		measure func(ctx context.Context) (map[string][]float64, error)
		says    string
	}{
		"error":     {func(context.Context) (map[string][]float64, error) { return nil, errors.New("no luck") }, "no luck"},
		"panic":     {func(context.Context) (map[string][]float64, error) { panic("bad day") }, "bad day"},
		"nothing":   {func(context.Context) (map[string][]float64, error) { return nil, nil }, "nothing about topic orders"},
		"too short": {func(context.Context) (map[string][]float64, error) { return map[string][]float64{"orders": {1}}, nil }, "1 numbers for the 2 partitions"},
		"NaN": {func(context.Context) (map[string][]float64, error) {
			return map[string][]float64{"orders": {1, math.NaN()}}, nil
		}, "NaN"},
		"hangs": {func(context.Context) (map[string][]float64, error) {
			<-forever
			return nil, nil
		}, "no answer within"},
		"hangs until it is given up": {func(ctx context.Context) (map[string][]float64, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}, "no answer within"},
	} {
		t.Run(why, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{3}})
			var running, most atomic.Int32
			cfg := signalConfig(cluster, newSeer("mood", strategy.SignalLag), consumer.Signal{Name: "mood", Partitions: func(ctx context.Context, _ []strategy.Topic) (map[string][]float64, error) {
				if running.Add(1) > 1 {
					most.Store(2)
				}
				defer running.Add(-1)
				return c.measure(ctx)
			}})
			cfg.Signals.Timeout = 5 * time.Second
			if strings.HasPrefix(why, "hangs") {
				cfg.Signals.Timeout = 50 * time.Millisecond
			}
			a := start(t, "a", cfg, nil)
			a.waitOwned(2)
			a.sees("why it is not measured", func(e consumer.Event) bool {
				x, ok := e.(consumer.SignalTrouble)
				return ok && x.Signal == "mood" && x.Err != nil && strings.Contains(x.Err.Error(), c.says)
			})
			if x := a.missing("mood"); !slices.Equal(x.Topics, []string{"orders"}) {
				t.Errorf("missing is %+v", x)
			}
			a.waitRecords(6)
			b := start(t, "b", cfg, nil)
			a.waitOwned(1)
			b.waitOwned(1)
			if most.Load() > 0 {
				t.Error("the function is called while it runs")
			}
			if why != "hangs" {
				a.closes()
				b.closes()
				return
			}
			embeddedtest.Eventually(t, "it is not called again", func() bool {
				_ = a.Rejoin("to see why a plan is made without it")
				a.mu.Lock()
				defer a.mu.Unlock()
				return slices.ContainsFunc(a.events, func(e consumer.Event) bool {
					x, ok := e.(consumer.SignalMissing)
					return ok && x.Err != nil && strings.Contains(x.Err.Error(), "not called again")
				})
			})
		})
	}
}

// TestSignalComesBack has a function fail and then not: both is told, once.
func TestSignalComesBack(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	var calls atomic.Int64
	cfg := signalConfig(cluster, newSeer("mood"), consumer.Signal{Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
		if calls.Add(1) < 4 {
			return nil, errors.New("no luck")
		}
		return map[string][]float64{"orders": {1, 2}}, nil
	}})
	a := start(t, "a", cfg, nil)
	a.sees("it comes back", func(e consumer.Event) bool { return e == consumer.SignalTrouble{Signal: "mood"} })
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, e := range a.events {
		if x, ok := e.(consumer.SignalTrouble); ok && x.Err != nil {
			n++
		}
	}
	if n != 1 {
		t.Errorf("that it fails is told %d times", n)
	}
}

// TestUnmeasuredSignal has an assignor look at what nobody measures.
func TestUnmeasuredSignal(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	a := start(t, "a", calm(signalConfig(cluster, newSeer("mood"))), nil)
	if x := a.missing("mood"); x.Err == nil || !strings.Contains(x.Err.Error(), "Config.Signals.Measure") {
		t.Errorf("it is said to be missing as %v", x.Err)
	}
	a.waitOwned(2)
}

// TestNothingIsMeasuredInVain has assignors that look at nothing, and members that do not lead.
func TestNothingIsMeasuredInVain(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	var calls [2]atomic.Int64
	counts := func(i int) consumer.Signal {
		return consumer.Signal{Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
			calls[i].Add(1)
			return map[string][]float64{"orders": {1, 1}}, nil
		}}
	}
	s := newSeer("mood")
	a := start(t, "a", signalConfig(cluster, s, counts(0)), nil)
	a.waitOwned(2)
	b := start(t, "b", signalConfig(cluster, s, counts(1)), nil)
	a.waitOwned(1)
	before := calls[0].Load()
	embeddedtest.Eventually(t, "the leader measures", func() bool { return calls[0].Load() > before+3 })
	if n := calls[1].Load(); n > 0 {
		t.Errorf("one that does not lead has measured %d times", n)
	}
	a.closes() // and b leads
	b.waitOwned(2)
	embeddedtest.Eventually(t, "the next leader measures", func() bool { return calls[1].Load() > 3 })
	b.closes()
	before = calls[1].Load()
	cfg := signalConfig(cluster, strategy.Cooperative(sticky.Assignor{}), counts(1))
	c := start(t, "c", cfg, nil)
	c.waitOwned(2)
	c.closes()
	if calls[1].Load() != before {
		t.Error("what nobody looks at is measured")
	}
}

// TestSilentBroker has one of three brokers say nothing about its logs: its partitions count as the others do.
func TestSilentBroker(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{Brokers: 3}, embedded.Topic{Name: "orders", Partitions: 3, Records: []int{2, 4, 6}})
	for p := range int32(3) {
		embeddedtest.Move(t, cluster, "orders", p, p)
	}
	release := make(chan struct{})
	fake := cluster.Fake()
	fake.ControlKey(int16(kmsg.ListOffsets), func(r kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		if fake.CurrentNode() != 2 {
			return nil, nil, false
		}
		fake.SleepControl(func() { <-release })
		return nil, nil, false
	})
	defer close(release)
	s := newSeer(strategy.SignalLag)
	cfg := calm(signalConfig(cluster, s))
	cfg.Signals.Timeout = time.Second
	a := start(t, "a", cfg, nil)
	x := a.missing(strategy.SignalLag)
	if !slices.Equal(x.Partly, []string{"orders"}) || len(x.Topics) > 0 {
		t.Errorf("missing is %+v", x)
	}
	a.waitOwned(3)
	if got := s.signal(strategy.SignalLag); !slices.Equal(got, []float64{2, 4, 3}) {
		t.Errorf("the leader sees %v", got)
	}
}

// TestLeaderMovesBetweenMeasurements has another broker lead a partition than was known. It is found, and nothing is missing for that.
func TestLeaderMovesBetweenMeasurements(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{Brokers: 2}, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{2}})
	embeddedtest.Move(t, cluster, "orders", 0, 0)
	s := newSeer(strategy.SignalLag)
	cfg := signalConfig(cluster, s)
	cfg.Signals.HoldDown, cfg.TopicInterval = time.Hour, time.Hour
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	embeddedtest.Eventually(t, "the lag is seen", func() bool { return slices.Equal(s.signal(strategy.SignalLag), []float64{2, 2}) })
	embeddedtest.Produce(t, cluster, "orders", 0, 3)
	embeddedtest.Move(t, cluster, "orders", 0, 1)
	embeddedtest.Produce(t, cluster, "orders", 1, 1)
	embeddedtest.Eventually(t, "the lag at the new leader is seen", func() bool { return slices.Equal(s.signal(strategy.SignalLag), []float64{5, 3}) })
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.events {
		if x, ok := e.(consumer.SignalTrouble); ok {
			t.Errorf("it is told that %v", x.Err)
		}
	}
}

// TestCommittedOffsetsAreRefused has the coordinator not tell what the group has committed. It does not count as nothing.
func TestCommittedOffsetsAreRefused(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{3}})
	cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.GroupAuthorizationFailed, When: func(r kmsg.Request) bool {
		return !r.(*kmsg.OffsetFetchRequest).RequireStable // who is to read asks in another way
	}})
	s := newSeer(strategy.SignalLag)
	a := start(t, "a", calm(signalConfig(cluster, s)), nil)
	a.waitRecords(6)
	if x := a.missing(strategy.SignalLag); !slices.Equal(x.Topics, []string{"orders"}) || x.Err == nil || !strings.Contains(x.Err.Error(), "an ACL is missing: Read on Group g") {
		t.Errorf("missing is %+v", x)
	}
}

// TestLessIsKnown has a signal go missing that the group is assigned by. What the assignor would answer without it is no reason to rebalance.
func TestLessIsKnown(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	var failing, calls atomic.Int64
	s := newSeer("mood", "count")
	cfg := signalConfig(cluster, s, consumer.Signal{Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
		if failing.Load() > 0 {
			return nil, errors.New("no luck")
		}
		return map[string][]float64{"orders": {1, 2}}, nil
	}}, consumer.Signal{Name: "count", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
		calls.Add(1)
		return map[string][]float64{"orders": {1, 2}}, nil
	}})
	cfg.Signals.MaxAge, cfg.Signals.HoldDown = 300*time.Millisecond, time.Hour
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	embeddedtest.Eventually(t, "tries", func() bool { return calls.Load() > 3 })
	failing.Store(1)
	a.sees("that it fails", func(e consumer.Event) bool { x, ok := e.(consumer.SignalTrouble); return ok && x.Err != nil })
	for before := calls.Load(); calls.Load() < before+20; time.Sleep(5 * time.Millisecond) {
		if s.signal("mood") == nil {
			t.Fatal("the assignor is tried without a signal that it decided by")
		}
	}
}

// TestCommittedOffsetsAreSilent has nobody say what the group has committed. The plan goes without lag.
func TestCommittedOffsetsAreSilent(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{3}})
	release := make(chan struct{})
	fake := cluster.Fake()
	fake.ControlKey(int16(kmsg.OffsetFetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		if r.(*kmsg.OffsetFetchRequest).RequireStable { // who is to read asks so
			return nil, nil, false
		}
		fake.SleepControl(func() { <-release })
		return nil, nil, false
	})
	defer close(release)
	s := newSeer(strategy.SignalLag)
	cfg := calm(signalConfig(cluster, s))
	cfg.Signals.Timeout = 100 * time.Millisecond
	a := start(t, "a", cfg, nil)
	a.waitRecords(6)
	if x := a.missing(strategy.SignalLag); !slices.Equal(x.Topics, []string{"orders"}) {
		t.Errorf("missing is %+v", x)
	}
}

// TestUptime has members say since when they run, where their assignors look at it, and only there.
func TestUptime(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	s := newSeer(strategy.SignalUptime)
	a := start(t, "a", calm(signalConfig(cluster, s)), nil)
	a.waitOwned(2)
	b := start(t, "b", calm(signalConfig(cluster, newSeer(strategy.SignalLag))), nil)
	a.waitOwned(1)
	b.waitOwned(1)
	x := a.missing(strategy.SignalUptime)
	if !slices.Equal(x.Members, []string{b.Stats().Member}) {
		t.Errorf("missing is %+v", x)
	}
	g := s.last()
	if len(g.Members) != 2 {
		t.Errorf("%d members", len(g.Members))
	}
	for _, m := range g.Members {
		if says := m.ID == a.Stats().Member; says != (m.Uptime > 0) {
			t.Errorf("%s has been running for %v", m.ID, m.Uptime)
		}
	}
}

// TestPlanTakesWhatIsKnown has a measurement begin with a rebalance and not end. The plan does not wait for it, as there is another one.
func TestPlanTakesWhatIsKnown(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	s := newSeer("mood")
	var calls atomic.Int64
	cfg := calm(signalConfig(cluster, s, consumer.Signal{Name: "mood", Partitions: func(ctx context.Context, _ []strategy.Topic) (map[string][]float64, error) {
		if calls.Add(1) > 1 {
			<-ctx.Done()
		}
		return map[string][]float64{"orders": {1, 2}}, nil
	}}))
	cfg.Signals.Timeout = time.Hour
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	ended := func(n int) {
		t.Helper()
		a.wait("the end of a rebalance", func() bool { return a.count() == 2 && len(a.ends()) == n })
	}
	for round := range 2 {
		ended(round + 1)
		_ = a.Rejoin("to have a plan")
	}
	ended(3)
	if got := s.signal("mood"); !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("the leader sees %v", got)
	}
	embeddedtest.Eventually(t, "a measurement with the rebalance", func() bool { return calls.Load() == 2 })
}

// TestAssignorLooksElsewhere has an assignor look at another signal while the group is at peace, as when a file with rules is replaced.
func TestAssignorLooksElsewhere(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	s := newSeer(strategy.SignalLag)
	var calls atomic.Int64
	cfg := signalConfig(cluster, s, consumer.Signal{Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
		calls.Add(1)
		return map[string][]float64{"orders": {1, 2}}, nil
	}})
	cfg.Signals.HoldDown = time.Hour
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	if calls.Load() > 0 {
		t.Error("what nobody looks at is measured")
	}
	s.look("mood")
	embeddedtest.Eventually(t, "it is tried with that", func() bool { return slices.Equal(s.signal("mood"), []float64{1, 2}) })
	if n := a.asked(); n > 0 {
		t.Errorf("%d rebalances were asked for", n)
	}
}

// TestTriesThatHang has an assignor that answers plans and hangs when it is tried: it is tried once.
func TestTriesThatHang(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	h := &hanging{seer: newSeer("mood"), forever: make(chan struct{})}
	defer close(h.forever)
	var calls atomic.Int64
	cfg := signalConfig(cluster, h, consumer.Signal{Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
		calls.Add(1)
		return map[string][]float64{"orders": {1, 2}}, nil
	}})
	cfg.Signals.HoldDown, cfg.AssignTimeout = time.Hour, 50*time.Millisecond
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	embeddedtest.Eventually(t, "measurements", func() bool { return calls.Load() > 10 })
	if n := h.tries.Load(); n != 1 {
		t.Errorf("it was tried %d times", n)
	}
	a.closes()
}

type hanging struct {
	*seer
	forever chan struct{}
	tries   atomic.Int64
}

func (h *hanging) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if g.Members[0].Generation >= 0 {
		h.tries.Add(1)
		<-h.forever
	}
	return h.seer.Assign(ctx, g)
}
