package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/protobuf/proto"

	"github.com/assignkit/assignkit/plugin/internal/wire"
	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// A description is what a plugin says of itself.
type description struct {
	name         string // on Kafka's wire
	version      string
	protocol     strategy.Protocol
	onAssignment bool
	userData     bool
	signals      []string // that it looks at, sorted, none twice
}

// nameSize is the most that is kept of a name or version that a plugin has sent, which is more than any may have.
const nameSize = 300

func described(r *pluginproto.DescribeResponse) description {
	d := description{name: printable(r.GetName(), nameSize), version: printable(r.GetVersion(), nameSize), onAssignment: r.GetOnAssignment(), userData: r.GetUserData()}
	if r.GetRebalanceProtocol() == pluginproto.RebalanceProtocol_REBALANCE_PROTOCOL_COOPERATIVE {
		d.protocol = strategy.ProtocolCooperative
	}
	for _, name := range r.GetSignals()[:min(len(r.GetSignals()), maxSignals+1)] { // one more than check allows
		d.signals = append(d.signals, printable(name, nameSize))
	}
	slices.Sort(d.signals)
	d.signals = slices.Compact(d.signals)
	return d
}

// check refuses what no lock could hold.
func (d description) check() error {
	if !wireName.MatchString(d.name) {
		return fmt.Errorf("its assignor's name %q is not one of 1 to 249 letters, digits, \".\", \"_\" and \"-\"", d.name)
	}
	return checkSignals(d.signals)
}

// maxSignals is how many signals a plugin may look at.
const maxSignals = 64

// checkSignals checks names of signals, which are sorted.
func checkSignals(names []string) error {
	if len(names) > maxSignals {
		return fmt.Errorf("it looks at %d signals or more, and %d are the most", len(names), maxSignals)
	}
	for i, name := range names {
		switch {
		case !wireName.MatchString(name):
			return fmt.Errorf("the name of its signal %q is not one of 1 to 249 letters, digits, \".\", \"_\" and \"-\"", name)
		case i > 0 && names[i-1] >= name:
			return fmt.Errorf("its signals %q and %q are not in order, or are one", names[i-1], name)
		}
	}
	return nil
}

// equal says whether two descriptions say the same.
func (d description) equal(other description) bool {
	return d.name == other.name && d.version == other.version && d.protocol == other.protocol && d.onAssignment == other.onAssignment &&
		d.userData == other.userData && slices.Equal(d.signals, other.signals)
}

// An Assignor is a plugin as an assignor, taken from a [Catalog] or made by [Unlocked]. It is safe for concurrent use.
//
// Assign starts the plugin if it does not run, and returns shortly before the deadline of the context, so that who waits for that hears why, or at the end of
// [Config.CallTimeout] if that is sooner: with an answer, which is not validated yet, or an [*Error]. A plugin that has not answered by then is killed, as it
// might compute for ever. Where the context is cancelled the plugin is not to blame: it ends when it has answered its other callers, and the next call starts
// another process. Assign is meant to be wrapped in a [strategy.Fallback], which validates what it answers and asks another assignor where it fails.
//
// It is a [strategy.UserDataProvider], a [strategy.Notifier] and a [strategy.SignalUser] in any case, which say and do nothing if the plugin is not.
type Assignor struct {
	supervisor *supervisor
	said       description
	timeouts   timeouts
	release    func() error
	notices    notices
	closing    sync.Once
	closed     atomic.Bool
}

// timeouts bound calls.
type timeouts struct{ call, notice time.Duration }

func newAssignor(s *supervisor, said description, cfg Config, release func() error) *Assignor {
	return &Assignor{supervisor: s, said: said, timeouts: timeouts{cfg.CallTimeout, cfg.NoticeTimeout}, release: release}
}

// Name returns the plugin's name on Kafka's wire, which the lock file has.
func (a *Assignor) Name() string { return a.said.name }

// Protocol returns the protocol that the plugin's groups rebalance with.
func (a *Assignor) Protocol() strategy.Protocol { return a.said.protocol }

// Spec returns what the assignor is called in specifications.
func (a *Assignor) Spec() string { return "plugin:" + a.supervisor.name }

// Stats says how the plugin does.
func (a *Assignor) Stats() Stats { return a.supervisor.snapshot() }

// Assign asks the plugin. See [Assignor].
func (a *Assignor) Assign(ctx context.Context, g *strategy.Group) (answer strategy.Assignment, err error) {
	if a.closed.Load() {
		return strategy.Assignment{}, a.supervisor.fail("assign", ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return strategy.Assignment{}, a.supervisor.fail("assign", err)
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, callTime(ctx, a.timeouts.call))
	defer cancel()
	request := wire.AssignRequest(t)
	var options []grpc.CallOption
	switch size := proto.Size(request); {
	case size > wire.MaxMessage:
		return strategy.Assignment{}, a.supervisor.fail("assign", fmt.Errorf("%w: the group of %d members and %d partitions has %d bytes, and %d is the most",
			ErrTooLarge, len(g.Members), t.Len(), size, wire.MaxMessage))
	case compresses(size):
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	defer a.supervisor.took(time.Now())
	err = a.supervisor.call(ctx, "assign", func(ctx context.Context, c pluginproto.AssignorServiceClient) (err error) {
		answer, err = askAssign(ctx, c, t, request, options...)
		return err
	})
	if err != nil && errors.Is(caller.Err(), context.DeadlineExceeded) {
		a.supervisor.log.Warn("the plugin failed, and its caller may not have waited to hear why", "error", err)
	}
	return answer, err
}

// askAssign asks for the assignment of a group, and reads the answer.
func askAssign(ctx context.Context, c pluginproto.AssignorServiceClient, t *strategy.Table, request *pluginproto.AssignRequest, options ...grpc.CallOption) (strategy.Assignment, error) {
	r, err := c.Assign(ctx, request, options...)
	if err != nil {
		return strategy.Assignment{}, err
	}
	answer, err := wire.Assignment(t, r)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return answer, err
}

// Signals names what the plugin's assignor looks at, as the lock file says, or as it has said when it started.
func (a *Assignor) Signals() []string { return slices.Clone(a.supervisor.says().signals) }

// UserData asks the plugin what to send with a join, if it says that it has something to send. It waits for notices that are on their way, and takes
// at most [Config.NoticeTimeout].
func (a *Assignor) UserData(topics []string) ([]byte, error) {
	if a.closed.Load() {
		return nil, a.supervisor.fail("user data", ErrClosed)
	}
	if !a.supervisor.says().userData {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.timeouts.notice)
	defer cancel()
	if err := a.notices.wait(ctx); err != nil {
		return nil, a.supervisor.fail("user data", fmt.Errorf("%w: it has not taken the last assignments yet: %w", ErrUnresponsive, err))
	}
	var data []byte
	err := a.supervisor.call(ctx, "user data", func(ctx context.Context, c pluginproto.AssignorServiceClient) error {
		r, err := c.UserData(ctx, wire.UserDataRequest(topics))
		data = r.GetUserData()
		return err
	})
	return data, err
}

// OnAssignment tells the plugin what a member was given, if it says that it wants to know. It does not wait: the plugin hears of assignments one after
// another, each within [Config.NoticeTimeout]. What it does not take is logged.
func (a *Assignor) OnAssignment(r strategy.Received) {
	if !a.supervisor.says().onAssignment || a.closed.Load() {
		return
	}
	r.UserData = slices.Clone(r.UserData) // nothing of r is kept
	request := wire.OnAssignmentRequest(r)
	dropped, queued := a.notices.add(a.supervisor.background, func() {
		ctx, cancel := context.WithTimeout(a.supervisor.closed, a.timeouts.notice)
		defer cancel()
		err := a.supervisor.call(ctx, "on assignment", func(ctx context.Context, c pluginproto.AssignorServiceClient) error {
			_, err := c.OnAssignment(ctx, request)
			return err
		})
		if err != nil && a.supervisor.closed.Err() == nil {
			a.supervisor.log.Warn("the plugin was not told of an assignment", "group", r.Group, "generation", r.Generation, "error", err)
		}
	})
	if dropped && queued {
		a.supervisor.log.Warn("the plugin is too slow to be told of every assignment; an old one was left out", "group", r.Group)
	}
}

// lead is how long before a caller's deadline a call ends at most, and leadShare which part of its time that is at most.
const (
	lead      = 100 * time.Millisecond
	leadShare = 10
)

// callTime is how long a call may take.
func callTime(ctx context.Context, most time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return most
	}
	left := time.Until(deadline)
	return min(most, left-min(lead, left/leadShare))
}

// Close lets go of the plugin. Its process ends with the last assignor that was taken from the catalog under this name, and has gone when Close
// returns.
func (a *Assignor) Close() (err error) {
	a.closed.Store(true)
	a.closing.Do(func() { err = a.release() })
	return err
}
