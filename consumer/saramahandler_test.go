package consumer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategy"
)

// saramaHandlerMember runs a handler as one writes it for Sarama, in a member, and notes what happens to it.
type saramaHandlerMember struct {
	*member
	accept  func(sarama.ConsumerGroupSession, sarama.ConsumerGroupClaim, *sarama.ConsumerMessage) error // nil: marks
	setup   func(sarama.ConsumerGroupSession) error
	cleanup func(sarama.ConsumerGroupSession) error
	claims  atomic.Int32 // that run
}

func (m *saramaHandlerMember) say(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, fmt.Sprintf(format, args...))
	m.changed.Broadcast()
}

func (m *saramaHandlerMember) Setup(s sarama.ConsumerGroupSession) error {
	m.say("setup %d", len(s.Claims()["orders"]))
	if m.setup != nil {
		return m.setup(s)
	}
	return nil
}

func (m *saramaHandlerMember) Cleanup(s sarama.ConsumerGroupSession) error {
	if n := m.claims.Load(); n != 0 {
		m.t.Errorf("cleanup while %d claims run", n)
	}
	if s.Context().Err() == nil {
		m.t.Error("cleanup in a session whose context goes on")
	}
	m.say("cleanup %d", len(s.Claims()["orders"]))
	if m.cleanup != nil {
		return m.cleanup(s)
	}
	return nil
}

func (m *saramaHandlerMember) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error {
	m.claims.Add(1)
	defer m.claims.Add(-1)
	m.say("claim %s-%d from %d", c.Topic(), c.Partition(), c.InitialOffset())
	for {
		select {
		case r, ok := <-c.Messages():
			if !ok {
				return nil
			}
			if m.accept == nil {
				s.MarkMessage(r, "")
			} else if err := m.accept(s, c, r); err != nil {
				return err
			}
			m.mu.Lock()
			m.records = append(m.records, fmt.Sprintf("%s-%d@%d", r.Topic, r.Partition, r.Offset))
			m.changed.Broadcast()
			m.mu.Unlock()
		case <-s.Context().Done():
			return nil
		}
	}
}

func saramaHandlerNew(t *testing.T, name string, cfg consumer.Config) *saramaHandlerMember {
	t.Helper()
	return &saramaHandlerMember{member: newMember(t, name, cfg)}
}

func (m *saramaHandlerMember) start() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(m.t.Context()))
	m.cancel = cancel
	go func() { m.result <- consumer.SaramaHandler(m).Run(ctx, m.Consumer) }()
	m.t.Cleanup(func() {
		cancel()
		_ = m.Close()
	})
}

// startsAt says where the next member of the group begins to read a partition.
func saramaHandlerStart(t *testing.T, cluster *embedded.Cluster, p int32) int64 {
	t.Helper()
	offset := make(chan int64, 1)
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Commits = consumer.CommitManual
	cfg.Callbacks = callbacks.Funcs{OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
		if o, ok := a.Committed[strategy.TopicPartition{Topic: "orders", Partition: p}]; ok {
			offset <- o.Offset
		} else {
			offset <- -1
		}
		return nil
	}}
	m := start(t, "next", cfg, nil)
	at := <-offset
	m.closes()
	return at
}

func TestSaramaHandlerConsumesAll(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 3, Records: []int{1000, 500, 0}})
	a := saramaHandlerNew(t, "a", config(cluster.Addrs(), "g", "orders"))
	var highest atomic.Int64
	a.accept = func(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim, r *sarama.ConsumerMessage) error {
		if c.Partition() == 0 {
			highest.Store(c.HighWaterMarkOffset())
		}
		if want := fmt.Sprintf("orders-%d-%d", r.Partition, r.Offset); string(r.Key) != want || s.MemberID() == "" || s.GenerationID() < 1 {
			t.Errorf("record %q in generation %d of %q; want %q", r.Key, s.GenerationID(), s.MemberID(), want)
		}
		s.MarkMessage(r, "")
		return nil
	}
	a.start()
	a.waitRecords(1500)
	inOrder(t, a.handled())
	a.wait("a claim without records", func() bool { return slices.Contains(a.log, "claim orders-2 from -2") })
	if got := highest.Load(); got != 1000 {
		t.Errorf("the high watermark is %d", got)
	}
	a.closes()
	log := a.noted()
	slices.Sort(log[2:5])
	if want := []string{
		"assign orders-0 orders-1 orders-2", "setup 3", "claim orders-0 from -2", "claim orders-1 from -2", "claim orders-2 from -2",
		"revoke orders-0 orders-1 orders-2", "cleanup 3",
	}; len(log) != 7 || !slices.Equal(log[:5], want[:5]) || !slices.Contains(log, "cleanup 3") {
		t.Errorf("it went %q, want %q", log, want)
	}
	if log[5] != "cleanup 3" {
		t.Errorf("Cleanup came after the other callbacks: %q", log)
	}
	if got := saramaHandlerStart(t, cluster, 0); got != 1000 {
		t.Errorf("committed was %d", got)
	}
}

// TestSaramaHandlerRebalances has partitions move between two members of a cooperative group: claims that stay go on, in the same session.
func TestSaramaHandlerRebalances(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{50}})
	a := saramaHandlerNew(t, "a", config(cluster.Addrs(), "g", "orders"))
	a.start()
	a.waitRecords(200)
	b := saramaHandlerNew(t, "b", config(cluster.Addrs(), "g", "orders"))
	b.start()
	b.waitOwned(2)
	b.wait("claims", func() bool { return b.claims.Load() == 2 })
	a.wait("claims", func() bool { return a.claims.Load() == 2 })
	for p := range int32(4) {
		embeddedtest.Produce(t, cluster, "orders", p, 50)
	}
	b.waitRecords(100) // none again, none missing
	a.waitRecords(300)
	b.closes()
	a.waitOwned(4)
	for p := range int32(4) {
		embeddedtest.Produce(t, cluster, "orders", p, 1)
	}
	a.waitRecords(304)
	a.closes()
	if all := append(a.handled(), b.handled()...); len(all) != 404 {
		t.Errorf("%d records were handled; want 404", len(all))
	}
	count := func(log []string, what string) (n int) {
		for _, line := range log {
			if strings.HasPrefix(line, what) {
				n++
			}
		}
		return n
	}
	if log := a.noted(); count(log, "setup") != 1 || count(log, "cleanup") != 1 || count(log, "claim ") != 6 {
		t.Errorf("a: %q", log)
	}
	if log := b.noted(); count(log, "setup") != 1 || count(log, "cleanup") != 1 || count(log, "claim ") != 2 {
		t.Errorf("b: %q", log)
	}
}

// TestSaramaHandlerEager has a session for each generation.
func TestSaramaHandlerEager(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Assignors = []strategy.Assignor{roundrobin.Assignor{}}
	a := saramaHandlerNew(t, "a", cfg)
	a.start()
	a.waitRecords(20)
	b := saramaHandlerNew(t, "b", cfg)
	b.start()
	b.waitOwned(2)
	a.waitOwned(2)
	a.wait("a second session", func() bool { return slices.Contains(a.log, "cleanup 4") && slices.Contains(a.log, "setup 2") })
	if got := len(b.handled()); got != 0 {
		t.Errorf("%d records were handled again", got)
	}
}

func TestSaramaHandlerMarks(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	marks := func(f func(s sarama.ConsumerGroupSession, offset int64)) *saramaHandlerMember {
		a := saramaHandlerNew(t, "a", config(cluster.Addrs(), "g", "orders"))
		a.accept = func(s sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim, r *sarama.ConsumerMessage) error {
			f(s, r.Offset)
			return nil
		}
		return a
	}
	a := marks(func(s sarama.ConsumerGroupSession, offset int64) {
		switch offset {
		case 3:
			s.MarkOffset("orders", 0, 4, "")
		case 5:
			s.MarkOffset("orders", 0, 2, "lower") // is ignored
			s.MarkOffset("orders", 7, 2, "not claimed")
			s.MarkOffset("other", 0, 2, "")
		}
	})
	a.start()
	a.waitRecords(10)
	a.closes()
	if got := saramaHandlerStart(t, cluster, 0); got != 4 {
		t.Errorf("of ten records the fourth was marked, and %d committed", got)
	}

	// A mark that was not committed can be taken back, also behind what another member has committed; one that was cannot.
	slow := config(cluster.Addrs(), "g", "orders")
	slow.CommitInterval = time.Hour
	var logged bytes.Buffer
	slow.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	b := saramaHandlerNew(t, "b", slow)
	b.accept = func(s sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim, r *sarama.ConsumerMessage) error {
		switch r.Offset {
		case 5:
			s.MarkOffset("orders", 0, 6, "")
			s.ResetOffset("orders", 0, 2, "again")
		case 7:
			s.Commit()
		case 8:
			s.ResetOffset("orders", 0, 1, "")
			s.Commit()
		}
		return nil
	}
	b.start()
	b.waitRecords(6)
	b.closes()
	if got := saramaHandlerStart(t, cluster, 0); got != 2 {
		t.Errorf("committed was %d after resetting to 2", got)
	}
	if !strings.Contains(logged.String(), "ResetOffset is refused") {
		t.Errorf("what is refused was not logged: %s", logged.String())
	}
}

// TestSaramaHandlerCommitsByItself turns automatic commits off, as Sarama's configuration does.
func TestSaramaHandlerCommitsByItself(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Sarama = sarama.NewConfig()
	cfg.Sarama.Consumer.Offsets.AutoCommit.Enable = false
	a := saramaHandlerNew(t, "a", cfg)
	a.accept = func(s sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim, r *sarama.ConsumerMessage) error {
		s.MarkMessage(r, "")
		if r.Offset == 6 {
			s.Commit()
		}
		return nil
	}
	a.start()
	a.waitRecords(10)
	a.closes()
	if got := saramaHandlerStart(t, cluster, 0); got != 7 {
		t.Errorf("committed was %d", got)
	}
}

// TestSaramaHandlerDoesNotRunAhead commits only marks, and hands out nothing that is not received: a handler that stands still after one record leaves the rest.
func TestSaramaHandlerDoesNotRunAhead(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{100}})
	a := saramaHandlerNew(t, "a", config(cluster.Addrs(), "g", "orders"))
	buffered := make(chan int, 1)
	a.accept = func(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim, r *sarama.ConsumerMessage) error {
		s.MarkMessage(r, "")
		if r.Offset == 3 {
			buffered <- cap(c.Messages())
			<-s.Context().Done()
			if _, ok := <-c.Messages(); ok {
				t.Error("a record came after the end")
			}
		}
		return nil
	}
	a.start()
	if got := <-buffered; got != 0 {
		t.Errorf("%d records fit into the channel", got)
	}
	a.closes()
	if got := saramaHandlerStart(t, cluster, 0); got != 4 {
		t.Errorf("committed was %d", got)
	}
}

func TestSaramaHandlerFails(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		fail func() error
		want error
	}{
		{"error", func() error { return broken }, broken},
		{"panic", func() error { panic(broken) }, broken},
		{"early return", nil, sarama.ErrSessionConsumeClaimExited},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
			m := saramaHandlerNew(t, "a", config(cluster.Addrs(), "g", "orders"))
			result := make(chan error, 1)
			go func() {
				result <- consumer.SaramaHandler(saramaHandlerEarly{m, test.fail}).Run(context.WithoutCancel(t.Context()), m.Consumer)
			}()
			err := <-result
			h, ok := errors.AsType[*consumer.HandlerError](err)
			if !ok || h.Partition.Topic != "orders" || h.Offset != 2 || !errors.Is(err, test.want) {
				t.Errorf("Run returned %v", err)
			}
			if got := saramaHandlerStart(t, cluster, 0); got != 2 {
				t.Errorf("committed was %d", got)
			}
		})
	}
}

// saramaHandlerEarly fails at offset 2.
type saramaHandlerEarly struct {
	*saramaHandlerMember
	fail func() error
}

func (h saramaHandlerEarly) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error {
	for r := range c.Messages() {
		if r.Offset == 2 {
			if h.fail == nil {
				return nil
			}
			return h.fail()
		}
		s.MarkMessage(r, "")
	}
	return nil
}

// TestSaramaHandlerRetries has a handler called again, from its mark on, also with the last record there is.
func TestSaramaHandlerRetries(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{6}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Failure = consumer.FailurePolicy{Retries: 2, Backoff: time.Millisecond}
	a := saramaHandlerNew(t, "a", cfg)
	var mu sync.Mutex
	tries := map[int64]int{}
	a.accept = func(s sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim, r *sarama.ConsumerMessage) error {
		mu.Lock()
		defer mu.Unlock()
		if r.Partition == 0 {
			// Offset 3 is handled, but not marked, when 4 fails for the first time.
			if tries[r.Offset]++; tries[r.Offset] <= 2 && (r.Offset == 0 || r.Offset == 4 || r.Offset == 5) {
				return errors.New("not yet")
			}
			if r.Offset == 3 {
				return nil
			}
		}
		s.MarkMessage(r, "")
		return nil
	}
	a.start()
	a.waitRecords(6 + 6 + 2)
	a.closes()
	mu.Lock()
	if got, want := fmt.Sprint(tries), "map[0:3 1:1 2:1 3:3 4:3 5:3]"; got != want {
		t.Errorf("records were given out %s times, want %s", got, want)
	}
	mu.Unlock()
	if log := a.noted(); !slices.Contains(log, "claim orders-0 from 3") || !slices.Contains(log, "claim orders-0 from 5") {
		t.Errorf("claims began %q", log)
	}
	if got := saramaHandlerStart(t, cluster, 0); got != 6 {
		t.Errorf("committed was %d", got)
	}
}

func TestSaramaHandlerSetup(t *testing.T) {
	broken := errors.New("broken")
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	a := saramaHandlerNew(t, "a", config(cluster.Addrs(), "g", "orders"))
	a.setup = func(sarama.ConsumerGroupSession) error { return broken }
	a.start()
	if err := a.ended(); !errors.Is(err, broken) {
		t.Errorf("Run returned %v", err)
	}
	if log := a.noted(); !slices.Equal(log, []string{"assign orders-0", "setup 1", "cleanup 1", "revoke orders-0"}) {
		t.Errorf("it went %q", log)
	}
	if got := len(a.handled()); got != 0 {
		t.Errorf("%d records were handled", got)
	}

	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RetryAssign = true
	b := saramaHandlerNew(t, "b", cfg)
	var tries atomic.Int32
	b.setup = func(sarama.ConsumerGroupSession) error {
		if tries.Add(1) < 3 {
			panic(broken)
		}
		return nil
	}
	b.cleanup = func(s sarama.ConsumerGroupSession) error {
		s.MarkOffset("orders", 0, 1, "") // counts still
		return nil
	}
	b.accept = func(sarama.ConsumerGroupSession, sarama.ConsumerGroupClaim, *sarama.ConsumerMessage) error {
		return nil
	}
	b.start()
	b.waitRecords(1)
	b.closes()
	if got := saramaHandlerStart(t, cluster, 0); got != 1 {
		t.Errorf("committed was %d", got)
	}
}

// TestSaramaHandlerOutlivesTheDrain has ConsumeClaims that do not return when their partitions are revoked: one that works on a record, and one that never had any.
func TestSaramaHandlerOutlivesTheDrain(t *testing.T) {
	for _, records := range []int{0, 5} {
		t.Run(fmt.Sprintf("%d records", records), func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{records}})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.RevokeTimeout = 50 * time.Millisecond
			m := saramaHandlerNew(t, "a", cfg)
			h := saramaHandlerStuck{m, make(chan struct{}), make(chan struct{}, 1), records > 0}
			result := make(chan error, 1)
			go func() { result <- consumer.SaramaHandler(h).Run(context.WithoutCancel(t.Context()), m.Consumer) }()
			<-h.entered
			manual := config(cluster.Addrs(), "g", "orders")
			manual.Commits = consumer.CommitManual
			b := start(t, "b", manual, nil)
			if err := m.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.waitOwned(1)
			b.waitRecords(records)
			m.sees("a stuck handler", func(e consumer.Event) bool { s, ok := e.(consumer.HandlerStuck); return ok && s.Lost })
			if log := m.noted(); slices.Contains(log, "lost(undrained) orders-0") != (records > 0) {
				t.Errorf("what works on a record is lost, what does not is revoked: %q", log)
			}
			if log := m.noted(); slices.Contains(log, "cleanup 1") {
				t.Errorf("Cleanup did not wait: %q", log)
			}
			close(h.release) // and marks, which counts no more
			m.wait("Cleanup", func() bool { return slices.Contains(m.log, "cleanup 1") })
			m.sees("its return", func(e consumer.Event) bool { _, ok := e.(consumer.HandlerReturned); return ok })
			if err := errors.Join(b.close(), m.Close(), <-result); err != nil {
				t.Error(err)
			}
			if got := saramaHandlerStart(t, cluster, 0); got != -1 {
				t.Errorf("committed was %d", got)
			}
		})
	}
}

type saramaHandlerStuck struct {
	*saramaHandlerMember
	release, entered chan struct{}
	takes            bool
}

func (h saramaHandlerStuck) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error {
	if h.takes {
		<-c.Messages()
	}
	h.entered <- struct{}{}
	<-h.release
	s.MarkOffset("orders", 0, 1, "")
	s.Commit()
	return nil
}

// TestSaramaHandlerComesBack has a partition come back while the ConsumeClaim that did not give it up still runs: the next one waits for it, and what it
// marks does not count.
func TestSaramaHandlerComesBack(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RevokeTimeout = 50 * time.Millisecond
	m := saramaHandlerNew(t, "a", cfg)
	h := &saramaHandlerLate{saramaHandlerMember: m, release: make(chan struct{}), begun: map[int32]int{}}
	result := make(chan error, 1)
	go func() { result <- consumer.SaramaHandler(h).Run(context.WithoutCancel(t.Context()), m.Consumer) }()
	m.wait("both claims", func() bool { return h.begun[0] == 1 && h.begun[1] == 1 })
	manual := config(cluster.Addrs(), "g", "orders")
	manual.Commits = consumer.CommitManual
	b := start(t, "b", manual, nil)
	b.waitOwned(1)
	moved := b.noted()[0]
	b.closes()
	m.waitOwned(2)
	m.wait("its assignment", func() bool { return strings.HasSuffix(m.log[len(m.log)-1], moved) })
	m.mu.Lock()
	if h.begun[0]+h.begun[1] != 2 {
		t.Errorf("claims that began: %v", h.begun)
	}
	m.mu.Unlock()
	close(h.release)
	m.wait("the third claim", func() bool { return h.begun[0]+h.begun[1] == 3 })
	if err := errors.Join(m.Close(), <-result); err != nil {
		t.Error(err)
	}
	for p := range int32(2) {
		if want, got := map[bool]int64{true: -1, false: 9}[strings.HasSuffix(moved, strconv.Itoa(int(p)))], saramaHandlerStart(t, cluster, p); got != want {
			t.Errorf("of orders-%d %d is committed, want %d (%s has moved)", p, got, want, moved)
		}
	}
}

// saramaHandlerLate does not return from the first claim of a partition until it is released, and marks offset 9 then.
type saramaHandlerLate struct {
	*saramaHandlerMember
	release chan struct{}
	begun   map[int32]int // by partition, with mu
}

func (h *saramaHandlerLate) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error {
	h.mu.Lock()
	h.begun[c.Partition()]++
	first := h.begun[c.Partition()] == 1
	h.changed.Broadcast()
	h.mu.Unlock()
	if first {
		<-h.release
		s.MarkOffset("orders", c.Partition(), 9, "")
	}
	for range c.Messages() { // none comes
	}
	return nil
}

// TestSaramaHandlerCancelled ends the context of Run: claims end, marks are committed, and Close can be called in a ConsumeClaim.
func TestSaramaHandlerCancelled(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	a := saramaHandlerNew(t, "a", config(cluster.Addrs(), "g", "orders"))
	a.start()
	a.waitRecords(10)
	a.cancel()
	if err := a.ended(); err != nil {
		t.Error(err)
	}
	if got := saramaHandlerStart(t, cluster, 0); got != 10 {
		t.Errorf("committed was %d", got)
	}
	embeddedtest.Produce(t, cluster, "orders", 0, 1)
	b := saramaHandlerNew(t, "b", config(cluster.Addrs(), "g", "orders"))
	b.accept = func(sarama.ConsumerGroupSession, sarama.ConsumerGroupClaim, *sarama.ConsumerMessage) error {
		return b.Close()
	}
	b.start()
	if err := b.ended(); err != nil {
		t.Error(err)
	}
	if got := b.handled(); !slices.Equal(got, []string{"orders-0@10"}) {
		t.Errorf("handled %q", got)
	}
}

func TestSaramaHandlerRefuses(t *testing.T) {
	cfg := config([]string{"localhost:1"}, "g", "orders")
	cfg.Failure.Then = consumer.ThenSkip
	c, err := consumer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := consumer.SaramaHandler(&saramaHandlerMember{}).Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "Skip") {
		t.Errorf("Skip: %v", err)
	}
	if err := consumer.SaramaHandler(nil).Run(t.Context(), c); err == nil {
		t.Error("no handler is accepted")
	}
	if err := consumer.SaramaHandler(&saramaHandlerMember{}).Run(t.Context(), nil); err == nil {
		t.Error("no consumer is accepted")
	}
}
