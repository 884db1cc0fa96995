package fetch

import (
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
)

// shyness is how long a partition is read from its leader after a replica refused it.
const shyness = 10 * time.Second

// answered takes an answer apart and has its partitions go on.
func (l *lane) answered(resp *sarama.FetchResponse) {
	b := l.broker
	f := b.fetcher
	asked := l.asked // which only this goroutine changes
	blocks := make([]*sarama.FetchResponseBlock, len(asked))
	batches := make([]*Batch, len(asked))
	for i := range asked {
		a := &asked[i]
		if blocks[i] = resp.GetBlock(a.at.Topic, a.at.Partition); blocks[i] != nil && blocks[i].Err == sarama.ErrNoError {
			batches[i] = f.read(a, blocks[i], len(asked) > 1)
		}
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	l.landed()
	b.reached()
	if resp.ThrottleTime > 0 { // Sarama would keep the connection locked so long
		b.muted = now.Add(resp.ThrottleTime + time.Millisecond)
	}
	b.quiet = true
	defer func() { b.quiet = false }()
	l.barren = true
	for i := range asked {
		a := &asked[i]
		switch {
		case a.place != flying: // closed meanwhile
		case resp.ErrorCode != 0:
			f.setback(a.Partition, sarama.KError(resp.ErrorCode))
		case blocks[i] == nil:
			f.relead(a.Partition, sarama.ErrIncompleteResponse)
		case blocks[i].Err != sarama.ErrNoError:
			l.refused(a, blocks[i])
		case batches[i] == nil:
			l.nothing(a, blocks[i], len(asked), now)
		default:
			l.barren, l.busy = false, true
			a.noted(blocks[i], now)
			f.arrived(a.Partition, batches[i])
		}
	}
}

// landed ends the flight of a request and returns what it asked. It is called with the mutex held.
func (l *lane) landed() []ask {
	asked := l.asked
	l.asked, l.busy = nil, false
	return asked
}

// noted keeps what an answer says about the log. It is called with the mutex held.
func (p *Partition) noted(block *sarama.FetchResponseBlock, now time.Time) {
	p.highWatermark, p.logStart, p.answered = block.HighWaterMarkOffset, block.LogStartOffset, now
	if p.fetcher.version < 5 {
		p.logStart = unknown
	}
	p.readable = block.HighWaterMarkOffset
	if p.fetcher.cfg.ReadCommitted && p.fetcher.version >= 4 && block.LastStableOffset >= 0 {
		p.readable = block.LastStableOffset
	}
	if block.PreferredReadReplica >= 0 && p.fetcher.cfg.Rack != "" && now.After(p.shy) {
		p.replica, p.until = block.PreferredReadReplica, now.Add(replicaLease)
	}
}

// arrived puts a batch into its partition's queue. It is called with the mutex held.
func (f *Fetcher) arrived(p *Partition, batch *Batch) {
	p.mended()
	p.begun, p.hot, p.missed, p.size = true, batch.Bytes >= steady, 0, 0
	if p.passed += batch.Bytes; p.passed > 4*int64(f.cfg.PartitionBytes) {
		p.single = false
	}
	if !p.single {
		p.limit = 0
	}
	p.next = batch.Next
	p.queue = append(p.queue, batch)
	p.bytes += batch.Bytes
	f.buffered += batch.Bytes
	signal(p.wake)
	f.route(p)
}

// nothing deals with an answer without records. It is called with the mutex held.
func (l *lane) nothing(a *ask, block *sarama.FetchResponseBlock, asked int, now time.Time) {
	f, p := l.broker.fetcher, a.Partition
	p.noted(block, now)
	p.hot = false
	if p.source(now) != l.broker.node { // its replica has them
		f.route(p)
		return
	}
	if a.offset >= p.readable {
		p.mended()
		p.missed = 0
		if !p.single {
			p.limit = 0
		}
		f.route(p)
		return
	}
	p.missed++
	switch {
	case asked > 1: // others were before it, and a batch of records that is larger than PartitionBytes comes only alone
		if p.missed >= 3 {
			p.limit = 1
		}
		f.route(p)
	case isPartial(block):
		f.enlarge(a, block)
	case p.missed < 3:
		f.route(p)
	default:
		f.setback(p, fmt.Errorf("broker %d returns no records from offset %d, although there are some before %d", l.broker.node, a.offset, p.readable))
	}
}

func isPartial(block *sarama.FetchResponseBlock) bool {
	return block.Partial || len(block.RecordsSet) > 0
}

// enlarge has more bytes asked for, as the first batch of records did not fit. Only brokers before Kafka 0.10.1 do not send it nevertheless;
// from others there is one that Sarama takes for incomplete. It is called with the mutex held.
func (f *Fetcher) enlarge(a *ask, block *sarama.FetchResponseBlock) {
	const answer = 1 << 20 // for everything else in an answer
	most := sarama.MaxResponseSize - answer
	switch {
	case a.bytes < most:
		a.size = min(2*max(a.bytes, f.cfg.PartitionBytes/2, 1), most)
		f.route(a.Partition)
	case len(block.RecordsSet) == 0 && f.version >= 3:
		f.setback(a.Partition, ErrDense)
	default:
		f.setback(a.Partition, fmt.Errorf("%w: it does not come whole in %d bytes", ErrTooLarge, most))
	}
}

// refused deals with an error of one partition. It is called with the mutex held.
func (l *lane) refused(a *ask, block *sarama.FetchResponseBlock) {
	f, p := l.broker.fetcher, a.Partition
	p.hot = false
	if l.broker.node != p.leader { // what a replica refuses, the leader may have
		p.spurn(l.broker.node)
		f.route(p)
		return
	}
	switch code := block.Err; code { //nolint:exhaustive // others are tried again
	case sarama.ErrOffsetOutOfRange:
		p.next, p.outOfRange, p.wanted = unknown, true, a.offset
		f.route(p)
	case sarama.ErrTopicAuthorizationFailed:
		p.fail(a.offset, ErrUnauthorized)
	case sarama.ErrInvalidMessage:
		if p.failures >= patience {
			p.fail(a.offset, fmt.Errorf("%w, as broker %d says", ErrCorrupt, l.broker.node))
			return
		}
		f.setback(p, code)
	default:
		f.hint(p, block.CurrentLeader)
		f.relead(p, fmt.Errorf("broker %d: %w", l.broker.node, code))
	}
}

// hint takes what a broker says about who leads instead.
func (f *Fetcher) hint(p *Partition, is *sarama.FetchResponseCurrentLeader) {
	if is == nil || is.LeaderID < 0 || is.LeaderEpoch <= p.epoch {
		return
	}
	if b := f.brokers[is.LeaderID]; b == nil || b.addr == "" {
		return
	}
	if known, ok := f.leaders[p.at]; !ok || known.epoch < is.LeaderEpoch {
		f.leaders[p.at] = leader{node: is.LeaderID, epoch: is.LeaderEpoch, since: time.Now()}
	}
}

// spurn has a partition read from its leader for some time, if that broker is a replica of it.
func (p *Partition) spurn(node int32) {
	if p.replica == node {
		p.replica, p.shy = nobody, time.Now().Add(shyness)
	}
}

// undecoded says whether an answer has come and could not be decoded, which is the fault of what is in it.
func (l *lane) undecoded(err error) bool {
	if l.link.conn == nil || errors.Is(err, sarama.ErrUnsupportedVersion) {
		return false
	}
	_, ping := conn.Do(l.link.conn, func(b *sarama.Broker) (*sarama.ApiVersionsResponse, error) {
		return b.ApiVersions(&sarama.ApiVersionsRequest{})
	})
	if ping == nil {
		return true
	}
	l.hangUp()
	_, decoding := errors.AsType[sarama.PacketDecodingError](err)
	return decoding
}

// suspect finds out which partition it is whose records cannot be decoded: each half of them is asked for by itself, and so on. One that is
// left alone is asked for one batch of records at a time, until the batch is left that it is.
func (l *lane) suspect(err error) {
	f := l.broker.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := l.landed()
	for _, a := range asked {
		switch {
		case a.place != flying:
			continue
		case len(asked) > 1:
			a.limit = (len(asked) + 1) / 2
		case !a.single:
			a.limit, a.single, a.passed = 1, true, 0
		case isTooLarge(err):
			a.fail(a.offset, fmt.Errorf("%w: %w", ErrTooLarge, err))
			continue
		default:
			a.fail(a.offset, fmt.Errorf("%w: %w", ErrCorrupt, err))
			continue
		}
		f.route(a.Partition)
	}
}
