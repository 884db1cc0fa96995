package membership

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// Config says who the member is and how patient. Durations that are 0 are the defaults.
type Config struct {
	Group      string
	ClientID   string // the beginning of the member id that the coordinator makes
	InstanceID string // of a static member; "" for a dynamic one
	Rack       string

	// Offers are the assignors that the member can work with, most wanted first; at least one.
	Offers []Offer
	// Labels and Capacity are told to the leader's assignor; a capacity of 0 is 1. They are refused beside an offer of Java's sticky, which
	// has no room for them.
	Labels   map[string]string
	Capacity int32

	// Started is when the member began, by the clock on the wall. It is told to leaders only as [UserData] asks, since it makes what a
	// static member says after a restart differ from what it said before, which costs a rebalance.
	Started time.Time

	// HandOver has the member do as the leader announces: it works on what it is to give up until others have joined, prepares for what is to
	// come, and moves its partitions away before it leaves. It needs assignors that are all cooperative, and says nothing else.
	HandOver bool

	Session   time.Duration // silence after which the coordinator gives the member up; 45 s
	Rebalance time.Duration // for leaving one assignment and joining the next; 60 s
	Heartbeat time.Duration // between heartbeats; 3 s
	Request   time.Duration // for the answer to a request that does not wait for other members; 30 s
	Leave     time.Duration // for the end of callbacks, last commits and the farewell once the member is to leave; 30 s

	// UserData is how long a join waits at most for what assignors send along. If it is set, the driver owes a [UserData] after [Start] and after
	// each [Output.Assigned]; a join that has waited in vain says nothing of theirs. 0: no join waits.
	UserData time.Duration

	// Retries wait from RetryMin (100 ms) doubling up to RetryMax (1 s), each a fifth longer or shorter as Seed decides.
	RetryMin, RetryMax time.Duration
	Seed               uint64

	bug string // a deliberate fault, for the tests that have to find it
}

// An Offer is an assignor that the member can work with.
type Offer struct {
	Name     string // on the wire
	Protocol strategy.Protocol
	UserData []byte // what the assignor sends along with the subscription; see [Subscribe] for changing it
}

// Errors of a configuration; [New] joins all that apply.
var (
	ErrNoGroup  = errors.New("membership: no group")
	ErrNoOffers = errors.New("membership: no assignors")
	// ErrSticky is also that of [Output.Refused].
	ErrSticky = errors.New("membership: the wire name \"sticky\" has no room for labels, capacity or draining; offer an assignor of another name instead")
)

func (c *Config) validate() error {
	var errs []error
	if c.Group == "" {
		errs = append(errs, ErrNoGroup)
	}
	if len(c.Offers) == 0 {
		errs = append(errs, ErrNoOffers)
	}
	if c.sticky() && (len(c.Labels) > 0 || c.Capacity > 1) {
		errs = append(errs, ErrSticky)
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{
		{"session", &c.Session, 45 * time.Second},
		{"rebalance", &c.Rebalance, time.Minute},
		{"heartbeat", &c.Heartbeat, 3 * time.Second},
		{"request", &c.Request, 30 * time.Second},
		{"leave", &c.Leave, 30 * time.Second},
		{"least retry", &c.RetryMin, 100 * time.Millisecond},
		{"longest retry", &c.RetryMax, time.Second},
	} {
		if *d.value < 0 {
			errs = append(errs, fmt.Errorf("membership: the %s time of %v is negative", d.name, *d.value))
		}
		if *d.value == 0 {
			*d.value = d.zero
		}
	}
	if c.Heartbeat >= c.Session {
		errs = append(errs, fmt.Errorf("membership: a heartbeat each %v is too seldom for sessions of %v", c.Heartbeat, c.Session))
	}
	return errors.Join(errs...)
}

// sticky says whether the member offers Java's sticky.
func (c *Config) sticky() bool {
	return slices.ContainsFunc(c.Offers, func(o Offer) bool { return o.Name == protocol.StickyName })
}

// protocol is cooperative if the member keeps what it owns while it joins: only if every assignor that it offers is made for that.
func (c *Config) protocol() strategy.Protocol {
	if slices.ContainsFunc(c.Offers, func(o Offer) bool { return o.Protocol != strategy.ProtocolCooperative }) {
		return strategy.ProtocolEager
	}
	return strategy.ProtocolCooperative
}

func (c *Config) cooperative() bool { return c.protocol() == strategy.ProtocolCooperative }

// handsOver says whether the member takes part in hand-overs.
func (c *Config) handsOver() bool { return c.HandOver && c.cooperative() }

// backoff is how long to wait before retry number attempt, from 1.
func (c *Config) backoff(attempt int, salt uint64) time.Duration {
	d := c.RetryMin
	for i := 1; i < attempt && d < c.RetryMax; i++ {
		d *= 2
	}
	d = min(d, c.RetryMax)
	x := c.Seed + salt*0x9e3779b97f4a7c15 + uint64(attempt) // splitmix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return d*4/5 + time.Duration(x%1024)*d*2/5/1024
}

// backoffPart is a part of d, from nothing to all of it, as the seed decides.
func (c *Config) backoffPart(d time.Duration, salt uint64) time.Duration {
	one := Config{RetryMin: time.Second, RetryMax: time.Second, Seed: c.Seed}
	return time.Duration(float64(d) * (one.backoff(1, salt).Seconds() - 0.8) / 0.4)
}
