package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

// A control reads all partitions of a topic outside any group, with bare fetch requests: what it waits for, brokers and machine have
// cost, and no rebalance.
type control struct {
	end     context.CancelFunc
	readers sync.WaitGroup
	mu      sync.Mutex
	err     error
}

// startControl starts a reader for each broker that leads partitions. They stay where they are.
func startControl(client sarama.Client, topic string, partitions int32, j *journal) (*control, error) {
	led := map[string][]int32{}
	for p := range partitions {
		leader, err := client.Leader(topic, p)
		if err != nil {
			return nil, fmt.Errorf("the leader of %s-%d: %w", topic, p, err)
		}
		led[leader.Addr()] = append(led[leader.Addr()], p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &control{end: cancel}
	for addr, list := range led {
		c.readers.Go(func() {
			err := readPartitions(ctx, addr, topic, list, func(p int32, r *sarama.Record, offset int64) {
				j.deliver(delivery{time.Now(), "", p, offset})
			})
			c.mu.Lock()
			defer c.mu.Unlock()
			if err != nil {
				c.err = fmt.Errorf("the control reader of broker %s: %w", addr, err)
			}
		})
	}
	return c, nil
}

// stop ends it. The error is why it ended before, if it did. It may be called again.
func (c *control) stop() error {
	c.end()
	c.readers.Wait()
	return c.err
}

// fetchSize is for a partition, as Sarama's consumers have it.
const fetchSize = 1 << 20

// readPartitions reads partitions that a broker leads from their beginnings, one request after the other, until ctx ends. Topics have
// neither old message formats nor transactions.
func readPartitions(ctx context.Context, addr, topic string, partitions []int32, each func(partition int32, r *sarama.Record, offset int64)) error {
	broker := sarama.NewBroker(addr)
	if err := broker.Open(saramaConfig()); err != nil {
		return err
	}
	defer func() { _ = broker.Close() }() // there is nothing on its way
	next := make(map[int32]int64, len(partitions))
	for ctx.Err() == nil {
		req := &sarama.FetchRequest{Version: 11, MinBytes: 1, MaxBytes: 64 << 20, MaxWaitTime: 500, Isolation: sarama.ReadUncommitted}
		for _, p := range partitions {
			req.AddBlock(topic, p, next[p], fetchSize, -1)
		}
		answer, err := broker.Fetch(req)
		if err != nil {
			return err
		}
		for _, p := range partitions {
			block := answer.GetBlock(topic, p)
			if block == nil {
				continue
			}
			switch block.Err {
			case sarama.ErrNoError:
			case sarama.ErrNotLeaderForPartition, sarama.ErrUnknownTopicOrPartition: // a new topic, of which the broker is being told
				time.Sleep(time.Millisecond)
			default:
				return fmt.Errorf("reading %s-%d: %w", topic, p, block.Err)
			}
			for _, set := range block.RecordsSet {
				next[p] = readBatch(set.RecordBatch, p, next[p], each)
			}
		}
	}
	return nil
}

// readBatch passes on the records of a batch from an offset on, and returns the one to go on at.
func readBatch(batch *sarama.RecordBatch, p int32, next int64, each func(int32, *sarama.Record, int64)) int64 {
	if batch == nil {
		return next
	}
	for _, r := range batch.Records {
		if offset := batch.FirstOffset + r.OffsetDelta; offset >= next {
			each(p, r, offset)
			next = offset + 1
		}
	}
	return next
}
