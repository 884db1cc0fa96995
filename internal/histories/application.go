package histories

import (
	"errors"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// An application is what processes records: it works on the partitions that are delivered and commits what it has done.
type application struct {
	p         *Process
	positions map[strategy.TopicPartition]int64
	of        map[strategy.TopicPartition][16]byte // the topic that the partition was part of when it was assigned
	delivered map[strategy.TopicPartition]bool
	running   *membership.Callback
	commits   uint64
	waiting   map[uint64]func() // for answers
	asked     map[uint64]membership.Commit
	confirmed map[strategy.TopicPartition]int64 // what the last answer said is stored
	rewinds   map[strategy.TopicPartition]rewind
}

// A rewind is one that is not answered yet.
type rewind struct {
	offset int64
	id     uint64
}

var errAssign = errors.New("cannot take the partitions over")

func (a *application) init(p *Process) {
	a.p = p
	a.positions, a.delivered, a.waiting = map[strategy.TopicPartition]int64{}, map[strategy.TopicPartition]bool{}, map[uint64]func(){}
	a.of = map[strategy.TopicPartition][16]byte{}
	a.asked, a.confirmed, a.rewinds = map[uint64]membership.Commit{}, map[strategy.TopicPartition]int64{}, map[strategy.TopicPartition]rewind{}
}

// take carries out what concerns the application.
func (a *application) take(out *membership.Output) {
	w := a.p.w
	for _, tp := range out.Stop {
		delete(a.delivered, tp)
	}
	for _, answer := range out.Answers {
		a.answered(answer)
		if then := a.waiting[answer.ID]; then != nil {
			delete(a.waiting, answer.ID)
			w.at(w.now, func() { a.p.whenAwake(then) })
		}
	}
	if out.Callback != nil {
		a.call(*out.Callback)
	}
	for _, tp := range out.Start {
		a.delivered[tp] = true
		for _, c := range w.checks {
			if err := c.started(a.p, tp); err != nil {
				w.fault("%v", err)
			}
		}
	}
}

// call runs a callback. An assign reads where to start; a revoke commits what was done, and waits for the answer.
func (a *application) call(c membership.Callback) {
	w := a.p.w
	for _, check := range w.checks {
		if err := check.begun(a.p, &c); err != nil {
			w.fault("%v", err)
		}
	}
	a.running = &c
	if c.Kind == membership.Assign {
		for _, tp := range c.Partitions {
			a.positions[tp] = w.offsets.at(w, tp)
			a.of[tp] = w.topics[tp.Topic].id
			delete(a.confirmed, tp)
		}
	}
	takes := max(a.p.spec.Callback, time.Millisecond)
	if slow, ok := a.p.spec.Slow[c.Kind]; ok {
		takes = slow
	}
	done := func() { a.done(c) }
	w.at(w.now+takes, func() {
		a.p.whenAwake(func() {
			if c.Kind == membership.Revoke {
				a.commit(c.Partitions, done)
				return
			}
			done()
		})
	})
}

func (a *application) done(c membership.Callback) {
	w := a.p.w
	for _, check := range w.checks {
		if err := check.ended(a.p, &c); err != nil {
			w.fault("%v", err)
		}
	}
	a.running = nil
	in := membership.CallbackDone{ID: c.ID}
	if c.Kind == membership.Assign && a.p.spec.FailAssign {
		in.Err = errAssign
	}
	a.p.step(in)
}

// work goes through records of all that is delivered, and commits now and then.
func (a *application) work() {
	if !a.p.alive || a.p.w.opts.Idle {
		return
	}
	w := a.p.w
	var list []strategy.TopicPartition
	for _, tp := range a.p.Machine.Owned() {
		if a.delivered[tp] {
			a.positions[tp]++
			list = append(list, tp)
		}
	}
	if len(list) > 0 && len(a.waiting) < 3 {
		a.commit(list, nil)
		switch w.rng.IntN(24) {
		case 0, 1, 2:
			a.commitLate(list)
		case 3:
			a.rewind(list[w.rng.IntN(len(list))], int64(1+w.rng.IntN(3)))
		}
	}
	w.at(w.now+300*time.Millisecond+w.delay(), func() { a.p.whenAwake(a.work) })
}
