package consumer

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// A driver carries out what the membership machine says, for one Run. The machine and what is marked so belong to its loop's goroutine.
type driver struct {
	consumer     *Consumer
	cfg          *Config
	work         work
	log          *slog.Logger
	interceptors []sarama.ConsumerInterceptor
	began        time.Time

	gate     *conn.Gate
	client   sarama.Client
	fetcher  *fetch.Fetcher
	lanes    *lanes.Lanes
	topics   *topics
	plans    *planner
	asides   *asides
	measures *measures
	host     *host
	ahead    *ahead
	health   *health
	events   *queue
	recorder *recorder

	handlers context.Context // ends with Run's, or when the end takes too long
	last     context.Context // the callbacks': ends when the end takes too long
	giveUp   context.CancelCauseFunc

	inbox   chan func()
	over    chan struct{} // closed when the loop has ended
	working sync.WaitGroup

	member  atomic.Pointer[identity]
	loss    atomic.Int32 // the code that the last loss was learned from
	leaving atomic.Bool
	epochs  epochs

	// The loop's own:
	machine    *membership.Machine
	commits    map[uint64]func([]wire.Code)
	commitID   uint64
	running    *membership.Callback
	told       <-chan struct{}         // closed when assignors were told of the last assignment; nil: they are not
	asked      uint64                  // times that they were asked what to send along
	stop       context.CancelCauseFunc // of the running callback
	rebalances rebalances
	failure    error // why Run ends
	leaveBy    time.Time
	end        *membership.End
	away       time.Time // since when the coordinator is
	heard      bool      // from it or its successor since then
	refused    error     // why the machine passed the last input over
	wakeAt     membership.Time
	drained    chan struct{}
}

type identity struct {
	member     string
	generation int32
}

func newDriver(c *Consumer, cfg *Config, w work) *driver {
	d := &driver{
		consumer: c, cfg: cfg, work: w, began: time.Now(), events: newQueue(),
		log:   cfg.Logger.With("group", cfg.Group),
		inbox: make(chan func(), 64), over: make(chan struct{}), commits: map[uint64]func([]wire.Code){}, drained: make(chan struct{}),
	}
	if cfg.Sarama != nil {
		d.interceptors = cfg.Sarama.Consumer.Interceptors
	}
	d.member.Store(&identity{generation: strategy.NoGeneration})
	d.host, d.ahead = newHost(d), newAhead(d)
	d.asides = &asides{driver: d}
	d.measures = newMeasures(d)
	d.health = newHealth(d)
	d.recorder = newRecorder(d, cfg.Trace)
	return d
}

// run is Run.
func (d *driver) run(ctx context.Context) error {
	defer d.finishEvents()
	defer d.finish()
	if err := d.connect(ctx); err != nil {
		if ctx.Err() != nil || d.isClosing() {
			return nil
		}
		return err
	}
	defer d.disconnect()
	var cancel context.CancelCauseFunc
	d.last, d.giveUp = context.WithCancelCause(context.WithoutCancel(ctx))
	defer d.giveUp(nil)
	d.handlers, cancel = context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.last, func() { cancel(context.Cause(d.last)) })()

	watching, unwatch := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	watchers.Go(func() { d.topics.watch(watching) })
	watchers.Go(func() { d.health.watch(watching) })
	err := d.loop(ctx)
	d.finish() // before connections are closed, which would wait for who wants to tell the loop something
	cancel(ErrNotRunning)
	unwatch()
	d.gate.Shut(ErrNotRunning)
	watchers.Wait()
	d.measures.close()
	d.asides.close()
	return errors.Join(err, d.awaitWorkers())
}

// post has f called on the loop's goroutine, unless the loop has ended.
func (d *driver) post(f func()) bool {
	select {
	case <-d.over:
		return false
	default:
	}
	select {
	case d.inbox <- f:
		return true
	case <-d.over:
		return false
	}
}

func (d *driver) now() membership.Time { return time.Since(d.began) }

// loop runs the machine until it has ended.
func (d *driver) loop(ctx context.Context) error {
	var err error
	if d.machine, err = membership.New(d.machineConfig()); err != nil {
		return err
	}
	d.step(membership.Subscribe{Topics: d.cfg.Topics})
	d.step(membership.Metadata{Topics: d.topics.counts()})
	wake := time.NewTimer(0)
	defer wake.Stop()
	commit := time.NewTicker(d.cfg.CommitInterval)
	defer commit.Stop()
	ended := ctx.Done()
	d.step(membership.Start{})
	d.ask()
	if d.isClosing() {
		d.leaveNow("closed", true)
	}
	for d.end == nil {
		wake.Reset(d.sleep())
		select {
		case f := <-d.inbox:
			f()
		case <-wake.C:
			d.step(membership.Tick{})
		case <-commit.C:
			if d.cfg.Commits == CommitAuto {
				d.commitProcessed(d.host.active(), nil)
			}
		case <-ended:
			ended = nil
			d.leaveNow("its context ended", true)
		}
	}
	return d.result()
}

func (d *driver) machineConfig() membership.Config {
	c := membership.Config{
		Group: d.cfg.Group, ClientID: d.client.Config().ClientID, InstanceID: d.cfg.InstanceID, Rack: d.client.Config().RackID,
		Labels: d.cfg.Labels, Capacity: d.cfg.Capacity, Started: d.began,
		Session: d.cfg.SessionTimeout, Rebalance: d.cfg.RebalanceTimeout, Heartbeat: d.cfg.HeartbeatInterval, Leave: d.cfg.CloseTimeout,
		Request: min(d.client.Config().Net.ReadTimeout, d.cfg.RebalanceTimeout/3), Seed: rand.Uint64(),
		HandOver: !d.cfg.HandOver.Off, UserData: min(asideTime, d.cfg.SessionTimeout/4, d.cfg.RebalanceTimeout/4),
	}
	for _, a := range d.cfg.Assignors {
		c.Offers = append(c.Offers, membership.Offer{Name: a.Name(), Protocol: strategy.ProtocolOf(a)})
	}
	return c
}

// sleep is how long the machine has nothing to do.
func (d *driver) sleep() time.Duration {
	if d.wakeAt == membership.Never {
		return time.Hour
	}
	return max(0, d.wakeAt-d.now())
}

// step tells the machine what happened, and carries out what it says, in the order of the output's fields.
func (d *driver) step(in membership.Input) {
	if d.end != nil {
		return
	}
	out := d.machine.Step(d.now(), in)
	d.wakeAt = out.Wake
	id, generation, _ := d.machine.Identity()
	d.member.Store(&identity{member: id, generation: generation})
	d.loss.Store(int32(d.machine.LossCode()))
	d.refused = out.Refused
	for _, lane := range out.Close {
		d.lanes.Break(lane)
	}
	d.halt(&out)
	if out.Cancel != 0 && d.running != nil && d.running.ID == out.Cancel {
		d.stop(errLost)
	}
	for _, a := range out.Answers {
		d.answered(a)
	}
	if out.Assigned != nil {
		d.tell(out.Assigned, id)
	}
	if out.Callback != nil {
		d.callBack(out.Callback)
	}
	if out.Coming != nil {
		d.ahead.want(*out.Coming, out.Callback)
	}
	d.host.start(out.Start)
	if out.Compute != nil {
		d.measures.lead()
		d.compute(out.Compute)
	}
	for _, r := range out.Requests {
		d.lanes.Send(r)
		if _, joins := r.Body.(wire.Join); joins {
			d.lanes.Warm(r.Node) // while the group is waited for
		}
	}
	if out.Drained {
		d.haveDrained()
	}
	d.noteCoordinator(in)
	d.noteRebalance(&out)
	if out.Ended != nil {
		d.end = out.Ended
	}
	if out.Assigned != nil {
		d.received(out.Assigned)
	}
}

// tell tells the assignor that decided, before any callback is run that follows.
func (d *driver) tell(a *membership.Assigned, member string) {
	d.told, _ = d.asides.add("OnAssignment", func() { d.plans.received(a, member) })
}

// ask asks assignors what they send along with the next join, which waits for it.
func (d *driver) ask() {
	d.asked++
	number := d.asked
	_, ok := d.asides.add("UserData", func() {
		said, uptime := d.plans.userData(), d.plans.uptime()
		d.post(func() {
			if number == d.asked { // else the answer is about another assignment
				d.step(membership.UserData{ByName: said, Uptime: uptime})
			}
		})
	})
	if !ok {
		d.step(membership.UserData{})
	}
}

// halt stops workers. Those that nobody revokes are lost: their handlers' contexts end.
func (d *driver) halt(out *membership.Output) {
	if len(out.Stop) == 0 {
		return
	}
	revoked := map[strategy.TopicPartition]bool{}
	for _, cb := range []*membership.Callback{out.Callback, d.running} {
		if cb != nil && cb.Kind == membership.Revoke && cb.ID != out.Cancel {
			for _, p := range cb.Partitions {
				revoked[p] = true
			}
		}
	}
	for _, w := range d.host.of(out.Stop) {
		if revoked[w.at] {
			w.stop()
		} else {
			w.kill(errLost)
		}
	}
}

// received makes ready for what follows an assignment.
func (d *driver) received(a *membership.Assigned) {
	if had := d.host.current(); len(had) > len(strategy.ByTopic(a.Partitions)) {
		d.topics.hurry() // perhaps a topic is gone, which is better known before it is given up
	}
	d.ask()
}

// callBack runs a callback on a goroutine of its own.
func (d *driver) callBack(cb *membership.Callback) {
	ctx, cancel := context.WithCancelCause(d.last)
	var deadline time.Time
	if cb.Deadline != membership.Never {
		deadline = d.deadline(cb.Deadline)
	}
	d.running, d.stop = cb, cancel
	d.rebalances.sequence = append(d.rebalances.sequence, cb)
	told := d.told
	go func() {
		if told != nil {
			d.asides.await(told)
		}
		err := d.host.call(ctx, cb, deadline)
		cancel(nil)
		d.post(func() {
			d.running = nil
			if err != nil && cb.Kind == membership.Assign {
				d.assignFailed(err)
			}
			d.step(membership.CallbackDone{ID: cb.ID, Err: err})
		})
	}()
}

// deadline is when a callback has to be over: by its own, and by the end's.
func (d *driver) deadline(at membership.Time) time.Time {
	t := d.began.Add(at)
	if d.leaving.Load() && d.leaveBy.Before(t) {
		t = d.leaveBy
	}
	return t
}

// identity is the member's, as of the last step.
func (d *driver) identity() (member string, generation int32) {
	i := d.member.Load()
	return i.member, i.generation
}

// lossReason is why partitions were lost last.
func (d *driver) lossReason() callbacks.LossReason {
	switch wire.Code(d.loss.Load()) {
	case wire.IllegalGeneration:
		return callbacks.LossOutrun
	case wire.FencedInstanceID:
		return callbacks.LossFenced
	case wire.UnknownTopicOrPartition:
		return callbacks.LossDeleted
	case wire.None, wire.UnknownMemberID:
		return callbacks.LossExpired
	}
	return callbacks.LossFailed
}
