package fetch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
)

// finder finds leaders and positions, until the fetcher is closed. What it waits for, partitions that have both do not.
func (f *Fetcher) finder() {
	for {
		select {
		case <-f.ended.Done():
			return
		case <-f.find:
		}
		if !f.sleep(gather) { // for more to come
			return
		}
		f.findLeaders(f.lostOnes())
	}
}

// lostOnes takes the partitions to look for.
func (f *Fetcher) lostOnes() []*Partition {
	f.mu.Lock()
	defer f.mu.Unlock()
	lost := slices.SortedFunc(maps.Keys(f.lost), func(a, b *Partition) int { return a.at.Compare(b.at) })
	clear(f.lost)
	return lost
}

// findLeaders looks leaders up, and then positions, the partitions of each leader together.
func (f *Fetcher) findLeaders(lost []*Partition) {
	stale := map[string]bool{}
	f.mu.Lock()
	for _, p := range lost {
		if p.leader == nobody && p.failures > 0 {
			stale[p.at.Topic] = true // what the client knows is known to be wrong
		}
	}
	f.mu.Unlock()
	for _, topic := range slices.Sorted(maps.Keys(stale)) {
		if f.ended.Err() != nil {
			return
		}
		_ = f.cfg.Client.RefreshMetadata(topic) // what it could not find out, the next step says
	}
	unplaced := map[*sarama.Broker][]*Partition{}
	for _, p := range lost {
		leader, epoch, err := f.cfg.Client.LeaderAndEpoch(p.at.Topic, p.at.Partition)
		f.mu.Lock()
		switch {
		case p.err != nil:
		case err != nil:
			p.leader = nobody
			p.troubled(leaderError(err))
			p.later(true)
		default:
			p.leader, p.epoch = leader.ID(), epoch
			if p.next == unknown {
				unplaced[leader] = append(unplaced[leader], p)
			} else {
				f.ready(p)
			}
		}
		f.mu.Unlock()
	}
	for leader, list := range unplaced {
		f.running.Go(func() { f.findPositions(leader, list) })
	}
}

func leaderError(err error) error {
	if errors.Is(err, sarama.ErrUnknownTopicOrPartition) {
		return fmt.Errorf("the partition does not exist: %w", err)
	}
	return fmt.Errorf("finding the leader: %w", err)
}

// findPositions asks a leader for the offsets at which partitions begin.
func (f *Fetcher) findPositions(leader *sarama.Broker, list []*Partition) {
	var plain, outside []*Partition
	f.mu.Lock()
	for _, p := range list {
		if p.outOfRange {
			outside = append(outside, p)
		} else {
			plain = append(plain, p)
		}
	}
	f.mu.Unlock()
	if len(plain) > 0 {
		found, err := f.offsets(leader, plain, func(p *Partition) int64 { return timestamp(p.start) })
		f.place(plain, found, err)
	}
	if len(outside) > 0 {
		starts, err := f.offsets(leader, outside, func(*Partition) int64 { return sarama.OffsetOldest })
		var ends map[*Partition]position
		if err == nil {
			ends, err = f.offsets(leader, outside, func(*Partition) int64 { return sarama.OffsetNewest })
		}
		f.replace(outside, starts, ends, err)
	}
}

// timestamp is how a start is asked for.
func timestamp(s callbacks.Start) int64 {
	switch s.From {
	case callbacks.FromLatest:
		return sarama.OffsetNewest
	case callbacks.FromTimestamp:
		return s.Time.UnixMilli()
	case callbacks.FromEarliest, callbacks.FromCommitted, callbacks.FromOffset:
	}
	return sarama.OffsetOldest
}

// A position is an answer for a partition.
type position struct {
	offset int64 // -1 if there is none at or after the timestamp
	err    error
}

// offsets asks a leader for one offset of each partition.
func (f *Fetcher) offsets(leader *sarama.Broker, list []*Partition, at func(*Partition) int64) (map[*Partition]position, error) {
	request := sarama.NewOffsetRequest(f.cfg.Client.Config().Version)
	if f.cfg.ReadCommitted {
		request.IsolationLevel = sarama.ReadCommitted
	}
	for _, p := range list {
		request.AddBlock(p.at.Topic, p.at.Partition, at(p), 1)
	}
	resp, err := leader.GetAvailableOffsets(request)
	if err != nil {
		_ = leader.Close() // Sarama opens it again when the leader is asked for
		return nil, fmt.Errorf("asking broker %s for offsets: %w", leader.Addr(), err)
	}
	found := map[*Partition]position{}
	for _, p := range list {
		b := resp.GetBlock(p.at.Topic, p.at.Partition)
		switch {
		case b == nil:
			found[p] = position{err: sarama.ErrIncompleteResponse}
		case b.Err != sarama.ErrNoError:
			found[p] = position{err: b.Err}
		default:
			found[p] = position{offset: b.Offset}
			if len(b.Offsets) > 0 { // version 0
				found[p] = position{offset: b.Offsets[0]}
			}
		}
	}
	return found, nil
}

// place lets partitions begin where it was found. One for whose time there is no record yet begins with the next to come.
func (f *Fetcher) place(list []*Partition, found map[*Partition]position, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range list {
		if p.err != nil {
			continue
		}
		at := found[p]
		if at.err == nil {
			at.err = err
		}
		switch {
		case at.err != nil:
			p.unplaced(at.err)
		case at.offset < 0 && p.start.From == callbacks.FromTimestamp:
			p.start = callbacks.Start{From: callbacks.FromLatest}
			f.lose(p)
		default:
			p.next = at.offset
			if p.first == unknown {
				p.first = at.offset
			}
			f.ready(p)
			p.tell()
		}
	}
}

// unplaced deals with an error of asking for offsets. It is called with the mutex held.
func (p *Partition) unplaced(err error) {
	if errors.Is(err, sarama.ErrTopicAuthorizationFailed) {
		p.finish(&PartitionError{Partition: p.at, Offset: p.wanted, Err: ErrUnauthorized})
		return
	}
	p.leader = nobody
	p.troubled(err)
	p.later(true)
}

// replace lets partitions whose offset was out of range go on, as is configured.
func (f *Fetcher) replace(list []*Partition, starts, ends map[*Partition]position, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range list {
		if p.err != nil {
			continue
		}
		if err := errors.Join(err, starts[p].err, ends[p].err); err != nil {
			p.unplaced(err)
			continue
		}
		p.outOfRange = false
		start, end := starts[p].offset, ends[p].offset
		report := OutOfRangeReport{Partition: p.at, Wanted: p.wanted, Start: start, End: end, Next: start}
		switch {
		case start <= p.wanted && p.wanted <= end: // it was so only for a moment, as the leader changed
			p.next = p.wanted
			f.ready(p)
			continue
		case f.cfg.OutOfRange == Latest:
			report.Next = end
		case f.cfg.OutOfRange == Fail:
			report.Next = -1
			f.cfg.Report(report)
			p.finish(&PartitionError{Partition: p.at, Offset: p.wanted, Err: fmt.Errorf("%w, which has %d to %d", ErrOutOfRange, start, end)})
			continue
		case f.cfg.OutOfRange == Earliest:
		}
		f.cfg.Report(report)
		p.next = report.Next
		if p.first == unknown || len(p.queue) == 0 && p.first == p.wanted {
			p.first = report.Next
		}
		f.ready(p)
	}
}
