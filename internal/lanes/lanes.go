package lanes

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/membership"
)

// slack is what a join may take beyond the rebalance timeout before its connection counts as dead. It is more than the machine grants, so
// that the machine is who decides.
const slack = 10 * time.Second

// errClosed is why requests end that are under way when lanes are closed.
var errClosed = errors.New("lanes: closed")

// Config says where the lanes lead. All fields but Seeds and Logger are needed.
type Config struct {
	// Client knows the brokers, and its Config how to connect: Version, which is 2.4 or newer, Net and ClientID. It is not asked to
	// connect, and not closed.
	Client sarama.Client
	Group  string
	// Seeds are addresses at which brokers may be, beside those that the client knows.
	Seeds     []string
	Rebalance time.Duration // an answer to a join or a sync may take that long
	Request   time.Duration // any other answer, and making a connection
	Logger    *slog.Logger  // nil: none
}

// Lanes are a member's connections to its group's coordinator and to whoever knows that. Methods are safe for concurrent use.
type Lanes struct {
	cfg     Config
	deliver func(Delivery)
	lanes   [3]*lane
	offsets fetcher // for who is to read on there
	lags    fetcher // for who only wants to know
	ended   context.Context
	end     context.CancelCauseFunc
	running sync.WaitGroup

	mu     sync.Mutex
	addrs  map[int32]string // of coordinators, as answers told
	known  []string         // the client's brokers, when it knew any
	turn   int              // whose turn it is to be asked first
	errs   [3]error         // what broke each lane, nil when it works again
	latest membership.Lane  // the last that broke
}

// A Delivery is an input for the machine. It counts only while it is [Lanes.Current].
type Delivery struct {
	Input membership.Input // Replied or Disconnected
	lane  membership.Lane
	epoch uint64
}

// New returns lanes without connections: they are made when they are needed. deliver is called for each answer, on a goroutine of the lane
// that it came by, which waits for it; not any more once Close has returned.
func New(cfg Config, deliver func(Delivery)) *Lanes {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Lanes{cfg: cfg, deliver: deliver, addrs: map[int32]string{}}
	l.ended, l.end = context.WithCancelCause(context.Background())
	l.offsets = fetcher{lanes: l, stable: true, turn: make(chan struct{}, 1)}
	l.lags = fetcher{lanes: l, turn: make(chan struct{}, 1)}
	for i := range l.lanes {
		l.lanes[i] = newLane(l, membership.Lane(i))
		l.running.Go(l.lanes[i].run)
	}
	return l
}

// Send sends a request when those before it in its lane are answered. It does not block.
func (l *Lanes) Send(r membership.Request) { l.lanes[r.Lane].add(r) }

// Warm connects the lane of commits to the coordinator beforehand, so that the first commit does not wait for that. It does not block, and
// nothing is delivered for it; if it fails, the commit tries again.
func (l *Lanes) Warm(node int32) {
	l.lanes[membership.Offsets].add(membership.Request{Lane: membership.Offsets, Node: node})
}

// Break breaks a lane's connection and drops its requests. It does not wait. Nothing is delivered for them; what was delivered before is
// not current any more.
func (l *Lanes) Break(lane membership.Lane) { l.lanes[lane].cut() }

// Current reports that the lane has not been broken since d was delivered. It is for who steps the machine, just before that.
func (l *Lanes) Current(d Delivery) bool { return l.lanes[d.lane].at() == d.epoch }

// LastError returns what broke the lane that broke last, or nil if that works again.
func (l *Lanes) LastError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.errs[l.latest]
}

// Close breaks all connections and waits until nothing is under way any more, not even a call of deliver.
func (l *Lanes) Close() {
	l.end(errClosed)
	for _, lane := range l.lanes {
		lane.cut()
	}
	l.running.Wait()
	l.offsets.close()
	l.lags.close()
}

// came notes how a lane does.
func (l *Lanes) came(lane membership.Lane, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs[lane] = err
	if err != nil {
		l.latest = lane
	}
}
