package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

// show lets two members count on a cluster in this process. A program of your own does not need this file.
func show(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "stateful")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cluster, err := embedded.Start(ctx, embedded.Options{})
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := cluster.Create(ctx, embedded.Topic{Name: "orders", Partitions: 4}); err != nil {
		return err
	}
	s := &stage{out: out, dir: dir, cluster: cluster}
	return errors.Join(s.play(ctx), s.total())
}

// A stage is where the members are shown.
type stage struct {
	out     io.Writer
	dir     string
	cluster *embedded.Cluster
	mu      sync.Mutex // of out
}

func (s *stage) play(ctx context.Context) error {
	a, endA, err := s.join(ctx, "a")
	if err != nil {
		return err
	}
	if err := errors.Join(s.produce(60), embedded.Wait(ctx, func() bool { return a.counted.Load() == 60 })); err != nil {
		return errors.Join(err, endA())
	}
	b, endB, err := s.join(ctx, "b")
	if err != nil {
		return errors.Join(err, endA())
	}
	half := func() bool { return a.held.Load() == 2 && b.held.Load() == 2 }
	err = errors.Join(embedded.Wait(ctx, half), s.produce(60), embedded.Wait(ctx, func() bool { return a.counted.Load()+b.counted.Load() == 120 }))
	return errors.Join(err, endA(), endB())
}

func (s *stage) join(ctx context.Context, name string) (c *counter, end func() error, err error) {
	c = newCounter(s.dir, func(format string, args ...any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintf(s.out, name+": "+format+"\n", args...)
	})
	c.tallies.Concurrency = 1 // in order
	cfg := c.config(s.cluster.Addrs(), "orders")
	cfg.HeartbeatInterval, cfg.Logger = 100*time.Millisecond, slog.New(slog.DiscardHandler)
	member, err := consumer.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	result := make(chan error, 1)
	go func() { result <- member.Run(ctx, c.handle) }()
	return c, func() error {
		member.Stop()
		return <-result
	}, nil
}

// produce makes n records of three customers.
func (s *stage) produce(n int) error {
	conf := s.cluster.Config("shop")
	conf.Producer.Return.Successes = true
	producer, err := sarama.NewSyncProducer(s.cluster.Addrs(), conf)
	if err != nil {
		return err
	}
	defer func() { _ = producer.Close() }() // every record was answered
	for i := range n {
		customer := []string{"alice", "bob", "carol"}[i%3]
		if i%5 == 0 {
			customer = "dave"
		}
		if _, _, err := producer.SendMessage(&sarama.ProducerMessage{Topic: "orders", Key: sarama.StringEncoder(customer)}); err != nil {
			return err
		}
	}
	return nil
}

// total prints what all files say together.
func (s *stage) total() error {
	names, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return err
	}
	sum := map[string]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var t tally
		if err := json.Unmarshal(data, &t); err != nil {
			return err
		}
		for key, n := range t.Counts {
			sum[key] += n
		}
	}
	for _, key := range slices.Sorted(maps.Keys(sum)) {
		fmt.Fprintf(s.out, "%s: %d\n", key, sum[key])
	}
	return nil
}
