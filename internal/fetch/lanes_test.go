package fetch_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
)

// TestOpenedMeanwhile opens partitions one after the other while brokers have nothing to say about those before, and would take far longer
// than the test may to say so.
func TestOpenedMeanwhile(t *testing.T) {
	const partitions = 12
	c := cluster(t, 1, embedded.Topic{Name: "idle", Partitions: partitions}, embedded.Topic{Name: "orders", Partitions: partitions, Records: []int{3}})
	s := embeddedFetcher(t, c, fetch.Config{MaxWait: time.Hour})
	for i := range int32(partitions) {
		quiet := s.open("idle", i, earliest)
		embeddedtest.Eventually(t, "the broker waits for records of it", func() bool { return quiet.State().Next == 0 })
		wantOffsets(t, offsets(t, s.open("orders", i, earliest), 3), 0, 3)
	}
}

// A census counts the partitions in requests for records.
type census struct {
	mu   sync.Mutex
	seen []int
}

func watch(c *embedded.Cluster) *census {
	s := &census{}
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Observe: true, Count: -1, Topic: "orders", When: func(r kmsg.Request) bool {
		n := 0
		for _, topic := range r.(*kmsg.FetchRequest).Topics {
			n += len(topic.Partitions)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, n)
		return true
	}})
	return s
}

// last returns the sizes of the last requests.
func (s *census) last(n int) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int(nil), s.seen[max(0, len(s.seen)-n):]...)
}

// parking is how long a partition without records waits at most for another lane.
const parking = 20 * time.Millisecond

// TestLanesMerge looks whether partitions that were opened one after the other end up in one request.
func TestLanesMerge(t *testing.T) {
	const partitions = 5
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: partitions, Records: []int{1}})
	requests := watch(c)
	s := embeddedFetcher(t, c, fetch.Config{MaxWait: 700 * time.Millisecond})
	for i := range int32(partitions) {
		wantOffsets(t, offsets(t, s.open("orders", i, earliest), 1), 0, 1)
		time.Sleep(2 * parking)
	}
	embeddedtest.Eventually(t, "all are in one request", func() bool {
		last := requests.last(4)
		for _, n := range last {
			if n != partitions {
				return false
			}
		}
		return len(last) == 4
	})
}

// TestUnreadPartition leaves one alone. It must not keep others waiting, nor take more memory than is configured.
func TestUnreadPartition(t *testing.T) {
	for _, test := range []struct {
		name string
		cfg  fetch.Config
	}{
		{"its own buffer", fetch.Config{PartitionBuffer: 40_000, PartitionBytes: 10_000}},
		{"all buffers", fetch.Config{Buffer: 40_000, PartitionBytes: 10_000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 3})
			for range 50 {
				for p := range int32(3) {
					embeddedtest.Produce(t, c, "orders", p, 100)
				}
			}
			s := embeddedFetcher(t, c, test.cfg)
			unread := s.open("orders", 0, earliest)
			embeddedtest.Eventually(t, "it is full", func() bool { return unread.State().Full })
			for p := int32(1); p < 3; p++ {
				wantOffsets(t, offsets(t, s.open("orders", p, earliest), 5000), 0, 5000)
			}
			if state := unread.State(); !state.Full || state.Bytes > 100_000 {
				t.Errorf("its state is %+v", state)
			}
			wantOffsets(t, offsets(t, unread, 5000), 0, 5000)
		})
	}
}

// TestStarvedGoOn has all partitions wait for the others' bytes.
func TestStarvedGoOn(t *testing.T) {
	const partitions = 20
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: partitions, Records: []int{2000}})
	s := embeddedFetcher(t, c, fetch.Config{Buffer: 1, PartitionBytes: 1})
	var readers sync.WaitGroup
	for i := range int32(partitions) {
		p := s.open("orders", i, earliest)
		readers.Go(func() { wantOffsets(t, offsets(t, p, 2000), 0, 2000) })
	}
	readers.Wait()
}

// TestRoomOfOthers has a partition wait for the room that another one takes.
func TestRoomOfOthers(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 2})
	for range 20 {
		for p := range int32(2) {
			embeddedtest.Produce(t, c, "orders", p, 100)
		}
	}
	s := embeddedFetcher(t, c, fetch.Config{Buffer: 60_000, PartitionBytes: 10_000})
	unread := s.open("orders", 0, earliest)
	embeddedtest.Eventually(t, "all room is taken", func() bool { return unread.State().Full })
	p := s.open("orders", 1, earliest)
	held := next(t, p)
	embeddedtest.Eventually(t, "there is room only for what it has", func() bool { return p.State().Full && p.State().Bytes == held.Bytes })
	unread.Close()
	embeddedtest.Eventually(t, "it is read ahead", func() bool { return p.State().Bytes > held.Bytes })
}

// TestLargeRecord has one that is larger than what is asked for, beside partitions from which records flow.
func TestLargeRecord(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 4})
	for range 30 {
		for p := range int32(3) {
			embeddedtest.Produce(t, c, "orders", p, 50)
		}
	}
	embeddedtest.Produce(t, c, "orders", 3, 3000)
	s := embeddedFetcher(t, c, fetch.Config{PartitionBytes: 100, MaxBytes: 1000})
	var readers sync.WaitGroup
	for i, n := range []int{1500, 1500, 1500, 3000} {
		p := s.open("orders", int32(i), earliest)
		readers.Go(func() { wantOffsets(t, offsets(t, p, n), 0, int64(n)) })
	}
	readers.Wait()
}

// TestCloseHung closes partitions and the fetcher while a broker does not answer.
func TestCloseHung(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 3, Records: []int{1}})
	conf := c.Config("test")
	d := embeddedtest.Through(conf)
	s := fetcher(t, conf, c.Addrs(), fetch.Config{})
	p := s.open("orders", 0, earliest)
	wantOffsets(t, offsets(t, p, 1), 0, 1)
	d.Freeze(c.Addrs()[0])
	hung, finding := s.open("orders", 1, from(0)), s.open("nosuch", 2, earliest)
	closed := make(chan error)
	go func() {
		_, err := hung.Next(t.Context())
		closed <- err
	}()
	time.Sleep(5 * time.Millisecond) // so that all is under way; sooner is right as well
	hung.Close()
	if err := <-closed; !errors.Is(err, fetch.ErrClosed) {
		t.Errorf("Next ends with %v", err)
	}
	finding.Close()
	s.Close()
	if _, err := p.Next(t.Context()); !errors.Is(err, fetch.ErrClosed) {
		t.Errorf("Next ends with %v", err)
	}
}

// TestSilentBroker has a broker go without a word, and another one lead.
func TestSilentBroker(t *testing.T) {
	c := twoLeaders(t)
	conf := c.Config("test")
	d := embeddedtest.Through(conf)
	s := fetcher(t, conf, c.Addrs(), fetch.Config{MaxWait: 50 * time.Millisecond})
	lost, other := s.open("orders", 0, earliest), s.open("orders", 1, earliest)
	wantOffsets(t, offsets(t, lost, 5), 0, 5)
	wantOffsets(t, offsets(t, other, 5), 0, 5)
	d.Freeze(c.Addrs()[0])
	embeddedtest.Move(t, c, "orders", 0, 1)
	produce(t, c, "orders", 0, 5)
	produce(t, c, "orders", 1, 5)
	wantOffsets(t, offsets(t, other, 5), 5, 10)
	wantOffsets(t, offsets(t, lost, 5), 5, 10)
	reported(s, func(r fetch.LeaderMoved) bool { return r.Partition == at("orders", 0) && r.From == 0 && r.To == 1 })
}

// TestOpenAndClose opens and closes partitions at random places from several goroutines.
func TestOpenAndClose(t *testing.T) {
	c := cluster(t, 2, embedded.Topic{Name: "orders", Partitions: 6, Records: []int{300}})
	s := embeddedFetcher(t, c, fetch.Config{PartitionBytes: 2000, MaxWait: 20 * time.Millisecond})
	var users sync.WaitGroup
	for i := range int32(6) {
		users.Go(func() {
			for n := range int64(60) {
				start := (n * 37) % 300
				p, err := s.Open(at("orders", i), callbacks.Start{From: callbacks.FromOffset, Offset: start})
				if err != nil {
					t.Error(err)
					return
				}
				if n%3 > 0 {
					got := offsets(t, p, 1)
					wantOffsets(t, got, start, start+int64(len(got)))
				}
				p.Close()
			}
		})
	}
	users.Wait()
}

// TestClosedWhileAsked closes a partition while it is in a request together with another one.
func TestClosedWhileAsked(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	both, release := make(chan bool, 10), make(chan struct{})
	c.Fake().ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		both <- len(r.(*kmsg.FetchRequest).Topics[0].Partitions) == 2
		c.Fake().SleepControl(func() { <-release })
		return nil, nil, false
	})
	s := embeddedFetcher(t, c, fetch.Config{})
	closed, other := s.open("orders", 0, from(0)), s.open("orders", 1, from(0))
	if !<-both {
		t.Fatal("they are not in one request")
	}
	closed.Close()
	close(release)
	wantOffsets(t, offsets(t, other, 5), 0, 5)
	if n := closed.State().Bytes; n > 0 {
		t.Errorf("the one that was closed keeps %d bytes", n)
	}
	if _, err := closed.Next(t.Context()); !errors.Is(err, fetch.ErrClosed) {
		t.Errorf("the one that was closed ends with %v", err)
	}
}

// TestClosedGivesRoomBack has a partition use up the room of all, and closes it.
func TestClosedGivesRoomBack(t *testing.T) {
	c := cluster(t, 1, embedded.Topic{Name: "orders", Partitions: 2})
	for range 20 {
		for p := range int32(2) {
			if err := c.Produce(t.Context(), "orders", p, 100); err != nil {
				t.Fatal(err)
			}
		}
	}
	const room = 40_000
	s := embeddedFetcher(t, c, fetch.Config{Buffer: room, PartitionBytes: 10_000})
	first := s.open("orders", 0, earliest)
	embeddedtest.Eventually(t, "it is full", func() bool { return first.State().Full })
	first.Close()
	second := s.open("orders", 1, earliest)
	embeddedtest.Eventually(t, "all the room is the other's", func() bool { return second.State().Bytes >= room })
}

func TestFaultsPass(t *testing.T) {
	for _, e := range []*kerr.Error{
		kerr.NotLeaderForPartition, kerr.FencedLeaderEpoch, kerr.UnknownLeaderEpoch, kerr.LeaderNotAvailable, kerr.ReplicaNotAvailable,
		kerr.UnknownTopicOrPartition, kerr.OffsetNotAvailable, kerr.KafkaStorageError, kerr.UnknownServerError, kerr.CorruptMessage, kerr.RequestTimedOut,
	} {
		for _, key := range []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets} {
			t.Run(e.Message+" to "+key.Name(), func(t *testing.T) {
				c := cluster(t, 2, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{10}})
				c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: "orders", Partitions: []int32{0}, Err: e, Count: 3})
				s := embeddedFetcher(t, c, fetch.Config{})
				troubled, other := s.open("orders", 0, earliest), s.open("orders", 1, earliest)
				wantOffsets(t, offsets(t, other, 10), 0, 10)
				wantOffsets(t, offsets(t, troubled, 10), 0, 10)
			})
		}
	}
}
