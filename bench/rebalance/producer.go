package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A producer writes a record to each partition of a topic, again and again.
type producer struct {
	client *kgo.Client
	end    context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	produced []int64 // by partition
	err      error
}

func startProducer(brokers []string, topic string, s settings) (*producer, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &producer{client: client, end: cancel, done: make(chan struct{}), produced: make([]int64, s.Partitions)}
	go p.run(ctx, topic, s.Every)
	return p, nil
}

func (p *producer) run(ctx context.Context, topic string, every time.Duration) {
	defer close(p.done)
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for sequence := 0; ; sequence++ {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks.C:
			value := fmt.Appendf(nil, "%d %s", sequence, now.Format(time.RFC3339Nano))
			for n := range p.produced {
				p.client.Produce(context.Background(), &kgo.Record{Topic: topic, Partition: int32(n), Value: value}, p.acknowledged)
			}
		}
	}
}

func (p *producer) acknowledged(r *kgo.Record, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.err = fmt.Errorf("producing to partition %d: %w", r.Partition, err)
		return
	}
	p.produced[r.Partition] = max(p.produced[r.Partition], r.Offset+1)
}

// stop ends it and returns how many records each partition has got. It may be called again.
func (p *producer) stop(ctx context.Context) ([]int64, error) {
	p.end()
	<-p.done
	err := p.client.Flush(ctx)
	p.client.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		err = p.err
	}
	return p.produced, err
}
