package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/assignkit/assignkit/internal/signals"
	"github.com/assignkit/assignkit/strategy"
)

// measures measures what assignors look at, while the member leads. It is safe for concurrent use.
type measures struct {
	driver *driver
	cfg    *Signals
	own    map[string]*ownSignal

	working sync.WaitGroup // watch, and functions of the application

	mu       sync.Mutex
	leads    bool
	stop     context.CancelFunc // ends watch; nil if it does not run
	wake     chan struct{}      // watch's, has room for one: measure now
	scope    signals.Scope      // what is to be measured
	assignor strategy.Assignor  // that looks at it
	store    *signals.Store
	rates    *signals.Rates
	troubles map[string]error // of signals that cannot be measured
	changed  chan struct{}    // closed, and another one made, when something was measured or a measurement is over
	begun    int              // measurements
	over     int
	under    *signals.Scope     // of the one under way, nil if there is none
	cancel   context.CancelFunc // it

	settled *plan  // the one that the group is assigned by, if it is at peace
	round   *known // what the plan was made by that the group is assigned by, if another has to follow
	trigger signals.Trigger
	trying  context.CancelFunc // ends a try, if there is one
}

func newMeasures(d *driver) *measures {
	m := &measures{
		driver: d, cfg: &d.cfg.Signals, own: map[string]*ownSignal{}, changed: make(chan struct{}),
		store: signals.New(d.cfg.Signals.MaxAge), rates: signals.NewRates(d.cfg.Signals.Interval / 2), troubles: map[string]error{},
		trigger: signals.Trigger{HoldDown: d.cfg.Signals.HoldDown}, trying: func() {},
	}
	for _, s := range d.cfg.Signals.Measure {
		m.own[s.Name] = &ownSignal{Signal: s, turn: make(chan struct{}, 1)}
	}
	return m
}

// lead says that this member makes plans from now on.
func (m *measures) lead() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leads = true
}

// follow says that another member leads, or none. What was measured is forgotten.
func (m *measures) follow() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leads, m.settled, m.round = false, nil, nil
	m.narrow(signals.Scope{})
	m.rest()
}

// rest has nothing measured any more. It is called with m.mu held.
func (m *measures) rest() {
	m.trying()
	if m.stop != nil {
		m.stop()
		m.stop = nil
	}
}

// joins says that the group rebalances: if this member leads, what it knows is made new meanwhile, as it may be asked for a plan again. Nothing
// is tried any more until that is over, which would keep a plan's measurement waiting.
func (m *measures) joins() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settled = nil
	m.trying()
	if m.stop != nil && m.under == nil {
		m.hurry()
	}
}

// hurry is called with m.mu held, while watch runs.
func (m *measures) hurry() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// close has nothing measured any more, and waits until nothing is; not for long for a function of the application.
func (m *measures) close() {
	m.follow()
	done := make(chan struct{})
	go func() {
		m.working.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(graceful):
		m.driver.log.Error("a function that measures a signal does not return though its context has ended")
	}
}

// looksAt asks an assignor which signals it looks at.
func (m *measures) looksAt(a strategy.Assignor) (names []string) {
	m.driver.plans.guard("naming signals", a.Name(), func() error {
		names = strategy.SignalsOf(a)
		return nil
	})
	return names
}

// names sets which signals are in a scope, and returns those that nobody measures.
func (m *measures) names(scope *signals.Scope, looksAt []string) (unmeasured []string) {
	scope.OfPartitions, scope.OfMembers = nil, nil
	for _, name := range looksAt {
		switch own := m.own[name]; {
		case own != nil && own.Members != nil:
			scope.OfMembers = append(scope.OfMembers, name)
		case own != nil, name == strategy.SignalLag, name == strategy.SignalRate:
			scope.OfPartitions = append(scope.OfPartitions, name)
		case name != strategy.SignalUptime:
			unmeasured = append(unmeasured, name)
		}
	}
	return unmeasured
}

// errUnmeasured is why a signal is missing that nobody knows.
var errUnmeasured = errors.New("consumer: nobody measures it; put it into Config.Signals.Measure")

// errNoUptime is why members have none.
var errNoUptime = errors.New("consumer: they do not say since when they run; they are of an older version, or have assignors that do not look at it")

// forPlan shows a plan's assignor what is known of the signals that it looks at, after a measurement if need be, and tells what is not.
func (m *measures) forPlan(ctx context.Context, a strategy.Assignor, p *plan) {
	p.looksAt = m.looksAt(a)
	scope := signals.Scope{Topics: slices.Clone(p.group.Topics), Members: slices.Clone(p.group.Members)}
	unmeasured := m.names(&scope, p.looksAt)
	number, wait := m.want(scope, a, len(p.looksAt) > 0)
	if wait {
		m.await(ctx, number)
	}
	m.mu.Lock()
	p.known = m.forRound(scope)
	p.missing = p.known.store.Apply(p.known.at, p.group)
	p.tellUptimes(p.group, p.known.clock)
	var told []SignalMissing
	for _, x := range p.missing {
		told = append(told, SignalMissing{Generation: p.group.Generation, Signal: x.Signal, Topics: x.Topics, Partly: x.Partly, Members: x.Members, Err: m.troubles[x.Signal]})
	}
	m.mu.Unlock()
	for _, name := range unmeasured {
		told = append(told, SignalMissing{Generation: p.group.Generation, Signal: name, Err: errUnmeasured})
	}
	if silent := p.silent(); len(silent) > 0 && slices.Contains(p.looksAt, strategy.SignalUptime) {
		told = append(told, SignalMissing{Generation: p.group.Generation, Signal: strategy.SignalUptime, Members: silent, Err: errNoUptime})
	}
	for _, e := range told {
		m.driver.observe(e)
	}
}

// want says what is to be measured from now on. If not all of that is known, it returns the number of the measurement that will know, which is
// under way or begins at once.
func (m *measures) want(scope signals.Scope, a strategy.Assignor, looks bool) (number int, wait bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.narrow(scope)
	m.assignor = a
	if !looks || !m.leads { // another member does by now, and this plan is void
		m.rest()
		return 0, false
	}
	if m.stop == nil {
		ctx, cancel := context.WithCancel(m.driver.last)
		wake := make(chan struct{}, 1) // of its own, as one that has been stopped may not have ended yet
		m.stop, m.wake = cancel, wake
		m.working.Go(func() { m.watch(ctx, wake) })
	}
	if m.store.Covers(m.driver.now()) || m.roundHas(&scope) {
		return 0, false
	}
	if m.under != nil && m.under.Has(&scope) {
		return m.begun, true
	}
	if m.under != nil {
		m.cancel()
	}
	m.hurry()
	return m.begun + 1, true
}

// narrow sets the scope. It is called with m.mu held.
func (m *measures) narrow(scope signals.Scope) {
	m.scope = scope
	m.store.Narrow(scope)
	m.rates.Narrow(scope.Topics)
}

// begin begins a measurement, of what the assignor looks at by now, as files with rules may be replaced.
func (m *measures) begin(cancel context.CancelFunc) (number int, scope signals.Scope) {
	m.mu.Lock()
	assignor := m.assignor
	m.mu.Unlock()
	looksAt := m.looksAt(assignor)
	m.mu.Lock()
	defer m.mu.Unlock()
	scope = m.scope
	m.names(&scope, looksAt)
	same := slices.Equal(scope.OfPartitions, m.scope.OfPartitions) && slices.Equal(scope.OfMembers, m.scope.OfMembers)
	switch {
	case m.assignor != assignor: // a plan has another one decide meanwhile
		scope = m.scope
	case !same:
		m.narrow(scope)
	}
	m.begun++
	m.under, m.cancel = &scope, cancel
	return m.begun, scope
}

// await waits until all is known, the measurement with this number is over, or a plan may not wait any longer.
func (m *measures) await(ctx context.Context, number int) {
	ctx, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	for {
		m.mu.Lock()
		done, changed := m.over >= number || m.store.Covers(m.driver.now()), m.changed
		m.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// tellChange is called with m.mu held.
func (m *measures) tellChange() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// watch measures again and again until ctx ends.
func (m *measures) watch(ctx context.Context, wake <-chan struct{}) {
	logs := newLogs(m.driver)
	defer logs.close()
	next := time.NewTimer(m.cfg.Interval)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-next.C:
		}
		next.Reset(m.cfg.Interval)
		m.measure(ctx, logs)
		m.try(ctx)
	}
}

// measure measures all of the scope once. What it learns is stored at once, so that somebody who does not answer keeps nobody waiting for
// anything else.
func (m *measures) measure(ctx context.Context, logs *logs) {
	patience := m.cfg.patience()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	number, scope := m.begin(cancel)
	var asked sync.WaitGroup
	var ofLogs []string
	for _, name := range slices.Concat(scope.OfPartitions, scope.OfMembers) {
		if own := m.own[name]; own != nil {
			asked.Go(func() { m.note(ctx, name, m.askOwn(ctx, own, &scope)) })
		} else {
			ofLogs = append(ofLogs, name)
		}
	}
	if len(ofLogs) > 0 {
		m.readLogs(ctx, logs, &scope, ofLogs)
	}
	asked.Wait()

	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = max(m.over, number)
	if m.begun == number {
		m.under = nil
	}
	m.tellChange()
}

// note takes how measuring a signal went, and tells when it stops to go well, and when it does again. What was given up, as something else was
// wanted, did not go in any way.
func (m *measures) note(ctx context.Context, name string, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	m.mu.Lock()
	before := m.troubles[name]
	if m.troubles[name] = err; err == nil {
		delete(m.troubles, name)
	}
	m.mu.Unlock()
	if (before == nil) != (err == nil) {
		m.driver.observe(SignalTrouble{Signal: name, Err: err})
	}
}
