package fetch

import (
	"time"

	"github.com/IBM/sarama"
)

// An ask is a partition in a request, as it was when that was made.
type ask struct {
	*Partition
	offset int64
	bytes  int32 // the most to bring
	slow   bool  // what is read ahead is not taken
}

// slowness is how long batches wait for somebody to take them before the partition counts as slow.
const slowness = time.Second

// steady is how many bytes an answer brings of a partition that is worth a lane.
const steady = 64 << 10

// collect makes a request for what is ready. It is nil if there is nothing, or if it is left for another lane to take. A pause has to be
// waited for first.
func (l *lane) collect(now time.Time) (request *sarama.FetchRequest, pause time.Duration) {
	b := l.broker
	f := b.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	if pause := b.muted.Sub(now); pause > 0 {
		return nil, pause
	}
	if l.parked = l.barren && l.another(now); l.parked {
		l.free = true
		return nil, 0
	}
	l.barren = false
	l.asked = l.take(now)
	if !l.flying() {
		l.free = true
		return nil, 0
	}
	wait := l.wait(now)
	l.until = now.Add(wait)
	if len(b.ready) > 0 {
		b.rouse(true)
	}
	return l.request(now, wait), 0
}

// another says whether one of the lanes before this one will soon be there.
func (l *lane) another(now time.Time) bool {
	for _, o := range l.broker.lanes {
		if o == l {
			break
		}
		if in := o.until.Sub(now); o.flying() && in > -parking && (o.busy || in < parking) {
			return true
		}
	}
	return false
}

// take takes what is ready. If records flow from several partitions and no other lane is at work, it leaves half of them for another
// one, so that the broker has something to do while answers are decoded.
func (l *lane) take(now time.Time) []ask {
	b := l.broker
	leave := l.half()
	room, rich := maxAsked, max(1, int(b.fetcher.cfg.MaxBytes/b.fetcher.cfg.PartitionBytes))
	var asked []ask
	var rest, strays []*Partition
	for _, p := range b.ready {
		switch {
		case p.place != eligible: // closed meanwhile
		case p.source(now) != b.node:
			strays = append(strays, p)
		case len(asked) >= room, len(asked) > 0 && (p.limit > 0) != (asked[0].limit > 0), p.limit > 0 && len(asked) >= p.limit:
			rest = append(rest, p)
		case p.hot && leave > 0:
			leave--
			rest = append(rest, p)
		case p.hot && rich == 0: // those before it may use MaxBytes up
			rest = append(rest, p)
		default:
			if p.limit > 0 {
				room = min(room, p.limit)
			}
			if p.hot {
				rich--
			}
			p.place = flying
			asked = append(asked, ask{Partition: p, offset: p.next, slow: len(p.queue) > 0 && now.Sub(p.taken) > slowness})
		}
	}
	b.ready = rest
	for _, p := range strays {
		b.fetcher.route(p)
	}
	return asked
}

// half is how many partitions to leave for another lane.
func (l *lane) half() int {
	b := l.broker
	for _, o := range b.lanes {
		if o != l && !o.free {
			return 0
		}
	}
	hot := 0
	for _, p := range b.ready {
		if p.place == eligible && p.hot && p.limit == 0 {
			hot++
		}
	}
	return hot / 2
}

// wait is how long the broker is to wait for records: until a little before the first lane's answer is due, so that this can take all
// partitions that have none; and not for long if there is no other lane for what becomes ready meanwhile.
func (l *lane) wait(now time.Time) time.Duration {
	b := l.broker
	if l.asked[0].limit > 0 {
		return 0 // it is asked alone, and others may have to be
	}
	wait := b.fetcher.cfg.MaxWait
	spare := maxLanes - len(b.lanes)
	before := true
	for _, o := range b.lanes {
		switch {
		case o == l:
			before = false
		case o.free:
			spare++
		case before && o.flying() && o.until.After(now):
			wait = min(wait, max(o.until.Sub(now)-handOver, handOver))
		}
	}
	if spare == 0 {
		wait = min(wait, parking)
	}
	return wait
}

// request asks for records, and does not ask for more than there is room for. There are no fetch sessions, as partitions come and go with
// each request. Sarama keeps the partitions in a map, so their order is another one each time.
func (l *lane) request(now time.Time, wait time.Duration) *sarama.FetchRequest {
	b := l.broker
	f := b.fetcher
	free := f.cfg.Buffer - f.buffered
	r := &sarama.FetchRequest{
		Version: f.version, MaxWaitTime: int32(wait.Milliseconds()), MinBytes: f.cfg.MinBytes, SessionEpoch: -1, RackID: f.cfg.Rack,
		MaxBytes: int32(min(int64(f.cfg.MaxBytes), max(free/int64(max(1, f.lanes)), little))),
	}
	if f.cfg.ReadCommitted {
		r.Isolation = sarama.ReadCommitted
	}
	for i := range l.asked {
		a := &l.asked[i]
		a.bytes = max(f.cfg.PartitionBytes, a.size)
		if free <= 0 {
			a.bytes = max(min(a.bytes, little), a.size)
		}
		if a.single {
			a.bytes = 1
		}
		r.MaxBytes = max(r.MaxBytes, a.size)
		epoch := a.epoch
		if b.node != a.leader {
			epoch = -1 // a replica may know another one
		}
		if now.Before(a.shy) {
			r.RackID = ""
		}
		r.AddBlock(a.at.Topic, a.at.Partition, a.offset, a.bytes, epoch)
	}
	return r
}
