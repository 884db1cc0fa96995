package callbacks_test

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

func TestSetStart(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name  string
		p     strategy.TopicPartition
		start callbacks.Start
		want  string // the error
	}{
		{"zero", order(1), callbacks.Start{}, ""},
		{"earliest", order(1), callbacks.Start{From: callbacks.FromEarliest}, ""},
		{"latest", order(2), callbacks.Start{From: callbacks.FromLatest}, ""},
		{"offset", order(2), callbacks.Start{From: callbacks.FromOffset, Offset: 9}, ""},
		{"offset 0", order(2), callbacks.Start{From: callbacks.FromOffset}, ""},
		{"timestamp", order(2), callbacks.Start{From: callbacks.FromTimestamp, Time: noon}, ""},
		{"not added", order(3), callbacks.Start{}, "set the start of orders-3: not the member's partition"},
		{"negative", order(1), callbacks.Start{From: callbacks.FromOffset, Offset: -1}, "set the start of orders-1: offset -1 is negative"},
		{"kind forgotten", order(1), callbacks.Start{Offset: 9}, "set the start of orders-1: offset 9 is set, but the start is from committed"},
		{"kind forgotten, time", order(1), callbacks.Start{From: callbacks.FromOffset, Time: noon}, "set the start of orders-1: a time is set, but the start is from offset"},
		{"no time", order(1), callbacks.Start{From: callbacks.FromTimestamp}, "set the start of orders-1: the start is from a timestamp, but no time is set"},
		{"no kind", order(1), callbacks.Start{From: 9}, "set the start of orders-1: From(9) is no kind of start"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := assignment(1, 2)
			want := map[strategy.TopicPartition]callbacks.Start{order(1): {From: callbacks.FromLatest}}
			if err := a.SetStart(order(1), want[order(1)]); err != nil {
				t.Fatal(err)
			}
			err := a.SetStart(test.p, test.start)
			if test.want == "" {
				want[test.p] = test.start
				if err != nil {
					t.Errorf("got error %v", err)
				}
			} else if err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %s", err, test.want)
			}
			if got := a.End(); !maps.Equal(got, want) {
				t.Errorf("starts: got %v, want %v", got, want)
			}
		})
	}
}

func TestSetStartAfterEnd(t *testing.T) {
	a := assignment(1)
	if got := a.End(); len(got) != 0 {
		t.Errorf("starts that nobody set: %v", got)
	}
	err := a.SetStart(order(1), callbacks.Start{})
	if !errors.Is(err, callbacks.ErrEnded) {
		t.Errorf("got %v, want ErrEnded", err)
	}
	if pe, ok := errors.AsType[*callbacks.PartitionError](err); !ok || pe.Partition != order(1) {
		t.Errorf("got %v, want a PartitionError of orders-1", err)
	}
}

func TestSetStartConcurrently(t *testing.T) {
	a := assignment(0, 1, 2, 3, 4, 5, 6, 7)
	var running sync.WaitGroup
	for p := range callbacks.Each(a.Added) {
		running.Go(func() {
			if err := a.SetStart(p, callbacks.Start{From: callbacks.FromOffset, Offset: int64(p.Partition)}); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if starts := a.End(); len(starts) != 8 || starts[order(5)].Offset != 5 {
		t.Errorf("got %v", starts)
	}
}

func TestEach(t *testing.T) {
	list := append(orders(4, 2), strategy.TopicPartitions{Topic: "payments", Partitions: []int32{0}})
	want := []strategy.TopicPartition{order(4), order(2), {Topic: "payments"}}
	if got := slices.Collect(callbacks.Each(list)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for p := range callbacks.Each(list) {
		if p != order(4) {
			t.Errorf("went on to %v", p)
		}
		break
	}
}

func TestFromString(t *testing.T) {
	for from, want := range map[callbacks.From]string{
		callbacks.FromCommitted: "committed", callbacks.FromTimestamp: "timestamp", callbacks.FromOffset: "offset", -1: "From(-1)",
	} {
		if got := from.String(); got != want {
			t.Errorf("%d: got %s, want %s", int(from), got, want)
		}
	}
}
