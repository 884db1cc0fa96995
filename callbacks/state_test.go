package callbacks_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

func TestPartitionStateZero(t *testing.T) {
	var s callbacks.PartitionState[int]
	if err := s.Assigned(t.Context(), assignment(1)); err != nil {
		t.Error(err)
	}
	if v, ok := s.Get(order(1)); v != 0 || !ok {
		t.Errorf("got %d, %v", v, ok)
	}
	if err := s.Assigned(t.Context(), assignment(1)); !errors.Is(err, callbacks.ErrHeld) {
		t.Errorf("got %v, want ErrHeld", err)
	}
	if err := s.Revoked(t.Context(), revocation(1)); err != nil {
		t.Error(err)
	}
	if _, ok := s.Get(order(1)); ok {
		t.Error("there is a value after it was revoked")
	}
}

func TestPartitionStateConcurrency(t *testing.T) {
	for _, test := range []struct{ concurrency, most int }{{0, 8}, {1, 1}, {3, 3}, {100, 20}} {
		bubble(t, func(t *testing.T) {
			var running, most atomic.Int32
			s := &callbacks.PartitionState[int]{Concurrency: test.concurrency}
			s.Load = func(context.Context, *callbacks.Assignment, strategy.TopicPartition) (int, error) {
				if n := running.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				running.Add(-1)
				return 1, nil
			}
			var all []int32
			for p := range int32(20) {
				all = append(all, p)
			}
			began := time.Now()
			if err := s.Assigned(t.Context(), assignment(all...)); err != nil {
				t.Error(err)
			}
			rounds := (len(all) + test.most - 1) / test.most
			if took := time.Since(began); int(most.Load()) != test.most || took != time.Duration(rounds)*time.Second {
				t.Errorf("concurrency %d: %d at a time, %v", test.concurrency, most.Load(), took)
			}
		})
	}
}

// What the deadline cuts off is told by partition, and the rest of a slow load does not begin.
func TestPartitionStateDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &callbacks.PartitionState[int]{Concurrency: 1}
		s.Load = func(context.Context, *callbacks.Assignment, strategy.TopicPartition) (int, error) {
			time.Sleep(time.Second)
			return 1, nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		err := s.Assigned(ctx, assignment(1, 2, 3))
		if err == nil || err.Error() != "load orders-3: context deadline exceeded" {
			t.Errorf("got error %v", err)
		}
		if _, ok := s.Get(order(2)); !ok {
			t.Error("orders-2 is missing")
		}
	})
}

func TestPartitionStateGoexit(t *testing.T) {
	s := &callbacks.PartitionState[int]{Load: func(_ context.Context, _ *callbacks.Assignment, p strategy.TopicPartition) (int, error) {
		if p.Partition == 1 {
			runtime.Goexit()
		}
		return 5, nil
	}}
	err := s.Assigned(t.Context(), assignment(1, 2))
	if err == nil || err.Error() != "load orders-1: callback ended its goroutine" {
		t.Errorf("got error %v", err)
	}
	if v, _ := s.Get(order(2)); v != 5 {
		t.Error("orders-2 is missing")
	}
}

func TestPartitionStateDropPanics(t *testing.T) {
	s := &callbacks.PartitionState[int]{Drop: func(strategy.TopicPartition, int) { panic("x") }}
	if err := s.Assigned(t.Context(), assignment(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Lost(t.Context(), loss(1)); err == nil || err.Error() != "drop orders-1: panic: x" {
		t.Errorf("got error %v", err)
	}
}

// A state whose saving is stuck is given up, and what it holds is not saved once it may be another's.
func TestPartitionStateUnderTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		s := &callbacks.PartitionState[int]{Concurrency: 1}
		s.Save = func(context.Context, *callbacks.Revocation, strategy.TopicPartition, int) error {
			time.Sleep(time.Minute)
			j.add("saved")
			return nil
		}
		s.Drop = func(p strategy.TopicPartition, _ int) { j.add("dropped-" + strconv.Itoa(int(p.Partition))) }
		cb := callbacks.Timeout(s, time.Second)
		if err := cb.Assigned(t.Context(), assignment(1, 2, 3)); err != nil {
			t.Fatal(err)
		}
		wantTimeout(t, time.Second, func() error { return cb.Revoked(t.Context(), revocation(1, 2)) })
		wantTimeout(t, time.Second, func() error { return cb.Revoked(t.Context(), revocation(3)) })
		time.Sleep(time.Hour)
		synctest.Wait()
		if got, want := j.String(), "saved dropped-2 dropped-3"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
