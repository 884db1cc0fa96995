package callbacks_test

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// A counter is the state of a partition in the tests.
type counter struct{ n int }

// A store stands for the database that outlives members, and has faults.
type store struct {
	mu      sync.Mutex
	saved   map[strategy.TopicPartition]int
	faults  map[strategy.TopicPartition]string // "error" or "panic", of loading and saving
	loaded  map[*counter]bool                  // neither saved nor dropped yet
	dropped int
}

func (s *store) fault(p strategy.TopicPartition) error {
	switch s.faults[p] {
	case "error":
		return io.ErrUnexpectedEOF
	case "panic":
		panic("fault")
	}
	return nil
}

func (s *store) load(_ context.Context, _ *callbacks.Assignment, p strategy.TopicPartition) (*counter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fault(p); err != nil {
		return nil, err
	}
	c := &counter{n: s.saved[p]}
	s.loaded[c] = true
	return c, nil
}

// settle notes that a value was saved or dropped.
func (s *store) settle(c *counter) {
	if !s.loaded[c] {
		panic("saved or dropped, but not loaded, or twice")
	}
	delete(s.loaded, c)
}

func (s *store) save(_ context.Context, _ *callbacks.Revocation, p strategy.TopicPartition, c *counter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(c)
	if err := s.fault(p); err != nil {
		return err
	}
	s.saved[p] = c.n
	return nil
}

func (s *store) drop(_ strategy.TopicPartition, c *counter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(c)
	s.dropped++
}

// history drives a PartitionState through what a host may do, with two maps as the model: what is held, and what is saved.
type history struct {
	state *callbacks.PartitionState[*counter]
	store *store
	owned map[strategy.TopicPartition]bool
	held  map[strategy.TopicPartition]int
	saved map[strategy.TopicPartition]int
}

func newHistory(concurrency int) *history {
	s := &store{saved: map[strategy.TopicPartition]int{}, loaded: map[*counter]bool{}}
	return &history{
		store: s,
		state: &callbacks.PartitionState[*counter]{Load: s.load, Save: s.save, Drop: s.drop, Concurrency: concurrency},
		owned: map[strategy.TopicPartition]bool{}, held: map[strategy.TopicPartition]int{}, saved: map[strategy.TopicPartition]int{},
	}
}

const universe = 6 // partitions orders-0 to orders-5

// some draws a subset, not empty, of those partitions that are owned or not; and faults for some.
func (h *history) some(t *rapid.T, owned bool) []int32 {
	var list []int32
	h.store.faults = map[strategy.TopicPartition]string{}
	for p := range int32(universe) {
		if h.owned[order(p)] == owned && rapid.Bool().Draw(t, "take "+strconv.Itoa(int(p))) {
			list = append(list, p)
			h.store.faults[order(p)] = rapid.SampledFrom([]string{"", "", "", "error", "panic"}).Draw(t, "fault")
		}
	}
	if len(list) == 0 {
		t.Skip("nothing drawn")
	}
	return list
}

// context draws one that has ended, or one that has not.
func (h *history) context(t *rapid.T) (ctx context.Context, ended bool) {
	ctx, cancel := context.WithCancel(context.Background())
	ended = rapid.IntRange(0, 4).Draw(t, "ended") == 0
	if ended {
		cancel()
	}
	t.Cleanup(cancel)
	return ctx, ended
}

// wantErrors checks that err is about just the partitions that are at fault, in order.
func wantErrors(t *rapid.T, err error, op string, bad []int32) {
	var got, want []string
	if err != nil {
		for one := range strings.SplitSeq(err.Error(), "\n") {
			about, _, _ := strings.Cut(one, ":")
			got = append(got, about)
		}
	}
	for _, p := range bad {
		want = append(want, op+" orders-"+strconv.Itoa(int(p)))
	}
	if strings.Join(got, ",") != strings.Join(want, ",") {
		t.Fatalf("errors of %v, want %v: %v", got, want, err)
	}
}

func (h *history) assign(t *rapid.T) {
	list := h.some(t, false)
	ctx, ended := h.context(t)
	var bad []int32
	for _, p := range list {
		h.owned[order(p)] = true
		if ended || h.store.faults[order(p)] != "" {
			bad = append(bad, p)
			continue
		}
		h.held[order(p)] = h.saved[order(p)]
	}
	wantErrors(t, h.state.Assigned(ctx, assignment(list...)), "load", bad)
}

func (h *history) revoke(t *rapid.T) {
	list := h.some(t, true)
	ctx, ended := h.context(t)
	var bad []int32
	for _, p := range list {
		delete(h.owned, order(p))
		n, ok := h.held[order(p)]
		delete(h.held, order(p))
		switch {
		case !ok:
		case ended || h.store.faults[order(p)] != "":
			bad = append(bad, p)
		default:
			h.saved[order(p)] = n
		}
	}
	wantErrors(t, h.state.Revoked(ctx, revocation(list...)), "save", bad)
}

func (h *history) lose(t *rapid.T) {
	list := h.some(t, true)
	ctx, _ := h.context(t)
	for _, p := range list {
		delete(h.owned, order(p))
		delete(h.held, order(p))
	}
	wantErrors(t, h.state.Lost(ctx, loss(list...)), "drop", nil)
}

// handle is a handler at work, concurrently on all partitions.
func (h *history) handle(*rapid.T) {
	var running sync.WaitGroup
	for p := range int32(universe) {
		if _, ok := h.held[order(p)]; ok {
			h.held[order(p)]++
		}
		running.Go(func() {
			if c, ok := h.state.Get(order(p)); ok {
				c.n++
			}
		})
	}
	running.Wait()
}

func (h *history) check(t *rapid.T) {
	for p := range int32(universe) {
		c, ok := h.state.Get(order(p))
		n, want := h.held[order(p)]
		if ok != want || ok && c.n != n {
			t.Fatalf("Get(orders-%d) = %+v, %v; want %d, %v", p, c, ok, n, want)
		}
		if h.store.saved[order(p)] != h.saved[order(p)] {
			t.Fatalf("saved of orders-%d is %d, want %d", p, h.store.saved[order(p)], h.saved[order(p)])
		}
	}
	if len(h.store.loaded) != len(h.held) {
		t.Fatalf("%d values are neither saved nor dropped, want %d", len(h.store.loaded), len(h.held))
	}
}

func TestPartitionStateHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(rapid.IntRange(0, 3).Draw(t, "concurrency"))
		t.Repeat(map[string]func(*rapid.T){"assign": h.assign, "revoke": h.revoke, "lose": h.lose, "handle": h.handle, "": h.check})
	})
}
