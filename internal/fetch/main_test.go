package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/strategy"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

func cluster(t testing.TB, brokers int, topics ...embedded.Topic) *embedded.Cluster {
	t.Helper()
	return embeddedtest.Start(t, embedded.Options{Brokers: brokers}, topics...)
}

// A setup is a fetcher under test, and what it reports.
type setup struct {
	*fetch.Fetcher
	t testing.TB

	mu      sync.Mutex
	reports []fetch.Report
	news    chan struct{} // closed and made anew with each report
}

// fetcher starts one for brokers, with defaults that let tests wait for less.
func fetcher(t testing.TB, conf *sarama.Config, addrs []string, cfg fetch.Config) *setup {
	t.Helper()
	client, err := sarama.NewClient(addrs, conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	s := &setup{t: t, news: make(chan struct{})}
	cfg.Client, cfg.Report = client, s.note
	if cfg.Backoff == 0 {
		cfg.Backoff = 5 * time.Millisecond
	}
	if cfg.MaxBackoff == 0 {
		cfg.MaxBackoff = 50 * time.Millisecond
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	if s.Fetcher, err = fetch.New(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func embeddedFetcher(t testing.TB, c *embedded.Cluster, cfg fetch.Config) *setup {
	t.Helper()
	return fetcher(t, c.Config("test"), c.Addrs(), cfg)
}

func (s *setup) note(r fetch.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports = append(s.reports, r)
	close(s.news)
	s.news = make(chan struct{})
}

// reported waits for a report that is as wanted.
func reported[R fetch.Report](s *setup, wanted func(R) bool) R {
	s.t.Helper()
	deadline := time.After(embeddedtest.Patience)
	for {
		s.mu.Lock()
		for _, r := range s.reports {
			if is, ok := r.(R); ok && wanted(is) {
				s.mu.Unlock()
				return is
			}
		}
		all, news := fmt.Sprintf("%+v", s.reports), s.news
		s.mu.Unlock()
		select {
		case <-news:
		case <-deadline:
			s.t.Fatalf("not reported; what was: %s", all)
		}
	}
}

// count returns how many reports are as wanted.
func count[R fetch.Report](s *setup, wanted func(R) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.reports {
		if is, ok := r.(R); ok && wanted(is) {
			n++
		}
	}
	return n
}

func at(topic string, partition int32) strategy.TopicPartition {
	return strategy.TopicPartition{Topic: topic, Partition: partition}
}

func from(offset int64) callbacks.Start {
	return callbacks.Start{From: callbacks.FromOffset, Offset: offset}
}

var earliest = callbacks.Start{From: callbacks.FromEarliest}

func (s *setup) open(topic string, partition int32, start callbacks.Start) *fetch.Partition {
	s.t.Helper()
	p, err := s.Open(at(topic, partition), start)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// next returns the next batch.
func next(t testing.TB, p *fetch.Partition) *fetch.Batch {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), embeddedtest.Patience, errors.New("nothing comes"))
	defer cancel()
	b, err := p.Next(ctx)
	if err != nil {
		t.Fatalf("%v; the partition: %+v", err, p.State())
	}
	return b
}

// offsets returns those of the next records, at least n.
func offsets(t testing.TB, p *fetch.Partition, n int) []int64 {
	t.Helper()
	var got []int64
	for len(got) < n {
		for b := next(t, p); b.Len() > 0; {
			got = append(got, b.Read().Offset)
		}
	}
	return got
}

// wantOffsets fails unless they are all from first to below end.
func wantOffsets(t testing.TB, got []int64, first, end int64) {
	t.Helper()
	for i, o := range got {
		if o != first+int64(i) {
			t.Fatalf("offset %d comes after %d records that begin with %d", o, i, first)
		}
	}
	if int64(len(got)) != end-first {
		t.Fatalf("%d records from offset %d, wanted %d", len(got), first, end-first)
	}
}

// ends returns the error that ends a partition, when all before it has been read.
func ends(t testing.TB, p *fetch.Partition) error {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), embeddedtest.Patience, errors.New("it does not end"))
	defer cancel()
	for {
		if _, err := p.Next(ctx); err != nil {
			return err
		}
	}
}

// twoLeaders starts a cluster of two brokers, of which broker 0 leads partition 0 of orders and broker 1 partition 1, with 5 records each.
func twoLeaders(t *testing.T) *embedded.Cluster {
	t.Helper()
	c := cluster(t, 2, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	for p := range int32(2) {
		embeddedtest.Move(t, c, "orders", p, p)
	}
	return c
}
