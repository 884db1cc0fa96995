package fetch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// A Fetcher reads partitions. Its methods are safe for concurrent use.
type Fetcher struct {
	cfg     Config
	ended   context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex // of everything below, and of the partitions and brokers
	parts    map[strategy.TopicPartition]*Partition
	brokers  map[int32]*broker
	lost     map[*Partition]bool // whose leader or position has to be found
	find     chan struct{}       // has room for one: something is lost
	buffered int64               // bytes of all partitions
	full     map[*Partition]bool
	closed   bool
}

// New returns a fetcher that reads nothing yet.
func New(cfg Config) (*Fetcher, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	f := &Fetcher{
		cfg: cfg, parts: map[strategy.TopicPartition]*Partition{}, brokers: map[int32]*broker{},
		lost: map[*Partition]bool{}, find: make(chan struct{}, 1), full: map[*Partition]bool{},
	}
	f.ended, f.end = context.WithCancel(context.Background())
	f.running.Go(f.finder)
	return f, nil
}

// Open begins to read a partition ahead. It does not wait for anything. A start at the committed offset is refused, as only groups
// have that.
func (f *Fetcher) Open(at strategy.TopicPartition, start callbacks.Start) (*Partition, error) {
	if err := start.Check(); err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	if start.From == callbacks.FromCommitted {
		return nil, fmt.Errorf("fetch: %s-%d cannot start from committed", at.Topic, at.Partition)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return nil, ErrClosed
	case f.parts[at] != nil:
		return nil, ErrOpen
	}
	p := &Partition{fetcher: f, at: at, start: start, next: unknown, first: unknown, leader: nobody, replica: nobody, wake: make(chan struct{}, 1)}
	if start.From == callbacks.FromOffset {
		p.next, p.first = start.Offset, start.Offset
	}
	f.parts[at] = p
	f.lose(p)
	return p, nil
}

// Close ends all partitions and connections, and waits until nothing runs any more.
func (f *Fetcher) Close() {
	f.mu.Lock()
	f.closed = true
	f.end()
	for _, p := range f.parts {
		p.finish(ErrClosed)
	}
	for _, b := range f.brokers {
		b.cut()
	}
	f.mu.Unlock()
	f.running.Wait()
}

// lose has the leader or the position of a partition found. It is called with f.mu held.
func (f *Fetcher) lose(p *Partition) {
	if p.err != nil {
		return
	}
	p.place = finding
	f.lost[p] = true
	select {
	case f.find <- struct{}{}:
	default:
	}
}

// ready lets a partition be asked for, if there is room for what comes, or has it wait for room. It is called with f.mu held.
func (f *Fetcher) ready(p *Partition) {
	if p.err != nil {
		return
	}
	if p.next == unknown || p.leader == nobody {
		f.lose(p)
		return
	}
	if p.bytes > 0 && (p.bytes >= f.cfg.PartitionBuffer || f.buffered >= f.cfg.Buffer) {
		p.place = full
		f.full[p] = true
		return
	}
	delete(f.full, p)
	p.place = eligible
	f.broker(p.source(time.Now())).add(p)
}

// release gives buffer space back, and has those go on who waited for it. It is called with f.mu held.
func (f *Fetcher) release(p *Partition, bytes int64) {
	wasFull := f.buffered >= f.cfg.Buffer
	p.bytes -= bytes
	f.buffered -= bytes
	if p.place == full {
		f.ready(p)
	}
	if wasFull && f.buffered < f.cfg.Buffer {
		for q := range f.full {
			f.ready(q)
		}
	}
}

// sleep waits, and returns false if the fetcher is closed meanwhile.
func (f *Fetcher) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-f.ended.Done():
		return false
	}
}
