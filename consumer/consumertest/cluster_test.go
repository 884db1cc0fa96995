package consumertest_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/consumertest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// An application notes what its callbacks are called with, and what it handles.
type application struct {
	*consumer.Consumer

	mu      sync.Mutex
	log     []string
	records []string
	away    int // how often it has lost the coordinator
}

func (a *application) note(what string, list []topicPartitions) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, strings.Join(slices.Concat([]string{what}, numbers(list)), " "))
}

// noted returns the calls of callbacks, after the first n.
func (a *application) noted(n int) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.log[min(n, len(a.log)):])
}

func (a *application) handled() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.records)
}

func (a *application) lostCoordinator() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.away
}

// billing is the application's configuration.
func billing() consumer.Config {
	return consumer.Config{Group: "billing", Topics: []string{"orders"}}
}

// run runs an application until the test ends.
func run(t *testing.T, cfg consumer.Config) *application {
	t.Helper()
	a := &application{}
	cfg.Callbacks = callbacks.Funcs{
		OnAssign: func(_ context.Context, x *assignment) error { a.note("assign", x.Added); return nil },
		OnRevoke: func(_ context.Context, x *revocation) error { a.note("revoke", x.Removed); return nil },
		OnLost:   func(_ context.Context, x *loss) error { a.note("lost", x.Removed); return nil },
	}
	cfg.Observer = consumer.ObserverFunc(func(e consumer.Event) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if _, ok := e.(consumer.CoordinatorLost); ok {
			a.away++
		}
	})
	var err error
	if a.Consumer, err = consumer.New(cfg); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() {
		result <- a.Run(context.Background(), func(_ context.Context, m *consumer.Message) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.records = append(a.records, fmt.Sprintf("%d@%d %s=%s", m.Partition, m.Offset, m.Key, m.Value))
			return nil
		})
	}()
	t.Cleanup(func() {
		a.Stop()
		if err := <-result; err != nil {
			t.Errorf("the application ended with: %v", err)
		}
	})
	return a
}

func cluster(t *testing.T, brokers int) *consumertest.Cluster {
	t.Helper()
	return consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 4}, Brokers: brokers})
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestJoinAndLeave(t *testing.T) {
	c := cluster(t, 1)
	app := run(t, c.Prepare(billing()))
	c.Settle(t, 1)
	want(t, "alone", app.noted(0), "assign 0 1 2 3")
	m := c.Join(t)
	if n := count(m.Owned()); n != 2 || count(app.Owned()) != 2 {
		t.Errorf("the member has %v, the application %v", m.Owned(), app.Owned())
	}
	for p := range int32(4) {
		c.Produce(t, consumertest.Record{Topic: "orders", Partition: p, Key: "k", Value: "v"})
	}
	c.Wait(t, "all records are handled", func() bool { return len(m.Handled())+len(app.handled()) == 4 })
	if len(m.Handled()) != 2 || string(m.Handled()[0].Value) != "v" {
		t.Errorf("the member has handled %v", m.Handled())
	}
	m.Leave(t)
	m.Leave(t)
	if log := app.noted(1); len(log) != 2 || !strings.HasPrefix(log[0], "revoke") || log[1] != strings.Replace(log[0], "revoke", "assign", 1) {
		t.Errorf("a member came and went: %q", log)
	}
	for p := range int32(4) {
		if at := c.Committed(t, "billing")[partition{Topic: "orders", Partition: p}]; slices.ContainsFunc(m.Handled(), func(r *consumer.Message) bool { return r.Partition == p }) && at.Offset != 1 {
			t.Errorf("%d of orders-%d is committed", at.Offset, p)
		}
	}
}

// TestJoinFirst has the application come to a group that is there.
func TestJoinFirst(t *testing.T) {
	c := consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 4}, Group: "billing"})
	a, b := c.Join(t), c.Join(t)
	app := run(t, c.Prepare(billing()))
	c.Settle(t, 3)
	if len(app.noted(0)) != 1 || count(a.Owned())+count(b.Owned())+count(app.Owned()) != 4 {
		t.Errorf("callbacks %q; %v, %v and %v", app.noted(0), a.Owned(), b.Owned(), app.Owned())
	}
}

func TestProduce(t *testing.T) {
	c := cluster(t, 1)
	app := run(t, c.Prepare(billing()))
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c.Produce(t,
		consumertest.Record{Topic: "orders", Partition: 3, Key: "a", Value: "1"},
		consumertest.Record{Topic: "orders", Partition: 3, Key: "b", Value: "2", Time: at, Headers: []sarama.RecordHeader{{Key: []byte("h"), Value: []byte("x")}}},
		consumertest.Record{Topic: "orders", Partition: 3},
	)
	c.Wait(t, "all records are handled", func() bool { return len(app.handled()) == 3 })
	want(t, "records", app.handled(), "3@0 a=1", "3@1 b=2", "3@2 =")
	c.Wait(t, "they are committed", func() bool { return c.Committed(t, "billing")[partition{Topic: "orders", Partition: 3}].Offset == 3 })
	if got := c.Committed(t, "nosuch"); len(got) != 0 {
		t.Errorf("of another group: %v", got)
	}
}

// TestRebalance has a round under each protocol, of members that are known to lead, or not.
func TestRebalance(t *testing.T) {
	for name, a := range map[string]strategy.Assignor{"eager": roundrobin.Assignor{}, "cooperative": strategy.Cooperative(sticky.Assignor{})} {
		t.Run(name, func(t *testing.T) {
			c := cluster(t, 1)
			cfg := billing()
			cfg.Assignors = []strategy.Assignor{a}
			app := run(t, c.Prepare(cfg))
			c.Rebalance(t)
			c.Join(t)
			before := len(app.noted(0))
			c.Rebalance(t)
			if got := len(app.noted(before)); name == "eager" && got != 2 || name == "cooperative" && got != 0 {
				t.Errorf("callbacks %q", app.noted(before))
			}
		})
	}
	t.Run("not prepared", func(t *testing.T) {
		c := consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 4}, Group: "billing"})
		cfg := billing()
		cfg.Brokers, cfg.HeartbeatInterval, cfg.Logger = c.Addrs(), 50*time.Millisecond, slog.New(slog.DiscardHandler)
		run(t, cfg)
		c.Settle(t, 1)
		c.Rebalance(t)
	})
}

func TestExpire(t *testing.T) {
	for _, members := range []int{0, 1} {
		t.Run(fmt.Sprint("others: ", members), func(t *testing.T) {
			c := cluster(t, 1)
			app := run(t, c.Prepare(billing()))
			c.Settle(t, 1)
			for range members {
				c.Join(t)
			}
			before, had := len(app.noted(0)), app.Owned()
			c.Expire(t)
			log := app.noted(before)
			if len(log) != 2 || log[0] != strings.Join(slices.Concat([]string{"lost"}, numbers(had)), " ") || !strings.HasPrefix(log[1], "assign") {
				t.Errorf("had %v, callbacks %q", had, log)
			}
			c.Expire(t)
		})
	}
	t.Run("static", func(t *testing.T) {
		c := cluster(t, 1)
		cfg := billing()
		cfg.InstanceID, cfg.LeaveOnClose = "b1", true
		app := run(t, c.Prepare(cfg))
		c.Expire(t)
		want(t, "callbacks", app.noted(0), "assign 0 1 2 3", "lost 0 1 2 3", "assign 0 1 2 3")
	})
}

// TestKillCoordinator has no callback called, and the commits made meanwhile arrive.
func TestKillCoordinator(t *testing.T) {
	for _, brokers := range []int{1, 3} {
		t.Run(fmt.Sprint(brokers, " brokers"), func(t *testing.T) {
			c := cluster(t, brokers)
			app := run(t, c.Prepare(billing()))
			c.Settle(t, 1)
			m := c.Join(t)
			before, node := len(app.noted(0)), coordinator(t, c)
			for range 2 {
				for p := range int32(4) {
					c.Produce(t, consumertest.Record{Topic: "orders", Partition: p})
				}
				c.KillCoordinator(t)
				now := coordinator(t, c)
				if moved := now != node; moved != (brokers > 1) {
					t.Errorf("the coordinator was %d, and is %d", node, now)
				}
				node = now
			}
			if log := app.noted(before); len(log) > 0 {
				t.Errorf("callbacks %q", log)
			}
			c.Wait(t, "the application has lost the coordinator twice", func() bool { return app.lostCoordinator() == 2 })
			c.Wait(t, "all is committed", func() bool {
				sum := int64(0)
				for _, at := range c.Committed(t, "billing") {
					sum += at.Offset
				}
				return sum == 8
			})
			if n := len(app.handled()) + len(m.Handled()); n != 8 {
				t.Errorf("%d records were handled", n)
			}
		})
	}
}

// coordinator returns the id of the group's coordinator.
func coordinator(t *testing.T, c *consumertest.Cluster) int32 {
	t.Helper()
	client, err := sarama.NewClient(c.Addrs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	broker, err := client.Coordinator("billing")
	if err != nil {
		t.Fatal(err)
	}
	return broker.ID()
}

// TestSlow holds commits back until the test lets them go.
func TestSlow(t *testing.T) {
	c := cluster(t, 1)
	app := run(t, c.Prepare(billing()))
	c.Settle(t, 1)
	end := c.Slow(t, time.Hour, consumertest.OffsetCommit, consumertest.OffsetFetch)
	c.Produce(t, consumertest.Record{Topic: "orders"})
	c.Wait(t, "it is handled", func() bool { return len(app.handled()) == 1 })
	answered := make(chan error, 1)
	app.CommitAsync(offset(partition{Topic: "orders"}, 1), func(err error) { answered <- err })
	c.Rebalance(t) // is a while
	if at := c.Committed(t, "billing")[partition{Topic: "orders"}]; at.Offset != 0 || len(answered) > 0 {
		t.Errorf("%d is committed", at.Offset)
	}
	end()
	end()
	if err := <-answered; err != nil {
		t.Error(err)
	}
	c.Wait(t, "it is committed", func() bool { return c.Committed(t, "billing")[partition{Topic: "orders"}].Offset == 1 })
	c.Slow(t, time.Millisecond, consumertest.JoinGroup, consumertest.SyncGroup, consumertest.Heartbeat, consumertest.Fetch)
	c.Join(t)
}

func TestGrow(t *testing.T) {
	c := cluster(t, 1)
	app := run(t, c.Prepare(billing()))
	c.Settle(t, 1)
	m := c.Join(t)
	c.Grow(t, "orders", 6)
	if count(app.Owned()) != 3 || count(m.Owned()) != 3 {
		t.Errorf("the member has %v, the application %v", m.Owned(), app.Owned())
	}
	c.Produce(t, consumertest.Record{Topic: "orders", Partition: 5})
	c.Wait(t, "it is handled", func() bool { return len(app.handled())+len(m.Handled()) == 1 })
	other := consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 1}})
	other.Grow(t, "orders", 2) // without a group
	other.Produce(t, consumertest.Record{Topic: "orders", Partition: 1})
}

// TestPrepare has what is set stay.
func TestPrepare(t *testing.T) {
	c := cluster(t, 1)
	var own syncBuffer
	cfg := billing()
	cfg.Brokers, cfg.HeartbeatInterval, cfg.Trace = []string{"kafka.example.com:9093"}, 70*time.Millisecond, &own
	cfg.Sarama = sarama.NewConfig()
	cfg.Sarama.Net.TLS.Enable, cfg.Sarama.Net.SASL.Enable = true, true
	cfg.Sarama.ClientID = "billing-7"
	prepared := c.Prepare(cfg)
	if prepared.HeartbeatInterval != cfg.HeartbeatInterval || prepared.CommitInterval == 0 || prepared.Sarama.ClientID != "billing-7" || !cfg.Sarama.Net.TLS.Enable {
		t.Errorf("prepared is %+v", prepared)
	}
	run(t, prepared)
	c.Settle(t, 1)
	if !strings.Contains(own.String(), `"group":"billing"`) {
		t.Errorf("the application's own trace is %q", own.String())
	}
}

// TestLeftToNobody has a group settle whose assignor leaves partitions out on purpose.
func TestLeftToNobody(t *testing.T) {
	c := cluster(t, 1)
	cfg := billing()
	cfg.Assignors = []strategy.Assignor{strategy.Cooperative(evenOnly{})}
	app := run(t, c.Prepare(cfg))
	c.Settle(t, 1)
	c.Join(t)
	if count(app.Owned()) > 2 {
		t.Errorf("the application has %v", app.Owned())
	}
}

// evenOnly assigns partitions with even numbers and finds nobody eligible for the others.
type evenOnly struct{}

func (evenOnly) Name() string { return "even-only" }

func (evenOnly) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	a, err := rangeassign.Assignor{}.Assign(ctx, g)
	for id, list := range a.Members {
		var kept []topicPartitions
		for _, tp := range list {
			even := slices.DeleteFunc(slices.Clone(tp.Partitions), func(p int32) bool {
				if p%2 == 1 {
					a.Unassigned = append(a.Unassigned, strategy.Unassigned{Topic: tp.Topic, Partition: p, Reason: strategy.ReasonIneligible})
				}
				return p%2 == 1
			})
			if len(even) > 0 {
				kept = append(kept, topicPartitions{Topic: tp.Topic, Partitions: even})
			}
		}
		a.Members[id] = kept
	}
	slices.SortFunc(a.Unassigned, func(x, y strategy.Unassigned) int { return int(x.Partition - y.Partition) })
	return a, err
}

// syncBuffer is text that may be written concurrently.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(data)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func count(list []topicPartitions) int { return len(set(list)) }

func numbers(list []topicPartitions) (out []string) {
	for _, p := range slices.SortedFunc(maps.Keys(set(list)), partition.Compare) {
		out = append(out, strconv.Itoa(int(p.Partition)))
	}
	return out
}
