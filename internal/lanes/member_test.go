package lanes_test

import (
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A member drives a machine over lanes, as little as it takes: callbacks are over at once.
type member struct {
	t        *testing.T
	lanes    *lanes.Lanes
	inbox    chan func()
	over     chan struct{}
	began    time.Time
	assignor strategy.Assignor
	machine  *membership.Machine         // the loop's
	commits  map[uint64]chan []wire.Code // the loop's
	commit   uint64

	mu    sync.Mutex
	state membership.State
	id    string
	owned []strategy.TopicPartition
	lost  int
	round int32
	ended *membership.End
}

// join starts a member of the group billing that reads orders.
func join(t *testing.T, client sarama.Client, change func(*membership.Config)) *member {
	t.Helper()
	m := &member{t: t, inbox: make(chan func(), 100), over: make(chan struct{}), began: time.Now(), assignor: strategy.Cooperative(sticky.Assignor{}), commits: map[uint64]chan []wire.Code{}}
	cfg := membership.Config{
		Group: "billing", ClientID: client.Config().ClientID, Session: 10 * time.Second, Rebalance: 20 * time.Second, Heartbeat: 50 * time.Millisecond,
		Request: 10 * time.Second, RetryMin: 10 * time.Millisecond, RetryMax: 50 * time.Millisecond,
		Offers: []membership.Offer{{Name: m.assignor.Name(), Protocol: strategy.ProtocolOf(m.assignor)}},
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	if m.machine, err = membership.New(cfg); err != nil {
		t.Fatal(err)
	}
	m.lanes = lanes.New(lanes.Config{Client: client, Group: "billing", Rebalance: cfg.Rebalance, Request: cfg.Request}, func(d lanes.Delivery) {
		m.post(func() {
			if m.lanes.Current(d) {
				m.step(d.Input)
			}
		})
	})
	go m.run()
	t.Cleanup(func() {
		m.stop()
		m.lanes.Close()
	})
	m.post(func() {
		m.step(membership.Subscribe{Topics: []string{"orders"}})
		m.step(membership.Metadata{Topics: topicCounts()})
		m.step(membership.Start{})
	})
	return m
}

func topicCounts() []membership.TopicCount {
	return []membership.TopicCount{{Topic: "orders", Partitions: 6}}
}

func (m *member) post(f func()) {
	select {
	case m.inbox <- f:
	case <-m.over:
	}
}

// stop ends the loop without a farewell.
func (m *member) stop() {
	select {
	case <-m.over:
	default:
		close(m.over)
	}
}

func (m *member) run() {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-m.over:
			return
		case f := <-m.inbox:
			f()
		case <-tick.C:
			m.step(membership.Tick{})
		}
	}
}

// step carries out an output, in the order of its fields.
func (m *member) step(in membership.Input) {
	out := m.machine.Step(time.Since(m.began), in)
	for _, lane := range out.Close {
		m.lanes.Break(lane)
	}
	for _, a := range out.Answers {
		m.commits[a.ID] <- a.Codes
	}
	if cb := out.Callback; cb != nil {
		go m.post(func() { m.step(membership.CallbackDone{ID: cb.ID}) })
	}
	if c := out.Compute; c != nil {
		go m.compute(c)
	}
	for _, r := range out.Requests {
		m.lanes.Send(r)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.id, _, _ = m.machine.Identity()
	m.round = m.machine.Generation()
	m.state, m.owned = m.machine.State(), m.machine.Owned()
	if out.Callback != nil && out.Callback.Kind == membership.Lost {
		m.lost++
	}
	if out.Ended != nil {
		m.ended = out.Ended
	}
}

func (m *member) compute(c *membership.Compute) {
	join := protocol.DecodeJoin(c.Protocol, c.Members)
	group := join.Group("billing", c.Generation, c.Leader, []strategy.Topic{{Name: "orders", Partitions: 6}})
	answer, err := m.assignor.Assign(m.t.Context(), group)
	done := membership.Computed{Generation: c.Generation, Topics: topicCounts(), Err: err}
	if err == nil {
		done.Withheld = len(answer.Unassigned) > 0
		done.Assignments, done.Err = join.EncodeAssignments(c.Generation, &answer, nil)
	}
	m.post(func() { m.step(done) })
}

// settled says that the member is at rest with so many partitions.
func (m *member) settled(partitions int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state == membership.Stable && len(m.owned) == partitions
}

func (m *member) identity() (id string, owned []strategy.TopicPartition, lost int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.id, m.owned, m.lost
}

// leave has the member leave, and waits until it has.
func (m *member) leave() {
	m.t.Helper()
	m.post(func() { m.step(membership.Leave{Reason: "enough", Farewell: true}) })
	embeddedtest.Eventually(m.t, "the member has left", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.ended != nil
	})
	if err := m.ended.Err; err != nil {
		m.t.Errorf("leaving: %v", err)
	}
}

func (m *member) generation() int32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.round
}

// store commits and waits for the answer.
func (m *member) store(offsets ...wire.Offset) []wire.Code {
	m.t.Helper()
	answer := make(chan []wire.Code, 1)
	m.post(func() {
		m.commit++
		m.commits[m.commit] = answer
		m.step(membership.Commit{ID: m.commit, Offsets: offsets})
	})
	select {
	case codes := <-answer:
		return codes
	case <-time.After(embeddedtest.Patience):
		m.t.Fatal("a commit is not answered")
		return nil
	}
}
