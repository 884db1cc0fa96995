package lanes_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

func parts(topic string, n int32) []strategy.TopicPartition {
	list := make([]strategy.TopicPartition, n)
	for i := range list {
		list[i] = strategy.TopicPartition{Topic: topic, Partition: int32(i)}
	}
	return list
}

// stored returns lanes of a group that has committed offset 7 of orders-0 and 9 of orders-1.
func stored(t *testing.T, c *embedded.Cluster) *lanes.Lanes {
	t.Helper()
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	r := ask[wire.CommitReply](t, l, arrived, offsets(2, node, wire.Commit{Group: "billing", Generation: -1, Offsets: []wire.Offset{at("orders", 0, 7), at("orders", 1, 9)}}))
	if r.Codes[0] != wire.None || r.Codes[1] != wire.None {
		t.Fatalf("commit: %v", r.Codes)
	}
	return l
}

// Whatever goes by is waited for.
func TestCommittedRetries(t *testing.T) {
	fault := func(key kmsg.Key, err *kerr.Error) func(*kfake.Cluster) {
		return func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: err, Count: 3}) }
	}
	hangUp := func(key kmsg.Key) func(*kfake.Cluster) {
		return func(c *kfake.Cluster) {
			for range 3 {
				c.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, context.Canceled, true })
			}
		}
	}
	for _, test := range []struct {
		name  string
		fault func(*kfake.Cluster)
	}{
		{"nothing", func(*kfake.Cluster) {}},
		{"no coordinator", fault(kmsg.FindCoordinator, kerr.CoordinatorNotAvailable)},
		{"not coordinator", fault(kmsg.OffsetFetch, kerr.NotCoordinator)},
		{"loading", fault(kmsg.OffsetFetch, kerr.CoordinatorLoadInProgress)},
		{"unstable", func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Topic: "orders", Partitions: []int32{1}, Err: kerr.UnstableOffsetCommit, Count: 3})
		}},
		{"connection closed", hangUp(kmsg.OffsetFetch)},
		{"connection closed to whom is asked first", hangUp(kmsg.FindCoordinator)},
		{"coordinator moved", func(c *kfake.Cluster) { c.RehashCoordinators() }},
		{"an answer lacks a partition", func(c *kfake.Cluster) {
			c.ControlKey(int16(kmsg.OffsetFetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
				return r.ResponseKind(), nil, true
			})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := start(t, 3)
			l := stored(t, c)
			for range 2 { // with a connection and without
				test.fault(c.Fake())
				found, err := l.Committed(t.Context(), parts("orders", 3))
				if err != nil || len(found) != 2 || found[parts("orders", 2)[0]].Offset != 7 || found[parts("orders", 2)[1]].Offset != 9 {
					t.Errorf("committed: %v, %v", found, err)
				}
			}
		})
	}
}

// Offsets that an open transaction may change are waited for: the coordinator is told to say that they are such.
func TestCommittedIsStable(t *testing.T) {
	c := start(t, 1)
	l := stored(t, c)
	stable := make(chan bool, 10)
	c.Fake().ControlKey(int16(kmsg.OffsetFetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		stable <- r.(*kmsg.OffsetFetchRequest).RequireStable
		return nil, nil, false
	})
	if _, err := l.Committed(t.Context(), parts("orders", 1)); err != nil {
		t.Error(err)
	}
	if !<-stable {
		t.Error("offsets that may change are asked for")
	}
}

// Who only wants to know how far the group is gets what is committed, waits for no transaction, and keeps nobody waiting who is to read.
func TestCommittedSoFar(t *testing.T) {
	c := start(t, 1)
	l := stored(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hangs := make(chan struct{})
	var done atomic.Bool
	c.Fake().ControlKey(int16(kmsg.OffsetFetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		if r.(*kmsg.OffsetFetchRequest).RequireStable || done.Load() {
			return nil, nil, false
		}
		select {
		case <-hangs:
			t.Error("asked again, while it waits")
		default:
			close(hangs)
		}
		c.Fake().SleepControl(func() { <-ctx.Done() })
		return nil, nil, false
	})
	result := make(chan error, 1)
	go func() {
		_, err := l.CommittedSoFar(ctx, parts("orders", 2))
		result <- err
	}()
	select {
	case <-hangs:
	case err := <-result:
		t.Fatalf("it has not asked without waiting for transactions: %v", err)
	}
	if found, err := l.Committed(t.Context(), parts("orders", 2)); err != nil || len(found) != 2 {
		t.Errorf("while it waits: %v, %v", found, err)
	}
	done.Store(true)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if found, err := l.CommittedSoFar(t.Context(), parts("orders", 3)); err != nil || len(found) != 2 || found[parts("orders", 2)[1]].Offset != 9 {
		t.Errorf("so far: %v, %v", found, err)
	}
}

// A partition that the coordinator does not know does not keep the others'.
func TestCommittedUnknownPartition(t *testing.T) {
	c := start(t, 1)
	l := stored(t, c)
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Topic: "orders", Partitions: []int32{1}, Err: kerr.UnknownTopicOrPartition})
	found, err := l.Committed(t.Context(), parts("orders", 3))
	if err != nil || len(found) != 1 {
		t.Errorf("committed: %v, %v", found, err)
	}
	if found, err := l.Committed(t.Context(), nil); err != nil || len(found) != 0 {
		t.Errorf("of nothing: %v, %v", found, err)
	}
}

// What is not allowed fails at once, and says what is missing.
func TestCommittedDenied(t *testing.T) {
	c := start(t, 1)
	l := stored(t, c)
	for _, test := range []struct {
		fault kfake.Fault
		want  error
		text  string
	}{
		{kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.GroupAuthorizationFailed}, sarama.ErrGroupAuthorizationFailed, "Read on Group billing"},
		{kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.GroupAuthorizationFailed}, sarama.ErrGroupAuthorizationFailed, "Read on Group billing"},
		{kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Topic: "orders", Partitions: []int32{1}, Err: kerr.TopicAuthorizationFailed}, sarama.ErrTopicAuthorizationFailed, "orders-1"},
	} {
		c.Fake().Fault(test.fault)
		if _, err := l.Committed(t.Context(), parts("orders", 3)); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%v: %v", test.want, err)
		}
	}
}

// Who waits is told for what, and by what it was ended; also behind somebody else who waits.
func TestCommittedEnds(t *testing.T) {
	c := start(t, 1)
	l := stored(t, c)
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.CoordinatorLoadInProgress, Count: 1})
	enough := errors.New("enough")
	call := func(when <-chan struct{}) error {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		go func() {
			<-when
			cancel(enough)
		}()
		_, err := l.Committed(ctx, parts("orders", 2))
		if !errors.Is(err, enough) || !errors.Is(err, lanes.ErrUnanswered) {
			t.Errorf("the error is %v", err)
		}
		return err
	}
	came := make(chan struct{}, 1)
	c.Fake().ControlKey(int16(kmsg.OffsetFetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().ControlKey(int16(kmsg.OffsetFetch), func(kmsg.Request) (kmsg.Response, error, bool) {
			came <- struct{}{}
			return nil, nil, true
		})
		c.Fake().DropControl()
		return nil, nil, false
	})
	first, behind, when := make(chan error), make(chan struct{}), make(chan struct{})
	go func() { first <- call(when) }()
	<-came
	close(behind)
	call(behind)
	close(when)
	if err := <-first; !errors.Is(err, sarama.ErrOffsetsLoadInProgress) || !strings.Contains(err.Error(), "2 partitions") {
		t.Errorf("the error is %v", err)
	}
}

// Twenty thousand partitions are one request.
func TestCommittedMany(t *testing.T) {
	c := start(t, 1)
	if err := c.Create(t.Context(), embedded.Topic{Name: "many", Partitions: 20_000}); err != nil {
		t.Fatal(err)
	}
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	all := parts("many", 20_000)
	commit := wire.Commit{Group: "billing", Generation: -1}
	for _, p := range all {
		commit.Offsets = append(commit.Offsets, at(p.Topic, p.Partition, int64(p.Partition)))
	}
	ask[wire.CommitReply](t, l, arrived, offsets(2, node, commit))
	requests := c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Observe: true, TopLevel: true, Count: -1})
	began := time.Now()
	found, err := l.Committed(t.Context(), all)
	t.Logf("%v", time.Since(began))
	if err != nil || len(found) != len(all) || found[all[19_999]].Offset != 19_999 {
		t.Errorf("%d are committed: %v", len(found), err)
	}
	if n := requests.Hits(); n != 1 {
		t.Errorf("%d requests", n)
	}
}
