package live

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/strategy"
)

// offsets has those that are committed, by topic and partition.
type offsets map[string]map[int32]int64

// committed asks the coordinator for all committed offsets of a group. Those of topics that may not be described it leaves out.
func (s *session) committed(g *Group) (offsets, error) {
	req := sarama.NewOffsetFetchRequest(s.version(), g.Name, nil)
	resp, err := ask(s, s.broker(s.coordinator.ID), func(b *sarama.Broker) (*sarama.OffsetFetchResponse, error) { return b.FetchOffset(req) })
	if err == nil && resp.Err != sarama.ErrNoError {
		err = resp.Err
	}
	switch {
	case err == nil:
	case errors.Is(err, sarama.ErrGroupIDNotFound): // nothing was ever committed, or the group is gone by now
	case notReady(err): // it moved just now
		g.Remarks = append(g.Remarks, "committed offsets are not known: the coordinator has moved")
		return nil, nil
	default:
		return nil, s.explain(err, describeGroup(g.Name))
	}
	out := offsets{}
	for topic, blocks := range resp.Blocks {
		list := make(map[int32]int64, len(blocks))
		for p, b := range blocks {
			if b.Err == sarama.ErrNoError && b.Offset >= 0 && p >= 0 && p < maxPartition {
				list[p] = b.Offset
			}
		}
		if len(list) > 0 {
			out[topic] = list
		}
	}
	return out, nil
}

// ends asks the leaders where the logs end. Partitions whose leader has just moved are asked for again; what is then still not known
// is remarked.
func (s *session) ends(g *Group, described map[string]*sarama.TopicMetadata) error {
	var wanted []strategy.TopicPartition
	for i := range g.Topics {
		t := &g.Topics[i]
		if meta := described[t.Name]; meta != nil && !t.Gone && !t.Denied {
			for p := range meta.Partitions {
				wanted = append(wanted, strategy.TopicPartition{Topic: t.Name, Partition: int32(p)})
			}
		}
	}
	e := &ends{session: s, group: g}
	e.ask(wanted, described)
	if retry := e.moved; len(retry) > 0 && s.ctx.Err() == nil {
		meta, err := s.metadata(names(retry))
		if err != nil {
			return err
		}
		for _, t := range meta.Topics {
			described[t.Name] = t
		}
		e.moved = nil
		e.ask(retry, described)
	}
	if len(e.moved) > 0 {
		e.fail(sarama.ErrLeaderNotAvailable, len(e.moved))
	}
	for _, reason := range slices.Sorted(maps.Keys(e.failed)) {
		g.Remarks = append(g.Remarks, fmt.Sprintf("the log ends of %d partitions are not known: %s", e.failed[reason], reason))
	}
	return s.ctx.Err()
}

// ends collects what several leaders answer.
type ends struct {
	session *session
	group   *Group

	mu     sync.Mutex
	moved  []strategy.TopicPartition // with another leader than the one asked
	failed map[string]int            // how many partitions, by the reason
}

func (e *ends) fail(err error, partitions int) {
	if e.failed == nil {
		e.failed = map[string]int{}
	}
	e.failed[err.Error()] += partitions
}

// ask asks all leaders at the same time.
func (e *ends) ask(wanted []strategy.TopicPartition, described map[string]*sarama.TopicMetadata) {
	leaders := map[int32][]strategy.TopicPartition{}
	for _, tp := range wanted {
		leader := leaderOf(described[tp.Topic], tp.Partition)
		if leader < 0 {
			e.moved = append(e.moved, tp) // perhaps one is being elected
			continue
		}
		leaders[leader] = append(leaders[leader], tp)
	}
	var work sync.WaitGroup
	for leader, list := range leaders {
		work.Go(func() { e.askLeader(leader, list) })
	}
	work.Wait()
	slices.SortFunc(e.moved, strategy.TopicPartition.Compare)
}

func leaderOf(t *sarama.TopicMetadata, partition int32) int32 {
	if t == nil {
		return -1
	}
	if int(partition) < len(t.Partitions) && t.Partitions[partition].ID == partition { // as brokers list them
		return t.Partitions[partition].Leader
	}
	for _, p := range t.Partitions {
		if p.ID == partition {
			return p.Leader
		}
	}
	return -1
}

func (e *ends) askLeader(leader int32, list []strategy.TopicPartition) {
	req := sarama.NewOffsetRequest(e.session.version())
	for _, tp := range list {
		req.AddBlock(tp.Topic, tp.Partition, sarama.OffsetNewest, 1)
	}
	resp, err := ask(e.session, e.session.broker(leader), func(b *sarama.Broker) (*sarama.OffsetResponse, error) { return b.GetAvailableOffsets(req) })
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.fail(e.session.explain(err), len(list))
		return
	}
	for _, tp := range list {
		block := resp.GetBlock(tp.Topic, tp.Partition)
		switch {
		case block == nil:
			e.fail(errors.New("the leader does not mention them"), 1)
		case block.Err == sarama.ErrNoError:
			e.set(tp, block)
		case errors.Is(block.Err, sarama.ErrNotLeaderForPartition), errors.Is(block.Err, sarama.ErrUnknownTopicOrPartition),
			errors.Is(block.Err, sarama.ErrLeaderNotAvailable), errors.Is(block.Err, sarama.ErrFencedLeaderEpoch):
			e.moved = append(e.moved, tp)
		default:
			e.fail(e.session.explain(block.Err, connect.Access{Operation: "Describe", Resource: connect.Topic, Name: tp.Topic}), 1)
		}
	}
}

func (e *ends) set(tp strategy.TopicPartition, block *sarama.OffsetResponseBlock) {
	k, ok := slices.BinarySearchFunc(e.group.Topics, tp.Topic, func(t Topic, name string) int { return cmp.Compare(t.Name, name) })
	if !ok || int(tp.Partition) >= len(e.group.Topics[k].End) {
		return
	}
	if len(block.Offsets) > 0 { // which every version has
		e.group.Topics[k].End[tp.Partition] = block.Offsets[0]
	}
}

// names lists the topics of partitions that are in order.
func names(list []strategy.TopicPartition) []string {
	var out []string
	for _, tp := range list {
		if n := len(out); n == 0 || out[n-1] != tp.Topic {
			out = append(out, tp.Topic)
		}
	}
	return out
}
