package fetch_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
)

func TestAnswers(t *testing.T) {
	abort := func(b batch, producer, first int64) batch {
		b.aborted = append(b.aborted, kmsg.FetchResponseTopicPartitionAbortedTransaction{ProducerID: producer, FirstOffset: first})
		return b
	}
	old := func(last int64, raw ...[]byte) batch { return batch{bytes: slices.Concat(raw...), last: last} }
	for _, test := range []struct {
		name    string
		config  fetch.Config
		from    int64
		batches []batch
		want    []int64
		next    int64
		time    int64 // of the first record
	}{
		{name: "records", batches: []batch{records(0, 2, 0, -1, 0, 1, 2)}, want: []int64{0, 1, 2}, next: 3, time: 1_000_005},
		{name: "below what is wanted", from: 1, batches: []batch{records(0, 2, 0, -1, 0, 1, 2)}, want: []int64{1, 2}, next: 3, time: 1_000_005},
		{name: "gaps", batches: []batch{records(0, 9, 0, -1, 3, 5), records(20, 29, 0, -1, 22)}, want: []int64{3, 5, 22}, next: 30, time: 1_000_005},
		{name: "in a gap", from: 6, batches: []batch{records(0, 9, 0, -1, 3, 5), records(20, 29, 0, -1, 22)}, want: []int64{22}, next: 30, time: 1_000_005},
		{name: "an empty batch", from: 2, batches: []batch{records(0, 9, 0, 5)}, next: 10},
		{name: "empty batches", batches: []batch{records(0, 9, 0, 5), records(10, 19, 0, 5), records(20, 20, 0, -1, 20)}, want: []int64{20}, next: 21, time: 1_000_005},
		{name: "log append time", batches: []batch{records(0, 0, logAppend, -1, 0)}, want: []int64{0}, next: 1, time: 2_000_000},
		{
			name:    "control records",
			batches: []batch{records(0, 1, inTxn, 4, 0, 1), records(2, 2, inTxn|control, 4, 2), records(3, 3, 0, -1, 3)},
			want:    []int64{0, 1, 3}, next: 4, time: 1_000_005,
		},
		{name: "control records only", batches: []batch{records(0, 0, inTxn|control, 4, 0)}, next: 1},
		{
			name: "aborted transactions", config: fetch.Config{ReadCommitted: true},
			batches: []batch{
				records(0, 1, inTxn, 4, 0, 1),                                  // aborted below
				records(2, 2, inTxn, 5, 2),                                     // committed below
				abort(abort(records(3, 3, inTxn|control, 4, 3), 4, 0), 4, 7),   // the abort marker
				records(4, 4, inTxn|control, 5, 4), records(5, 5, inTxn, 4, 5), // commit marker; not aborted
				records(6, 6, 0, -1, 6), records(7, 7, inTxn, 4, 7), records(8, 8, 0, 4, 8), // 7 is aborted, 8 no transaction
			},
			want: []int64{2, 5, 6, 8}, next: 9, time: 1_000_005,
		},
		{name: "format 0", from: 1, batches: []batch{old(2, message(0, 0, 0, nil), message(0, 0, 1, nil), message(0, 0, 2, nil))}, want: []int64{1, 2}, next: 3, time: -1},
		{name: "format 0, compressed", from: 6, batches: []batch{old(8, wrapped(0, 0, 5, 8))}, want: []int64{6, 7, 8}, next: 9, time: -1},
		{name: "format 1", batches: []batch{old(1, message(1, 0, 0, nil), message(1, 0, 1, nil))}, want: []int64{0, 1}, next: 2, time: 1_000_000},
		{name: "format 1, compressed", from: 6, batches: []batch{old(8, wrapped(1, 0, 5, 8))}, want: []int64{6, 7, 8}, next: 9, time: 1_000_001},
		{name: "format 1, log append time", from: 5, batches: []batch{old(8, wrapped(1, logAppend, 5, 8))}, want: []int64{5, 6, 7, 8}, next: 9, time: 1_000_008},
		{name: "formats together", batches: []batch{old(0, message(0, 0, 0, nil)), old(3, wrapped(1, 0, 1, 3)), records(4, 5, 0, -1, 4, 5)}, want: []int64{0, 1, 2, 3, 4, 5}, next: 6, time: -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scripted(t, 1, 1)
			s.serve(test.batches...)
			f := embeddedFetcher(t, s.cluster, test.config)
			got, behind := readTo(t, f.open("orders", 0, from(test.from)), test.next)
			var offsets []int64
			for _, r := range got {
				offsets = append(offsets, r.Offset)
			}
			if !slices.Equal(offsets, test.want) || behind != test.next {
				t.Errorf("offsets %v and then %d, wanted %v and then %d", offsets, behind, test.want, test.next)
			}
			if len(got) > 0 && got[0].Timestamp != test.time {
				t.Errorf("the first record is from %d, wanted %d", got[0].Timestamp, test.time)
			}
		})
	}
}

func TestLeaderEpochOfBatches(t *testing.T) {
	s := scripted(t, 1, 1)
	s.serve(records(0, 2, 0, -1, 0, 1, 2))
	b := next(t, embeddedFetcher(t, s.cluster, fetch.Config{}).open("orders", 0, from(0)))
	if r := b.Read(); b.LeaderEpoch != 7 || string(r.Key) != "key" || string(r.Value) != "value" || len(r.Headers) != 1 || string(r.Headers[0].Key) != "h" {
		t.Errorf("%+v with %+v", b, r)
	}
}

// TestCorrupt has a batch of one partition damaged. It is read up to there, and all others on and on.
func TestCorrupt(t *testing.T) {
	const partitions = 9
	s := scripted(t, 1, partitions)
	good := []batch{records(0, 9, 0, -1, 0, 3), records(10, 19, 0, -1, 10, 19), records(20, 29, 0, -1, 20, 29)}
	bad := slices.Clone(good)
	bad[2] = bad[2].damaged()
	s.answer = func(_ int32, _ *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		if p.Partition == 4 {
			serve(bad, p, to)
		} else {
			serve(good, p, to)
		}
	}
	f := embeddedFetcher(t, s.cluster, fetch.Config{})
	var readers sync.WaitGroup
	for i := range int32(partitions) {
		p := f.open("orders", i, from(0))
		readers.Go(func() {
			if i != 4 {
				if got, _ := readTo(t, p, 30); len(got) != 6 {
					t.Errorf("partition %d brings %d records", i, len(got))
				}
				return
			}
			if got, _ := readTo(t, p, 20); len(got) != 4 {
				t.Errorf("the corrupt one brings %d records", len(got))
			}
			err, ok := errors.AsType[*fetch.PartitionError](ends(t, p))
			if !ok || !errors.Is(err, fetch.ErrCorrupt) || err.Offset != 20 {
				t.Errorf("it ends with %v", err)
			}
		})
	}
	readers.Wait()
	reported(f, func(r fetch.Trouble) bool {
		return r.Partition == at("orders", 4) && errors.Is(r.Err, fetch.ErrCorrupt)
	})
}

// TestReplica has the leader name a closer replica, which refuses some time.
func TestReplica(t *testing.T) {
	s := scripted(t, 2, 1)
	embeddedtest.Move(t, s.cluster, "orders", 0, 0)
	log := []batch{records(0, 9, 0, -1, 0, 9), records(10, 19, 0, -1, 10), records(20, 29, 0, -1, 20)}
	var replica, leader []int64
	s.answer = func(node int32, r *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		switch {
		case node == 1 && p.FetchOffset >= 10: // it does not have these
			to.ErrorCode = kerr.OffsetOutOfRange.Code
		case node == 1:
			replica = append(replica, p.FetchOffset)
			serve(log[:1], p, to)
		case r.Rack == "here":
			to.PreferredReadReplica = 1
		default:
			leader = append(leader, p.FetchOffset)
			serve(log, p, to)
		}
	}
	f := embeddedFetcher(t, s.cluster, fetch.Config{Rack: "here"})
	got, _ := readTo(t, f.open("orders", 0, from(0)), 30)
	f.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(got) != 4 || !slices.Equal(replica, []int64{0}) || !slices.Contains(leader, 10) {
		t.Errorf("%d records; the replica was asked for %v, the leader for %v", len(got), replica, leader)
	}
	if n := count(f, func(fetch.OutOfRangeReport) bool { return true }); n != 0 {
		t.Error("what a replica does not have is reported as out of range")
	}
}

// TestNoReplica does not want one.
func TestNoReplica(t *testing.T) {
	s := scripted(t, 2, 1)
	s.answer = func(_ int32, r *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		if r.Rack != "" {
			t.Errorf("a request from rack %q", r.Rack)
		}
		serve([]batch{records(0, 0, 0, -1, 0)}, p, to)
	}
	readTo(t, embeddedFetcher(t, s.cluster, fetch.Config{}).open("orders", 0, from(0)), 1)
}

// TestThrottled has a broker say that it will not answer for an hour. It is left in peace, and closing does not wait.
func TestThrottled(t *testing.T) {
	s := scripted(t, 1, 2)
	s.serve(records(0, 0, 0, -1, 0))
	s.throttle = int32(time.Hour.Milliseconds())
	f := embeddedFetcher(t, s.cluster, fetch.Config{MaxWait: time.Millisecond})
	wantOffsets(t, offsets(t, f.open("orders", 0, from(0)), 1), 0, 1)
	f.open("orders", 1, from(0))
	time.Sleep(50 * time.Millisecond) // in which many requests could be made
	if n := s.requests(); n != 1 {
		t.Errorf("%d requests", n)
	}
	f.Close()
}

// TestNothingThoughThereIs has a broker keep records back.
func TestNothingThoughThereIs(t *testing.T) {
	s := scripted(t, 1, 1)
	s.answer = func(_ int32, _ *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		if s.asked > 6 {
			serve([]batch{records(0, 0, 0, -1, 0)}, p, to)
		}
	}
	f := embeddedFetcher(t, s.cluster, fetch.Config{})
	wantOffsets(t, offsets(t, f.open("orders", 0, from(0)), 1), 0, 1)
	reported(f, func(r fetch.Trouble) bool { return r.Err != nil })
	reported(f, func(r fetch.Trouble) bool { return r.Err == nil })
}

// TestIncomplete has a record that comes whole only if enough bytes are asked for, as with brokers before Kafka 0.10.1.
func TestIncomplete(t *testing.T) {
	s := scripted(t, 1, 2)
	whole := records(0, 0, 0, -1, 0)
	s.answer = func(_ int32, _ *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		serve([]batch{whole}, p, to)
		to.RecordBatches = to.RecordBatches[:min(len(to.RecordBatches), int(p.PartitionMaxBytes))]
	}
	f := embeddedFetcher(t, s.cluster, fetch.Config{PartitionBytes: 30})
	for i := range int32(2) {
		wantOffsets(t, offsets(t, f.open("orders", i, from(0)), 1), 0, 1)
	}
}

// TestNeverWhole has one that does not come whole, however many bytes are asked for. Others are read.
func TestNeverWhole(t *testing.T) {
	s := scripted(t, 1, 2)
	s.answer = func(_ int32, _ *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		serve([]batch{records(0, 0, 0, -1, 0)}, p, to)
		if p.Partition == 0 {
			to.RecordBatches = to.RecordBatches[:len(to.RecordBatches)-1]
		}
	}
	f := embeddedFetcher(t, s.cluster, fetch.Config{})
	f.open("orders", 0, from(0))
	wantOffsets(t, offsets(t, f.open("orders", 1, from(0)), 1), 0, 1)
	reported(f, func(r fetch.Trouble) bool {
		return r.Partition == at("orders", 0) && errors.Is(r.Err, fetch.ErrTooLarge)
	})
}

// TestOnlyAlone has a broker that gives a partition's record only if it need not think of others.
func TestOnlyAlone(t *testing.T) {
	s := scripted(t, 1, 2)
	s.answer = func(_ int32, r *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		if p.Partition == 0 || len(r.Topics[0].Partitions) == 1 {
			serve([]batch{records(0, 0, 0, -1, 0)}, p, to)
		}
		if p.Partition == 0 { // for ever
			to.HighWatermark = 0
		}
	}
	f := embeddedFetcher(t, s.cluster, fetch.Config{MaxWait: 20 * time.Millisecond})
	beside, large := f.open("orders", 0, from(0)), f.open("orders", 1, from(0))
	wantOffsets(t, offsets(t, beside, 1), 0, 1)
	wantOffsets(t, offsets(t, large, 1), 0, 1)
}
