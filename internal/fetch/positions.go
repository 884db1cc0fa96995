package fetch

import (
	"errors"
	"fmt"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/conn"
)

// locate has a partition's position asked for. It is called with the fetcher's mutex held.
func (b *broker) locate(p *Partition) {
	b.unplaced = append(b.unplaced, p)
	if !b.placing {
		b.placing = true
		b.fetcher.goes(b.locator)
	}
}

// locator asks a broker for positions, until no partition needs one.
func (b *broker) locator() {
	f := b.fetcher
	link := &link{}
	defer link.close()
	for f.sleep(gather) { // for more to come
		list, addr := b.toLocate()
		if len(list) == 0 {
			return
		}
		var err error
		conf := f.cfg.Client.Config()
		if link.conn == nil {
			err = link.open(f.ended, conf, addr, conf.Net.ReadTimeout)
		}
		if err == nil {
			err = f.position(link, list)
		}
		if err == nil || f.ended.Err() != nil {
			continue
		}
		link.close()
		f.mu.Lock()
		b.unreachable(err)
		for _, p := range list {
			if p.place == finding && p.next == unknown {
				f.unplaced(p, err)
			}
		}
		f.mu.Unlock()
	}
}

// toLocate takes the partitions to ask for.
func (b *broker) toLocate() ([]*Partition, string) {
	f := b.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []*Partition
	for _, p := range b.unplaced {
		if p.place == finding && p.leader == b.node {
			list = append(list, p)
		}
	}
	b.unplaced = nil
	b.placing = len(list) > 0
	return list, b.addr
}

// A position is an answer for a partition.
type position struct {
	offset int64 // -1 if there is no record at or after the time that was asked for
	err    error
}

// position finds the positions of partitions that one broker leads. An error is one of the connection.
func (f *Fetcher) position(l *link, list []*Partition) error {
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
	found, err := f.offsets(l, plain, f.cfg.ReadCommitted, func(p *Partition) int64 { return timestamp(p.start) })
	if err != nil {
		return err
	}
	f.begin(plain, found)
	starts, err := f.offsets(l, outside, false, func(*Partition) int64 { return sarama.OffsetOldest })
	if err != nil {
		return err
	}
	ends, err := f.offsets(l, outside, false, func(*Partition) int64 { return sarama.OffsetNewest })
	if err != nil {
		return err
	}
	latest := ends
	if f.cfg.ReadCommitted && f.cfg.OutOfRange == Latest {
		if latest, err = f.offsets(l, outside, true, func(*Partition) int64 { return sarama.OffsetNewest }); err != nil {
			return err
		}
	}
	f.resume(outside, starts, ends, latest)
	return nil
}

// timestamp is how a start is asked for.
func timestamp(s callbacks.Start) int64 {
	switch s.From {
	case callbacks.FromLatest:
		return sarama.OffsetNewest
	case callbacks.FromTimestamp:
		return max(0, s.Time.UnixMilli()) // what is negative means something else
	case callbacks.FromEarliest, callbacks.FromCommitted, callbacks.FromOffset:
	}
	return sarama.OffsetOldest
}

// offsets asks for one offset of each partition.
func (f *Fetcher) offsets(l *link, list []*Partition, committed bool, at func(*Partition) int64) (map[*Partition]position, error) {
	if len(list) == 0 {
		return nil, nil
	}
	request := sarama.NewOffsetRequest(f.cfg.Client.Config().Version)
	if committed {
		request.IsolationLevel = sarama.ReadCommitted
	}
	for _, p := range list {
		request.AddBlock(p.at.Topic, p.at.Partition, at(p), 1)
	}
	resp, err := conn.Do(l.conn, func(b *sarama.Broker) (*sarama.OffsetResponse, error) { return b.GetAvailableOffsets(request) })
	if err != nil {
		return nil, fmt.Errorf("asking broker %s for offsets: %w", l.conn.Addr(), err)
	}
	found := map[*Partition]position{}
	for _, p := range list {
		b := resp.GetBlock(p.at.Topic, p.at.Partition)
		switch {
		case b == nil:
			found[p] = position{err: sarama.ErrIncompleteResponse}
		case b.Err != sarama.ErrNoError:
			found[p] = position{err: b.Err}
		case resp.Version == 0 && len(b.Offsets) == 0:
			found[p] = position{offset: unknown}
		case resp.Version == 0:
			found[p] = position{offset: b.Offsets[0]}
		default:
			found[p] = position{offset: b.Offset}
		}
	}
	return found, nil
}

// begin lets partitions begin where it was found. One for whose time there is no record yet begins with the next to come.
func (f *Fetcher) begin(list []*Partition, found map[*Partition]position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range list {
		at := found[p]
		switch {
		case p.place != finding:
			continue
		case at.err != nil:
			f.unplaced(p, at.err)
			continue
		case at.offset < 0:
			p.start = callbacks.Start{From: callbacks.FromLatest}
		default:
			p.next, p.first = at.offset, at.offset
		}
		f.route(p)
	}
}

// resume lets partitions whose offset was out of range go on, as is configured.
func (f *Fetcher) resume(list []*Partition, starts, ends, latest map[*Partition]position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range list {
		if p.place != finding {
			continue
		}
		if err := errors.Join(starts[p].err, ends[p].err, latest[p].err); err != nil {
			f.unplaced(p, err)
			continue
		}
		start, end := starts[p].offset, ends[p].offset
		report := OutOfRangeReport{Partition: p.at, Wanted: p.wanted, Start: start, End: end, Next: start}
		p.outOfRange = false
		switch {
		case start <= p.wanted && p.wanted <= end: // it was not in the log of another leader, or not yet
			p.next = p.wanted
			p.failures++
			f.retry(p)
			continue
		case f.cfg.OutOfRange == Latest:
			report.Next = latest[p].offset
		case f.cfg.OutOfRange == Fail:
			report.Next = -1
			f.report(report)
			p.fail(p.wanted, fmt.Errorf("%w: %d to %d", ErrOutOfRange, start, end))
			continue
		case f.cfg.OutOfRange == Earliest:
		}
		f.report(report)
		p.next, p.whole = report.Next, report.Next
		if !p.begun {
			p.first = report.Next
		}
		f.route(p)
	}
}

// unplaced deals with an error of asking for a position. It is called with f.mu held.
func (f *Fetcher) unplaced(p *Partition, err error) {
	if errors.Is(err, sarama.ErrTopicAuthorizationFailed) {
		offset := int64(unknown)
		if p.outOfRange {
			offset = p.wanted
		}
		p.fail(offset, ErrUnauthorized)
		return
	}
	f.relead(p, fmt.Errorf("finding the position: %w", err))
}
