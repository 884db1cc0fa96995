package fetch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
)

func TestStarts(t *testing.T) {
	for _, test := range []struct {
		name  string
		start callbacks.Start
		first int64
	}{
		{"earliest", earliest, 0},
		{"latest", callbacks.Start{From: callbacks.FromLatest}, 10},
		{"a time before all", callbacks.Start{From: callbacks.FromTimestamp, Time: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}, 0},
		{"a time before 1970", callbacks.Start{From: callbacks.FromTimestamp, Time: time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)}, 0},
		{"a time after all", callbacks.Start{From: callbacks.FromTimestamp, Time: time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)}, 10},
		{"an offset", from(7), 7},
		{"the end", from(10), 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
			s := embeddedFetcher(t, c, fetch.Config{})
			p := s.open("orders", 0, test.start)
			embeddedtest.Eventually(t, "the start is known", func() bool { _, known := p.Start(); return known })
			if first, _ := p.Start(); first != test.first {
				t.Errorf("it starts at %d, wanted %d", first, test.first)
			}
			embeddedtest.Produce(t, c, "orders", 0, 1)
			wantOffsets(t, offsets(t, p, int(11-test.first)), test.first, 11)
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 2})
	s := embeddedFetcher(t, c, fetch.Config{})
	for _, start := range []callbacks.Start{{}, {From: callbacks.FromOffset, Offset: -1}, {From: callbacks.FromTimestamp}, {From: 99}} {
		if _, err := s.Open(at("orders", 0), start); err == nil {
			t.Errorf("a start from %+v", start)
		}
	}
	p := s.open("orders", 0, earliest)
	if _, err := s.Open(at("orders", 0), earliest); !errors.Is(err, fetch.ErrOpen) {
		t.Errorf("opened twice: %v", err)
	}
	p.Close()
	p.Close()
	if _, err := p.Next(t.Context()); !errors.Is(err, fetch.ErrClosed) {
		t.Errorf("reading what is closed: %v", err)
	}
	again := s.open("orders", 0, earliest)
	s.Close()
	if _, err := again.Next(t.Context()); !errors.Is(err, fetch.ErrClosed) {
		t.Errorf("reading when the fetcher is closed: %v", err)
	}
	if _, err := s.Open(at("orders", 1), earliest); !errors.Is(err, fetch.ErrClosed) {
		t.Errorf("opening when the fetcher is closed: %v", err)
	}
	s.Close()
}

func TestNewRefuses(t *testing.T) {
	client, err := sarama.NewClient(cluster(t, 1).Addrs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, cfg := range []fetch.Config{
		{}, {Client: client, OutOfRange: 7}, {Client: client, MinBytes: -1}, {Client: client, MaxWait: -1}, {Client: client, Buffer: -1},
	} {
		if _, err := fetch.New(cfg); err == nil {
			t.Errorf("a fetcher with %+v", cfg)
		}
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	s := embeddedFetcher(t, c, fetch.Config{})
	p := s.open("orders", 0, earliest)
	wantOffsets(t, offsets(t, p, 1), 0, 1)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := p.Next(ctx); !errors.Is(err, why) {
		t.Errorf("it ends with %v", err)
	}
	embeddedtest.Produce(t, c, "orders", 0, 1)
	wantOffsets(t, offsets(t, p, 1), 1, 2) // nothing was lost by that
}

func TestOutOfRange(t *testing.T) {
	for _, test := range []struct {
		name   string
		policy fetch.OutOfRange
		wanted int64
		next   int64
	}{
		{"below, earliest", fetch.Earliest, 2, 5},
		{"below, latest", fetch.Latest, 2, 10},
		{"below, fail", fetch.Fail, 2, -1},
		{"above, earliest", fetch.Earliest, 99, 5},
		{"above, latest", fetch.Latest, 99, 10},
		{"above, fail", fetch.Fail, 99, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
			if err := c.Fake().DeleteRecords("orders", 0, 5); err != nil {
				t.Fatal(err)
			}
			s := embeddedFetcher(t, c, fetch.Config{OutOfRange: test.policy})
			p := s.open("orders", 0, from(test.wanted))
			got := reported(s, func(fetch.OutOfRangeReport) bool { return true })
			want := fetch.OutOfRangeReport{Partition: at("orders", 0), Wanted: test.wanted, Start: 5, End: 10, Next: test.next}
			if got != want {
				t.Errorf("reported %+v, wanted %+v", got, want)
			}
			if test.policy == fetch.Fail {
				err, ok := errors.AsType[*fetch.PartitionError](ends(t, p))
				if !ok || !errors.Is(err, fetch.ErrOutOfRange) || err.Offset != test.wanted {
					t.Errorf("it ends with %v", err)
				}
				return
			}
			embeddedtest.Produce(t, c, "orders", 0, 1)
			wantOffsets(t, offsets(t, p, int(11-test.next)), test.next, 11)
			if first, known := p.Start(); !known || first != test.next {
				t.Errorf("it starts at %d", first)
			}
		})
	}
}

// TestOutOfRangeForAMoment has a broker say so although the offset is there, as a new leader may that is a little behind.
func TestOutOfRangeForAMoment(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "orders", Err: kerr.OffsetOutOfRange, Count: 2})
	s := embeddedFetcher(t, c, fetch.Config{OutOfRange: fetch.Fail})
	wantOffsets(t, offsets(t, s.open("orders", 0, from(3)), 7), 3, 10)
	if n := count(s, func(fetch.OutOfRangeReport) bool { return true }); n != 0 {
		t.Errorf("%d reports that it is out of range", n)
	}
}

func TestUnauthorized(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata} {
		t.Run(key.Name(), func(t *testing.T) {
			c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}}, embedded.Topic{Name: "open", Partitions: 1, Records: []int{1}})
			s := embeddedFetcher(t, c, fetch.Config{})
			c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: "orders", Err: kerr.TopicAuthorizationFailed, Count: -1})
			p := s.open("orders", 0, earliest)
			if err := ends(t, p); !errors.Is(err, fetch.ErrUnauthorized) {
				t.Errorf("it ends with %v", err)
			}
			wantOffsets(t, offsets(t, s.open("open", 0, earliest), 1), 0, 1)
			s.open("orders", 0, earliest).Close() // it may be tried again
		})
	}
}

// TestNoLeader has a partition that nobody leads for a while.
func TestNoLeader(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	s := embeddedFetcher(t, c, fetch.Config{})
	fault := c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "orders", Err: kerr.LeaderNotAvailable, Count: -1})
	p := s.open("orders", 0, earliest)
	reported(s, func(r fetch.Trouble) bool {
		return r.Partition == at("orders", 0) && errors.Is(r.Err, fetch.ErrNoLeader)
	})
	fault.Remove()
	wantOffsets(t, offsets(t, p, 1), 0, 1)
}

func TestMissing(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "other", Partitions: 1, Records: []int{1}})
	s := embeddedFetcher(t, c, fetch.Config{})
	p := s.open("orders", 0, earliest)
	wantOffsets(t, offsets(t, s.open("other", 0, earliest), 1), 0, 1)
	missing := func(r fetch.Trouble) bool {
		return r.Partition == at("orders", 0) && errors.Is(r.Err, fetch.ErrMissing)
	}
	reported(s, missing)
	if err := p.State().Err; !errors.Is(err, fetch.ErrMissing) {
		t.Errorf("its state says %v", err)
	}
	if err := c.Create(t.Context(), embedded.Topic{Name: "orders", Partitions: 1, Records: []int{3}}); err != nil {
		t.Fatal(err)
	}
	wantOffsets(t, offsets(t, p, 3), 0, 3)
	reported(s, func(r fetch.Trouble) bool { return r.Partition == at("orders", 0) && r.Err == nil })
	if n := count(s, missing); n != 1 {
		t.Errorf("%d reports that it is missing", n)
	}
	if err := c.Fake().DeleteTopic("orders"); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, "it is missed again", func() bool { return count(s, missing) == 2 })
	embeddedtest.Produce(t, c, "other", 0, 1) // others go on
}
