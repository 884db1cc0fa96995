package consumer_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A talker is an assignor that is told and asked what a test has it do.
type talker struct {
	strategy.Assignor
	userData func() ([]byte, error)
	received func(strategy.Received)
	assigns  func(*strategy.Group)
}

func (k *talker) Unwrap() strategy.Assignor         { return k.Assignor }
func (k *talker) UserData([]string) ([]byte, error) { return k.userData() }

func (k *talker) OnAssignment(r strategy.Received) {
	if k.received != nil {
		k.received(r)
	}
}

func (k *talker) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if k.assigns != nil {
		k.assigns(g)
	}
	return k.Assignor.Assign(ctx, g)
}

func newTalker() *talker {
	return &talker{Assignor: strategy.Cooperative(sticky.Assignor{}), userData: func() ([]byte, error) { return nil, nil }}
}

// TestSlowUserData has an assignor take its time to say what it sends along with a join. Meanwhile the member does all it does otherwise.
func TestSlowUserData(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	k := newTalker()
	release := make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	var asked atomic.Int32
	k.userData = func() ([]byte, error) {
		if asked.Add(1) == 2 { // behind the first assignment
			<-release
		}
		return nil, nil
	}
	cfg.Assignors = []strategy.Assignor{k}
	a := start(t, "a", cfg, nil)
	a.waitRecords(10)
	a.polls("commits", func() bool {
		return !slices.ContainsFunc(a.Stats().Partitions, func(p consumer.PartitionStats) bool { return p.Committed != 5 })
	})
	if asked.Load() != 2 {
		t.Fatalf("it was asked %d times", asked.Load())
	}
	free()
	a.closes()
}

// TestUserDataIsOfTheLastAssignment has an assignor say in which generation it was told of an assignment last, after a while. The leader sees with
// each join what was said about the assignment before it, in every round.
func TestUserDataIsOfTheLastAssignment(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 6, Records: []int{5}})
	var rounds atomic.Int32
	member := func(name string) *member {
		cfg := config(cluster.Addrs(), "g", "orders")
		cfg.HandOver.Off = true // the second round of a move comes at once
		k := newTalker()
		last := strategy.NoGeneration // not locked: the calls are made one after another
		k.received = func(r strategy.Received) { last = r.Generation }
		k.userData = func() ([]byte, error) {
			time.Sleep(50 * time.Millisecond)
			return strconv.AppendInt(nil, int64(last), 10), nil
		}
		k.assigns = func(g *strategy.Group) {
			rounds.Add(1)
			for _, m := range g.Members {
				if want := strconv.Itoa(int(m.Generation)); string(m.UserData) != want {
					t.Errorf("in generation %d %s says %q, and was told of %s last", g.Generation, m.ID, m.UserData, want)
				}
			}
		}
		cfg.Assignors = []strategy.Assignor{k}
		return start(t, name, cfg, nil)
	}
	a := member("a")
	a.waitOwned(6)
	b := member("b")
	a.waitOwned(3)
	b.waitOwned(3)
	b.closes()
	a.waitOwned(6)
	if rounds.Load() < 4 {
		t.Errorf("there were %d rounds", rounds.Load())
	}
}

// TestToldBeforeCallbacks has an assignor take its time to hear of an assignment: the application hears of it afterwards.
func TestToldBeforeCallbacks(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	cfg := config(cluster.Addrs(), "g", "orders")
	k := newTalker()
	var told atomic.Bool
	k.received = func(strategy.Received) {
		time.Sleep(100 * time.Millisecond)
		told.Store(true)
	}
	cfg.Assignors = []strategy.Assignor{k}
	cfg.Callbacks = callbacks.Funcs{OnAssign: func(context.Context, *callbacks.Assignment) error {
		if !told.Load() {
			t.Error("partitions are assigned, and the assignor was not told")
		}
		return nil
	}}
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
}

// TestAssignorThatDoesNotReturn has an assignor that never says what it sends along: its member joins and works all the same, and others find a
// place.
func TestAssignorThatDoesNotReturn(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	k := newTalker()
	forever := make(chan struct{})
	defer close(forever)
	var asked atomic.Int32
	k.userData = func() ([]byte, error) {
		asked.Add(1)
		<-forever
		return nil, nil
	}
	cfg.Assignors = []strategy.Assignor{k}
	var logged logged
	cfg.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitOwned(1)
	b.waitOwned(1)
	onceEach(t, 10, a, b)
	a.closes()
	if n := logged.count("an assignor does not return"); n != 1 || asked.Load() != 1 {
		t.Errorf("it was asked %d times, and %d lines are logged about it", asked.Load(), n)
	}
	embeddedtest.Eventually(t, "b has all", func() bool { return len(b.Owned()) == 1 && strategy.Count(b.Owned()) == 2 })
}

// logged keeps what is logged.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// count counts the lines that say something.
func (l *logged) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}
