package fetch_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
)

// TestMoves moves leaders at random, while partitions are opened at random offsets, read for some time and closed. Each reader must see every
// record from its offset on, once and in order, also those that are produced meanwhile.
func TestMoves(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const brokers, partitions, records = 3, 4, 60
		c := cluster(t, brokers, embedded.Topic{Name: "orders", Partitions: partitions, Records: []int{records}})
		defer c.Close()
		s := embeddedFetcher(t, c, fetch.Config{
			MaxWait: 10 * time.Millisecond, PartitionBytes: int32(rapid.IntRange(1, 5000).Draw(r, "partition bytes")),
			PartitionBuffer: int64(rapid.IntRange(1, 20_000).Draw(r, "buffer")),
		})
		defer s.Close()
		type visit struct{ from, read int }
		visits := make([][]visit, partitions)
		for p := range visits {
			visits[p] = rapid.SliceOfN(rapid.Custom(func(r *rapid.T) visit {
				return visit{from: rapid.IntRange(0, records).Draw(r, "from"), read: rapid.IntRange(0, records).Draw(r, "read")}
			}), 1, 4).Draw(r, "visits")
		}
		moves := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) [2]int32 {
			return [2]int32{rapid.Int32Range(0, partitions-1).Draw(r, "partition"), rapid.Int32Range(0, brokers-1).Draw(r, "to")}
		}), 0, 12).Draw(r, "moves")
		var users sync.WaitGroup
		users.Go(func() {
			for _, m := range moves {
				embeddedtest.Move(t, c, "orders", m[0], m[1])
				time.Sleep(time.Millisecond)
			}
		})
		for i := range int32(partitions) {
			users.Go(func() {
				for _, v := range visits[i] {
					p, err := s.Open(at("orders", i), from(int64(v.from)))
					if err != nil {
						t.Error(err)
						return
					}
					n := min(v.read, records-v.from)
					got := offsets(t, p, n)
					wantOffsets(t, got, int64(v.from), int64(v.from+len(got)))
					p.Close()
				}
			})
		}
		users.Wait()
	})
}

// TestMoved looks at one move: it is reported, and others do not notice.
func TestMoved(t *testing.T) {
	c := cluster(t, 3, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	for p := range int32(2) {
		embeddedtest.Move(t, c, "orders", p, 0)
	}
	s := embeddedFetcher(t, c, fetch.Config{MaxWait: 20 * time.Millisecond})
	moved, kept := s.open("orders", 0, earliest), s.open("orders", 1, earliest)
	wantOffsets(t, offsets(t, moved, 5), 0, 5)
	wantOffsets(t, offsets(t, kept, 5), 0, 5)
	embeddedtest.Move(t, c, "orders", 0, 2)
	got := reported(s, func(r fetch.LeaderMoved) bool { return r.Partition == at("orders", 0) })
	if got.From != 0 || got.To != 2 || got.Epoch < 1 {
		t.Errorf("reported %+v", got)
	}
	produce(t, c, "orders", 0, 5)
	produce(t, c, "orders", 1, 5)
	wantOffsets(t, offsets(t, moved, 5), 5, 10)
	wantOffsets(t, offsets(t, kept, 5), 5, 10)
	if n := count(s, func(r fetch.Trouble) bool { return true }); n != 0 {
		t.Errorf("%d reports of trouble, for a leader that moved", n)
	}
}

// TestBrokerGoes has one end and come back, which nobody replaces.
func TestBrokerGoes(t *testing.T) {
	c := twoLeaders(t)
	conf := c.Config("test")
	d := embeddedtest.Through(conf)
	s := fetcher(t, conf, c.Addrs(), fetch.Config{MaxWait: 20 * time.Millisecond})
	kept, lost := s.open("orders", 0, earliest), s.open("orders", 1, earliest)
	wantOffsets(t, offsets(t, kept, 5), 0, 5)
	wantOffsets(t, offsets(t, lost, 5), 0, 5)
	d.Break(c.Addrs()[1], true)
	down := func(r fetch.BrokerTrouble) bool { return r.Broker == 1 && r.Err != nil }
	reported(s, down)
	produce(t, c, "orders", 0, 5)
	wantOffsets(t, offsets(t, kept, 5), 5, 10)
	produce(t, c, "orders", 1, 5)
	d.Break(c.Addrs()[1], false)
	reported(s, func(r fetch.BrokerTrouble) bool { return r.Broker == 1 && r.Err == nil })
	if n := count(s, down); n != 1 {
		t.Errorf("%d reports that the broker is away", n)
	}
	wantOffsets(t, offsets(t, lost, 5), 5, 10)
}

// produce appends records, when the cluster's own client has found the leader.
func produce(t *testing.T, c *embedded.Cluster, topic string, partition int32, n int) {
	t.Helper()
	embeddedtest.Eventually(t, "records can be produced", func() bool { return c.Produce(context.WithoutCancel(t.Context()), topic, partition, n) == nil })
}
