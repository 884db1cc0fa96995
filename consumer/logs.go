package consumer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/signals"
	"github.com/assignkit/assignkit/strategy"
)

// logs asks the leaders of partitions where their logs end, over connections of its own, so that neither reading nor the group waits for
// that. One measurement at a time uses it.
type logs struct {
	driver *driver
	askers map[int32]*conn.Asker // by node id
}

func newLogs(d *driver) *logs { return &logs{driver: d, askers: map[int32]*conn.Asker{}} }

func (l *logs) close() {
	for _, a := range l.askers {
		a.Close()
	}
}

// asker returns the one for a broker. It is for one goroutine at a time.
func (l *logs) asker(node int32) *conn.Asker {
	if l.askers[node] == nil {
		l.askers[node] = conn.NewAsker(l.driver.client.Config(), l.driver.cfg.Signals.patience())
	}
	return l.askers[node]
}

// A survey is one look at all logs of a scope.
type survey struct {
	measures  *measures
	lag, rate bool

	answered  chan struct{} // closed when it is known what is committed, or that this cannot be known
	committed map[strategy.TopicPartition]lanes.Offset
	refused   error // why not

	mu     sync.Mutex
	moved  []strategy.TopicPartition // led by another broker than the one asked
	failed map[string]int            // partitions, by what is wrong
}

// readLogs measures lag and rate, as far as they are wanted. A broker that does not answer costs its partitions only.
func (m *measures) readLogs(ctx context.Context, l *logs, scope *signals.Scope, names []string) {
	s := &survey{
		measures: m, lag: slices.Contains(names, strategy.SignalLag), rate: slices.Contains(names, strategy.SignalRate),
		answered: make(chan struct{}), failed: map[string]int{},
	}
	var parts []strategy.TopicPartition
	for i := range scope.Topics {
		for p := range scope.Topics[i].Partitions {
			parts = append(parts, strategy.TopicPartition{Topic: scope.Topics[i].Name, Partition: p})
		}
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		defer close(s.answered)
		if s.lag {
			s.committed, s.refused = m.driver.lanes.CommittedSoFar(ctx, parts)
		}
	})
	s.ask(ctx, l, parts)
	if retry := s.moved; len(retry) > 0 && ctx.Err() == nil {
		s.moved = nil
		m.driver.topics.lookAgain(ctx, retry)
		s.ask(ctx, l, retry)
	}
	asking.Wait()
	if len(s.moved) > 0 {
		s.failed["no broker says that it leads them"] += len(s.moved) // or the topic is gone
		m.driver.topics.hurry()
	}
	err := s.err()
	if s.rate {
		m.note(ctx, strategy.SignalRate, err)
	}
	if s.lag {
		m.note(ctx, strategy.SignalLag, errors.Join(s.refused, err))
	}
}

func (s *survey) err() error {
	var errs []error
	for _, why := range slices.Sorted(maps.Keys(s.failed)) {
		errs = append(errs, fmt.Errorf("the log ends of %d partitions are not known: %s", s.failed[why], why))
	}
	return errors.Join(errs...)
}

// ask asks all leaders at the same time.
func (s *survey) ask(ctx context.Context, l *logs, parts []strategy.TopicPartition) {
	var asking sync.WaitGroup
	led, nodes := s.measures.driver.topics.leading(parts)
	for _, node := range slices.Sorted(maps.Keys(led)) {
		list := led[node]
		if nodes[node] == "" {
			s.astray(list...) // perhaps a leader is being elected
			continue
		}
		asker := l.asker(node)
		asking.Go(func() { s.askLeader(ctx, asker, nodes[node], list) })
	}
	asking.Wait()
}

func (s *survey) askLeader(ctx context.Context, a *conn.Asker, addr string, parts []strategy.TopicPartition) {
	ends, err := s.offsets(ctx, a, addr, parts, func(strategy.TopicPartition) int64 { return sarama.OffsetNewest })
	if err != nil {
		s.fail(err, len(parts))
		return
	}
	m := s.measures
	m.mu.Lock()
	for p, end := range ends {
		if rate, ok := m.rates.Add(m.driver.now(), p, end); ok && s.rate {
			m.store.PutPartition(m.driver.now(), strategy.SignalRate, p, rate)
		}
	}
	m.tellChange()
	m.mu.Unlock()
	if s.lag {
		s.lags(ctx, a, addr, ends)
	}
}

// lags stores the lags of a leader's partitions, once it is known what is committed.
func (s *survey) lags(ctx context.Context, a *conn.Asker, addr string, ends map[strategy.TopicPartition]int64) {
	<-s.answered // which ends with ctx
	if s.refused != nil {
		return
	}
	next, lookups := map[strategy.TopicPartition]int64{}, map[strategy.TopicPartition]int64{}
	for p, end := range ends {
		if o, ok := s.committed[p]; ok {
			next[p] = o.Offset
			continue
		}
		switch start := s.measures.driver.startOf(p); start.From {
		case callbacks.FromLatest:
			next[p] = end
		case callbacks.FromOffset:
			next[p] = start.Offset
		case callbacks.FromTimestamp:
			lookups[p] = max(0, start.Time.UnixMilli())
		case callbacks.FromEarliest, callbacks.FromCommitted:
			lookups[p] = sarama.OffsetOldest
		}
	}
	if len(lookups) > 0 {
		starts, err := s.offsets(ctx, a, addr, slices.Collect(maps.Keys(lookups)), func(p strategy.TopicPartition) int64 { return lookups[p] })
		if err != nil {
			s.fail(err, len(lookups))
		}
		for p, start := range starts {
			if next[p] = start; start < 0 { // there is no record of that time yet
				next[p] = ends[p]
			}
		}
	}
	m := s.measures
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, from := range next {
		m.store.PutPartition(m.driver.now(), strategy.SignalLag, p, signals.Lag(ends[p], from))
	}
	m.tellChange()
}

// offsets asks a leader for one offset of each partition. Those for which there is none are left out, and counted.
func (s *survey) offsets(ctx context.Context, a *conn.Asker, addr string, parts []strategy.TopicPartition, at func(strategy.TopicPartition) int64) (map[strategy.TopicPartition]int64, error) {
	conf := s.measures.driver.client.Config()
	resp, err := conn.Ask(ctx, a, []string{addr}, func(b *sarama.Broker) (*sarama.OffsetResponse, error) {
		request := sarama.NewOffsetRequest(conf.Version)
		request.IsolationLevel = conf.Consumer.IsolationLevel
		for _, p := range parts {
			request.AddBlock(p.Topic, p.Partition, at(p), 1)
		}
		return b.GetAvailableOffsets(request)
	})
	if err != nil {
		return nil, fmt.Errorf("broker %s: %w", addr, err)
	}
	found := make(map[strategy.TopicPartition]int64, len(parts))
	for _, p := range parts {
		block := resp.GetBlock(p.Topic, p.Partition)
		switch {
		case block == nil:
			s.fail(sarama.ErrIncompleteResponse, 1)
		case block.Err == sarama.ErrNoError:
			if found[p] = block.Offset; len(block.Offsets) > 0 {
				found[p] = block.Offsets[0]
			}
		case slices.Contains(elsewhere, block.Err):
			s.astray(p)
		default:
			s.fail(block.Err, 1)
		}
	}
	return found, nil
}

// elsewhere are errors that say that another broker is to be asked.
var elsewhere = []sarama.KError{sarama.ErrNotLeaderForPartition, sarama.ErrUnknownTopicOrPartition, sarama.ErrLeaderNotAvailable, sarama.ErrFencedLeaderEpoch}

// astray notes partitions whose leader is to be looked for.
func (s *survey) astray(parts ...strategy.TopicPartition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = append(s.moved, parts...)
}

func (s *survey) fail(err error, partitions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[err.Error()] += partitions
}

// startOf is where the group begins with a partition of which nothing is committed, as far as it is not the application that says.
func (d *driver) startOf(p strategy.TopicPartition) callbacks.Start {
	if d.topics.grown(p) {
		return callbacks.Start{From: callbacks.FromEarliest}
	}
	return d.cfg.Start
}

// leading lists partitions by the broker that leads them, and has the brokers' addresses. That of a partition without a leader is -1.
func (t *topics) leading(parts []strategy.TopicPartition) (led map[int32][]strategy.TopicPartition, nodes map[int32]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	led = map[int32][]strategy.TopicPartition{}
	for _, p := range parts {
		leader := int32(-1)
		if list := t.known[p.Topic].leaders; int(p.Partition) < len(list) {
			leader = list[p.Partition]
		}
		led[leader] = append(led[leader], p)
	}
	return led, t.nodes
}

// lookAgain asks who leads partitions now, once.
func (t *topics) lookAgain(ctx context.Context, parts []strategy.TopicPartition) {
	var names []string
	for _, tp := range strategy.ByTopic(parts) {
		names = append(names, tp.Topic)
	}
	if found, refused, err := t.ask(ctx, names); err == nil {
		t.take(names, found, refused)
	}
}
