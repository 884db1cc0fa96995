package consumer

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// A saramaSession is what Setup and Cleanup are given.
type saramaSession struct {
	run    *saramaRun
	driver *driver
	ctx    context.Context // ends with the session, before Cleanup
	cancel context.CancelFunc
	claims atomic.Pointer[[]strategy.TopicPartitions]
}

var _ sarama.ConsumerGroupSession = (*saramaSession)(nil)

func newSaramaSession(r *saramaRun, d *driver) *saramaSession {
	s := &saramaSession{run: r, driver: d}
	s.ctx, s.cancel = context.WithCancel(d.handlers)
	return s
}

// claim says what is claimed from now on.
func (s *saramaSession) claim(list []strategy.TopicPartitions) { s.claims.Store(&list) }

func (s *saramaSession) Claims() map[string][]int32 {
	claims := map[string][]int32{}
	for p := range callbacks.Each(*s.claims.Load()) {
		claims[p.Topic] = append(claims[p.Topic], p.Partition)
	}
	return claims
}

func (s *saramaSession) MemberID() string {
	member, _ := s.driver.identity()
	return member
}

func (s *saramaSession) GenerationID() int32 {
	_, generation := s.driver.identity()
	return generation
}

func (s *saramaSession) Context() context.Context { return s.ctx }

// Commit commits what is marked, and waits for the answer.
func (s *saramaSession) Commit() { s.run.commit(s.driver.last, s.driver) }

func (s *saramaSession) MarkOffset(topic string, partition int32, offset int64, metadata string) {
	s.run.mark(strategy.TopicPartition{Topic: topic, Partition: partition}, offset, metadata)
}

func (s *saramaSession) ResetOffset(topic string, partition int32, offset int64, metadata string) {
	s.run.reset(s.driver, strategy.TopicPartition{Topic: topic, Partition: partition}, offset, metadata)
}

func (s *saramaSession) MarkMessage(m *sarama.ConsumerMessage, metadata string) {
	s.MarkOffset(m.Topic, m.Partition, m.Offset+1, metadata)
}

// A claimSession is what ConsumeClaim is given: it ends with the claim, and marks nothing when the partition has gone.
type claimSession struct {
	*saramaSession
	held *saramaClaim
}

func (s claimSession) Context() context.Context { return s.held.ctx }

func (s claimSession) MarkOffset(topic string, partition int32, offset int64, metadata string) {
	if !s.held.gone.Load() {
		s.saramaSession.MarkOffset(topic, partition, offset, metadata)
	}
}

func (s claimSession) ResetOffset(topic string, partition int32, offset int64, metadata string) {
	if !s.held.gone.Load() {
		s.saramaSession.ResetOffset(topic, partition, offset, metadata)
	}
}

func (s claimSession) MarkMessage(m *sarama.ConsumerMessage, metadata string) {
	s.MarkOffset(m.Topic, m.Partition, m.Offset+1, metadata)
}

// A saramaMark is where a partition is to go on.
type saramaMark struct {
	offset   int64 // none if there is none
	metadata string
	marked   bool  // since the partition was claimed
	dirty    bool  // and not committed
	asked    int64 // highest offset handed to the member to commit
}

func (r *saramaRun) mark(p strategy.TopicPartition, offset int64, metadata string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.marks[p]; m != nil && offset > m.offset {
		m.offset, m.metadata, m.marked, m.dirty = offset, metadata, true, true
	}
}

// reset takes a mark back, unless that is, or may be, committed.
func (r *saramaRun) reset(d *driver, p strategy.TopicPartition, offset int64, metadata string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch m := r.marks[p]; {
	case m == nil || offset > m.offset:
	case offset < max(0, m.asked):
		d.log.Error("ResetOffset is refused: a later offset was committed", "partition", name(p), "offset", offset, "committed", m.asked)
	default:
		m.offset, m.metadata, m.marked, m.dirty = offset, metadata, true, true
	}
}

// marked returns a partition's mark, if it was marked since it was claimed.
func (r *saramaRun) marked(p strategy.TopicPartition) (int64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.marks[p]; m != nil && m.marked {
		return m.offset, true
	}
	return none, false
}

// due takes what is to be committed of some claims, or of all if there are none.
func (r *saramaRun) due(of []*saramaClaim) map[strategy.TopicPartition]callbacks.Offset {
	r.mu.Lock()
	defer r.mu.Unlock()
	offsets := map[strategy.TopicPartition]callbacks.Offset{}
	add := func(p strategy.TopicPartition, m *saramaMark) {
		if m != nil && m.dirty {
			m.asked = max(m.asked, m.offset)
			offsets[p] = callbacks.Offset{Offset: m.offset, Metadata: m.metadata}
		}
	}
	if of == nil {
		for p, m := range r.marks {
			add(p, m)
		}
	}
	for _, c := range of {
		add(c.at, r.marks[c.at])
	}
	return offsets
}

// settle notes how a commit has ended.
func (r *saramaRun) settle(offsets map[strategy.TopicPartition]callbacks.Offset, err error) {
	partial, _ := errors.AsType[*callbacks.CommitError](err)
	if err != nil && partial == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for p, o := range offsets {
		if partial != nil && partial.Failed[p] != nil {
			continue
		}
		if m := r.marks[p]; m != nil && m.offset == o.Offset && m.metadata == o.Metadata {
			m.dirty = false
		}
	}
}

// forget drops the marks of claims whose partitions go.
func (r *saramaRun) forget(claims []*saramaClaim) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range claims {
		c.gone.Store(true)
		delete(r.marks, c.at)
	}
}

// commit commits what is marked, and reports what fails.
func (r *saramaRun) commit(ctx context.Context, d *driver) {
	offsets := r.due(nil)
	if len(offsets) == 0 {
		return
	}
	err := d.commitNow(ctx, offsets)
	r.settle(offsets, err)
	if partial, ok := errors.AsType[*callbacks.CommitError](err); ok {
		d.commitFailed(partial.Failed)
	} else if err != nil && ctx.Err() == nil {
		d.log.Error("marks were not committed", "error", err)
	}
}

func (r *saramaRun) commitAtIntervals(ctx context.Context) {
	ticker := time.NewTicker(r.cfg.CommitInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if d, err := r.consumer.running(); err == nil {
			r.commit(ctx, d)
		}
	}
}
