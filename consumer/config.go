package consumer

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/handover"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// Config says what to consume and how. Group, Topics and Brokers are needed; everything else has a default, which is that of the zero
// value. It is copied by [New]; what its slices, maps and interfaces refer to must not be changed afterwards.
type Config struct {
	Brokers []string // addresses to begin with, host:port
	Group   string
	Topics  []string // one that does not exist yet is waited for

	// Assignors can decide who gets what, the most wanted first; the group uses the first that all its members have. The group runs
	// cooperatively only if all of them are cooperative. What one of them answers is validated; where it fails, panics or takes longer
	// than AssignTimeout, another answer takes its place. Nil: sticky, cooperative.
	Assignors []strategy.Assignor
	// AssignTimeout bounds the making of a plan, when this member leads the group. A [*strategy.FallbackAssignor] shares it out among its own
	// assignors, and logs to Logger if it has none. Others wait for the plan, and the brokers for no longer than RebalanceTimeout. 0: 10 s, or a third of RebalanceTimeout if
	// that is less.
	AssignTimeout time.Duration

	Callbacks callbacks.Callbacks // may be nil
	// RetryAssign says what happens when OnAssign fails: false ends Run with its error; true revokes the partitions and assigns them
	// again, a little later each time, until it succeeds, they are gone, or the end begins.
	RetryAssign bool

	// InstanceID makes the member a static one: it keeps its partitions through a restart. Every process needs one of its own. A static
	// member does not leave the group when it ends, unless LeaveOnClose is set.
	InstanceID   string
	LeaveOnClose bool
	Labels       map[string]string // for assignors that look at them; see [ErrSticky]
	Capacity     int32             // how much this member can take, relative to others; see [ErrSticky]. 0: 1

	SessionTimeout    time.Duration // silence after which the group gives the member up; brokers bound it (6 s to 30 min by default). 0: 45 s
	RebalanceTimeout  time.Duration // how long the group waits for a member to give up what it has to, callbacks included. 0: 60 s
	HeartbeatInterval time.Duration // between two heartbeats. 0: 3 s

	// Signals is how it is measured what assignors look at while the group runs.
	Signals Signals

	// HandOver is how partitions move between members of a cooperative group. It is on by default.
	HandOver HandOver

	Commits        CommitMode
	CommitInterval time.Duration // between automatic commits. 0: 1 s

	// Start is where a partition starts of which the group has committed no offset, from the earliest record if it is zero. Partitions
	// that were added to a topic while it was consumed start at the earliest in any case.
	Start callbacks.Start
	// OutOfRange says where to go on when the offset to read does not exist (any more). It is always reported.
	OutOfRange OutOfRange

	Failure FailurePolicy // of a handler

	// RevokeTimeout bounds how long a revoked partition's handler may go on with the record that it is in. Then its context is cancelled, and if
	// it does not return within a second, the partition is lost. 0: half of RebalanceTimeout.
	RevokeTimeout time.Duration
	// StuckAfter is how long a handler may work on one call before it is reported as stuck, which makes the member not ready. 0: 5 minutes.
	StuckAfter time.Duration
	// StalledAfter is how long a partition may stay unread without any error: its broker does not answer, or keeps back what it has. Then its
	// reading is begun anew, which is reported; until it is read, the member is not ready. It has to be longer than a broker may wait
	// for records, Consumer.MaxWaitTime of Sarama's configuration. 0: 30 s.
	StalledAfter time.Duration
	// LeaveWhenStuck ends Run with a [*StuckError] when a handler is stuck, so that somebody else gets the member's partitions.
	LeaveWhenStuck bool
	// CloseTimeout bounds the end: handlers, callbacks, last commits, leaving the group. 0: 30 s.
	CloseTimeout time.Duration

	// TopicInterval is the time between two looks for new topics and partitions. 0: 10 s.
	TopicInterval time.Duration

	// A batch is counted when it has been decompressed, which Sarama does whole: for that moment it takes what it takes, however well it was
	// compressed. Topics to which strangers write want the brokers' max.message.bytes small.
	PartitionBuffer int64 // bytes of records of one partition read ahead. 0: 4 MiB
	Buffer          int64 // of all partitions together. 0: 256 MiB

	Observer Observer     // is told what happens; may be nil
	Logger   *slog.Logger // nil: slog.Default()
	// Trace is written a JSON line for every rebalance, in one call of Write each, as assignctl simulate --trace reads them; see
	// docs/traces.md. May be nil. Assignors that are [Specified] are named in it by what they were made of.
	Trace io.Writer

	// Sarama has the connections' settings (TLS, SASL, proxy, client id, rack, version, timeouts) and those of fetching. It is copied. What
	// it says beside that is honoured as well, where Config has no value of its own, or refused: see [SaramaError]. Nil: Sarama's
	// defaults, with the newest version.
	Sarama *sarama.Config
}

// HandOver is how partitions move: announced by the leader, processed by their old owner until the new one has read ahead, so that
// they are not away meanwhile; see docs/hand-over.md. Close moves a member's partitions away in the same manner before it leaves. Members of
// other libraries, and members that have it off, are in the group as ever.
type HandOver struct {
	Off bool
	// After is the time between the assignment that announces a move and the round that makes it, for the new owner to connect and read
	// ahead; Grace is how much longer the old owner goes on while others join that round. They are those of the member that leads. 0: 400 ms
	// and 60 ms.
	After, Grace time.Duration
}

// CommitMode says who commits.
type CommitMode uint8

// The modes there are.
const (
	CommitAuto   CommitMode = iota // the consumer: at intervals, before partitions go, and at the end
	CommitManual                   // the application
)

// OutOfRange says where to go on when the offset to read is not in the log: because the records were deleted before they were
// read, or because the log was truncated or made anew.
type OutOfRange uint8

// The ways there are.
const (
	OutOfRangeEarliest OutOfRange = iota // at the first record there is: misses none that is there
	OutOfRangeLatest                     // at the next record to come
	OutOfRangeFail                       // nowhere: Run ends with an error
)

// validate fills defaults in, and reports all that is wrong.
func (c *Config) validate() error {
	var errs []error
	if c.Group == "" {
		errs = append(errs, errors.New("consumer: no group name; set Config.Group"))
	}
	if len(c.Brokers) == 0 {
		errs = append(errs, errors.New("consumer: no brokers; set Config.Brokers to their addresses, host:port"))
	}
	if len(c.Topics) == 0 {
		errs = append(errs, errors.New("consumer: no topics; set Config.Topics"))
	}
	for _, b := range c.Brokers {
		if _, _, err := net.SplitHostPort(b); err != nil {
			errs = append(errs, fmt.Errorf("consumer: Brokers: %q is no address; host:port is wanted, as in localhost:9092", b))
		}
	}
	for _, t := range c.Topics {
		if err := checkTopic(t); err != nil {
			errs = append(errs, err)
		}
	}
	if c.Assignors == nil {
		c.Assignors = []strategy.Assignor{strategy.Cooperative(sticky.Assignor{})}
	}
	errs = append(errs, c.checkAssignors(), c.checkChoices())
	if err := c.fromSarama(); err != nil {
		errs = append(errs, err)
	}
	if c.RebalanceTimeout == 0 {
		c.RebalanceTimeout = time.Minute
	}
	errs = append(errs, c.Signals.validate(c.RebalanceTimeout))
	for _, d := range []struct {
		name        string
		value       *time.Duration
		zero, least time.Duration
	}{
		{"AssignTimeout", &c.AssignTimeout, max(time.Millisecond, min(10*time.Second, c.RebalanceTimeout/3)), time.Millisecond},
		{"SessionTimeout", &c.SessionTimeout, 45 * time.Second, time.Millisecond},
		{"RebalanceTimeout", &c.RebalanceTimeout, time.Minute, time.Millisecond},
		{"HeartbeatInterval", &c.HeartbeatInterval, 3 * time.Second, time.Millisecond},
		{"CommitInterval", &c.CommitInterval, time.Second, time.Millisecond},
		{"RevokeTimeout", &c.RevokeTimeout, c.RebalanceTimeout / 2, time.Millisecond},
		{"HandOver.After", &c.HandOver.After, handover.After, time.Millisecond},
		{"HandOver.Grace", &c.HandOver.Grace, handover.Grace, time.Millisecond},
		{"StuckAfter", &c.StuckAfter, 5 * time.Minute, time.Millisecond},
		{"StalledAfter", &c.StalledAfter, 30 * time.Second, time.Millisecond},
		{"CloseTimeout", &c.CloseTimeout, 30 * time.Second, time.Millisecond},
		{"TopicInterval", &c.TopicInterval, 10 * time.Second, 10 * time.Millisecond},
		{"Failure.Backoff", &c.Failure.Backoff, 100 * time.Millisecond, time.Microsecond},
		{"Failure.MaxBackoff", &c.Failure.MaxBackoff, 10 * time.Second, time.Microsecond},
	} {
		if *d.value == 0 {
			*d.value = d.zero
		}
		if *d.value < d.least {
			errs = append(errs, fmt.Errorf("consumer: %s is %v; the least is %v", d.name, *d.value, d.least))
		}
	}
	if c.HeartbeatInterval > 0 && c.SessionTimeout > 0 && c.HeartbeatInterval >= c.SessionTimeout {
		errs = append(errs, fmt.Errorf("consumer: HeartbeatInterval %v has to be shorter than SessionTimeout %v, a third of it or less", c.HeartbeatInterval, c.SessionTimeout))
	}
	if wait := c.saramaConfig().Consumer.MaxWaitTime; c.StalledAfter > 0 && c.StalledAfter <= wait {
		errs = append(errs, fmt.Errorf("consumer: StalledAfter is %v; it has to be longer than the %v that a broker may wait for records", c.StalledAfter, wait))
	}
	if c.PartitionBuffer < 0 || c.Buffer < 0 {
		errs = append(errs, errors.New("consumer: PartitionBuffer and Buffer are numbers of bytes, not negative"))
	}
	if c.Callbacks == nil {
		c.Callbacks = callbacks.Funcs{}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Topics = slices.Clone(c.Topics)
	slices.Sort(c.Topics)
	c.Topics = slices.Compact(c.Topics)
	return errors.Join(errs...)
}

func (c *Config) checkAssignors() error {
	var errs []error
	seen := map[string]bool{}
	for i, a := range c.Assignors {
		switch {
		case a == nil:
			errs = append(errs, fmt.Errorf("consumer: Assignors[%d] is nil", i))
		case seen[a.Name()]:
			errs = append(errs, fmt.Errorf("consumer: two assignors have the name %q on the wire", a.Name()))
		default:
			seen[a.Name()] = true
		}
	}
	if seen[protocol.StickyName] && (len(c.Labels) > 0 || c.Capacity > 1) {
		errs = append(errs, ErrSticky)
	}
	if len(c.Assignors) == 0 {
		errs = append(errs, errors.New("consumer: Assignors is empty; nil is the default"))
	}
	return errors.Join(errs...)
}

func (c *Config) checkChoices() error {
	var errs []error
	if c.Commits > CommitManual {
		errs = append(errs, fmt.Errorf("consumer: Commits is %d, which is no CommitMode", c.Commits))
	}
	if c.OutOfRange > OutOfRangeFail {
		errs = append(errs, fmt.Errorf("consumer: OutOfRange is %d, which is no such way", c.OutOfRange))
	}
	if c.Capacity < 0 {
		errs = append(errs, fmt.Errorf("consumer: Capacity is %d; the least is 1", c.Capacity))
	}
	if c.Start.From == callbacks.FromCommitted {
		if c.Start != (callbacks.Start{}) {
			errs = append(errs, errors.New("consumer: Start has an offset or a time, but says from committed"))
		}
		c.Start.From = callbacks.FromEarliest
	}
	if err := c.Start.Check(); err != nil {
		errs = append(errs, fmt.Errorf("consumer: Start: %w", err))
	}
	return errors.Join(append(errs, c.Failure.check())...)
}

// checkTopic refuses what no topic can be called.
func checkTopic(name string) error {
	ok := name != "" && name != "." && name != ".." && len(name) <= 249
	for _, r := range name {
		ok = ok && (r == '.' || r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	if !ok {
		return fmt.Errorf("consumer: %q is no name of a topic: letters, digits, dots, dashes and underscores, 249 at most", name)
	}
	return nil
}
