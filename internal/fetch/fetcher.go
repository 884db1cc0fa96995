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
	version int16 // of fetch requests
	ended   context.Context
	end     context.CancelFunc
	running sync.WaitGroup // grows only while closed is false

	mu       sync.Mutex // of everything below, and of partitions, brokers and lanes
	closed   bool
	parts    map[strategy.TopicPartition]*Partition
	brokers  map[int32]*broker
	leaders  map[strategy.TopicPartition]leader // as far as they are believed
	lost     map[*Partition]bool                // whose leader has to be found
	doubted  map[*lane]bool                     // whose broker does not answer, and may not lead any more
	find     chan struct{}                      // has room for one: there is something lost or doubted
	lanes    int                                // of all brokers
	buffered int64                              // bytes of all partitions
	starved  []*Partition                       // that wait for the others' bytes
	reports  []Report
	reported chan struct{} // has room for one
}

// New returns a fetcher that reads nothing yet.
func New(cfg Config) (*Fetcher, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	f := &Fetcher{
		cfg: cfg, version: fetchVersion(cfg.Client.Config().Version),
		parts: map[strategy.TopicPartition]*Partition{}, brokers: map[int32]*broker{}, leaders: map[strategy.TopicPartition]leader{},
		lost: map[*Partition]bool{}, doubted: map[*lane]bool{}, find: make(chan struct{}, 1), reported: make(chan struct{}, 1),
	}
	f.ended, f.end = context.WithCancel(context.Background())
	f.running.Go(f.finder)
	f.running.Go(f.reporter)
	return f, nil
}

// Open begins to read a partition ahead. It does not wait for anything: that the partition is not there, or not to be reached, is
// reported, and tried again. A start at the committed offset is refused, as only groups have that.
func (f *Fetcher) Open(at strategy.TopicPartition, start callbacks.Start) (*Partition, error) {
	if err := start.Check(); err != nil {
		return nil, fmt.Errorf("fetch: %s-%d: %w", at.Topic, at.Partition, err)
	}
	if start.From == callbacks.FromCommitted {
		return nil, fmt.Errorf("fetch: %s-%d: the committed offset is the group's to find", at.Topic, at.Partition)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return nil, ErrClosed
	case f.parts[at] != nil:
		return nil, fmt.Errorf("%w: %s-%d", ErrOpen, at.Topic, at.Partition)
	}
	p := newPartition(f, at, start)
	f.parts[at] = p
	f.route(p)
	return p, nil
}

// Close ends all partitions and connections, and waits until nothing runs any more. What is under way is not waited for, but a Report that
// does not return is.
func (f *Fetcher) Close() {
	f.mu.Lock()
	f.closed = true
	f.end()
	for _, p := range f.parts {
		p.close()
	}
	f.mu.Unlock()
	f.running.Wait()
}

// goes runs do, unless the fetcher is closed. It is called with f.mu held.
func (f *Fetcher) goes(do func()) {
	if !f.closed {
		f.running.Go(do)
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

// signal fills a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
