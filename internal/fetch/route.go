package fetch

import "time"

// A place is where a partition is.
type place uint8

const (
	finding  place = iota // its leader or position is being found
	eligible              // to be part of the next request to its broker
	flying                // in a request
	waiting               // for some time after an error
	full                  // for room
	ended
)

// replicaLease is how long a closer replica is read from before the leader is asked for one again.
const replicaLease = 5 * time.Minute

// All methods here are called with the fetcher's mutex held.

// route sends a partition to where it has to go next: to have its leader found, or its position, or into a request, if there is room for
// what comes.
func (f *Fetcher) route(p *Partition) {
	if p.err != nil {
		return
	}
	now := time.Now()
	if p.leader == nobody {
		l, known := f.leaders[p.at]
		if !known || now.Sub(l.since) > leaderAge {
			p.place = finding
			f.lost[p] = true
			signal(f.find)
			return
		}
		f.lead(p, l)
	}
	if p.next == unknown {
		p.place = finding
		f.broker(p.leader).locate(p)
		return
	}
	if p.bytes > 0 && (p.bytes >= f.cfg.PartitionBuffer || f.buffered >= f.cfg.Buffer) {
		if p.bytes < f.cfg.PartitionBuffer && !p.starved {
			p.starved = true
			f.starved = append(f.starved, p)
		}
		p.place = full
		return
	}
	p.place = eligible
	f.broker(p.source(now)).add(p)
}

// lead gives a partition its leader.
func (f *Fetcher) lead(p *Partition, l leader) {
	if p.last != nobody && p.last != l.node {
		f.report(LeaderMoved{Partition: p.at, From: p.last, To: l.node, Epoch: l.epoch})
	}
	p.leader, p.last, p.epoch = l.node, l.node, l.epoch
}

// source is the broker to ask.
func (p *Partition) source(now time.Time) int32 {
	if p.replica != nobody && now.Before(p.until) {
		return p.replica
	}
	p.replica = nobody
	return p.leader
}

// release gives buffer space back, and has those go on who waited for it.
func (f *Fetcher) release(p *Partition, bytes int64) {
	p.bytes -= bytes
	f.buffered -= bytes
	if p.place == full {
		f.route(p)
	}
	if f.buffered < f.cfg.Buffer && len(f.starved) > 0 {
		starved := f.starved
		f.starved = nil
		for _, q := range starved {
			q.starved = false
			if q.place == full {
				f.route(q)
			}
		}
	}
}

// retry has a partition go on when its backoff is over.
func (f *Fetcher) retry(p *Partition) {
	if p.err != nil {
		return
	}
	d := f.cfg.Backoff
	for i := 2; i < p.failures && d < f.cfg.MaxBackoff; i++ {
		d *= 2
	}
	p.place = waiting
	p.backoff = time.AfterFunc(min(d, f.cfg.MaxBackoff), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if p.place == waiting {
			f.route(p)
		}
	})
}

// troubled notes an error that time may mend, and has it reported if it is news.
func (p *Partition) troubled(err error) {
	if p.trouble == nil {
		p.fetcher.report(Trouble{Partition: p.at, Err: err})
	}
	p.trouble = err
}

// mended notes that the partition was read.
func (p *Partition) mended() {
	p.failures = 0
	if p.trouble != nil {
		p.trouble = nil
		p.fetcher.report(Trouble{Partition: p.at})
	}
}

// fail ends a partition for a reason. What was read can still be taken.
func (p *Partition) fail(offset int64, reason error) {
	if p.err != nil {
		return
	}
	err := &PartitionError{Offset: offset, Err: reason}
	p.fetcher.report(Trouble{Partition: p.at, Err: err})
	p.end(err)
}

// close ends a partition and drops what was read.
func (p *Partition) close() {
	f := p.fetcher
	p.end(ErrClosed)
	p.err = ErrClosed
	p.queue = nil
	p.held = 0
	f.release(p, p.bytes)
}

func (p *Partition) end(err error) {
	f := p.fetcher
	if f.parts[p.at] == p {
		delete(f.parts, p.at)
	}
	delete(f.lost, p)
	if p.backoff != nil {
		p.backoff.Stop()
	}
	p.place, p.err = ended, err
	signal(p.wake)
}

// forget has a partition's leader found anew. What was believed about it is wrong, unless somebody else has found out better already.
func (f *Fetcher) forget(p *Partition) {
	if l, known := f.leaders[p.at]; known && l.node == p.leader && l.epoch == p.epoch {
		delete(f.leaders, p.at)
	}
	p.leader = nobody
}

// relead has a partition's leader found anew, at once if this is the first failure: it may have moved.
func (f *Fetcher) relead(p *Partition, err error) {
	f.forget(p)
	if p.failures == 0 && p.err == nil {
		p.failures = 1
		f.route(p)
		return
	}
	f.setback(p, err)
}

// setback has a partition go on after a while.
func (f *Fetcher) setback(p *Partition, err error) {
	p.failures++
	p.troubled(err)
	f.retry(p)
}
