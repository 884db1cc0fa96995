package consumer

import (
	"context"
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// Commit commits offsets, each that of the next record to process, and waits until the coordinator has answered or ctx ends. An error is a
// [*callbacks.CommitError] with an error for each partition that failed, such as [ErrNotOwned]; those of the others are committed. Or it
// is ctx's: then the offsets may have been committed or not.
//
// A commit that meets a rebalance or a coordinator that is away waits for its end. An offset that is not higher than one committed since
// the member has the partition is answered with success and changes nothing.
//
// It returns at once if there is nothing to commit. In a callback it commits as in a handler; OnRevoke has a Commit of its own.
func (c *Consumer) Commit(ctx context.Context, offsets map[strategy.TopicPartition]callbacks.Offset) error {
	d, err := c.running()
	if err != nil {
		return err
	}
	return d.commitNow(ctx, offsets)
}

// CommitAsync commits offsets as [Consumer.Commit] does and returns at once. done, which may be nil, is called with the result, on a
// goroutine of the consumer's, for one commit after another in the order of their answers; it must not block. If the consumer does not
// run, or ends before there is an answer, the error is [ErrNotRunning].
func (c *Consumer) CommitAsync(offsets map[strategy.TopicPartition]callbacks.Offset, done func(error)) {
	if done == nil {
		done = func(error) {}
	}
	d, err := c.running()
	if err != nil {
		done(err)
		return
	}
	d.askCommit(offsets, func(err error) { d.events.add(func() { done(err) }) })
}

func (d *driver) commitNow(ctx context.Context, offsets map[strategy.TopicPartition]callbacks.Offset) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	result := make(chan error, 1)
	d.askCommit(offsets, func(err error) { result <- err })
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// askCommit checks offsets and hands them to the member. answer is called once, on the driver's goroutine or this one.
func (d *driver) askCommit(offsets map[strategy.TopicPartition]callbacks.Offset, answer func(error)) {
	failed := map[strategy.TopicPartition]error{}
	var list []wire.Offset
	for p, o := range offsets {
		switch {
		case o.Offset < 0:
			failed[p] = fmt.Errorf("offset %d is negative", o.Offset)
		case d.host.gaveUp(p):
			failed[p] = ErrNotOwned
		default:
			list = append(list, wire.Offset{TopicPartition: p, Offset: o.Offset, Metadata: o.Metadata})
		}
	}
	if len(list) == 0 {
		answer(commitFailure(failed))
		return
	}
	slices.SortFunc(list, func(a, b wire.Offset) int { return a.Compare(b.TopicPartition) })
	posted := d.post(func() {
		d.commit(list, func(codes []wire.Code) {
			for i, code := range codes {
				if err := commitError(code); err != nil {
					failed[list[i].TopicPartition] = err
				}
			}
			answer(commitFailure(failed))
		})
	})
	if !posted {
		answer(ErrNotRunning)
	}
}

func commitFailure(failed map[strategy.TopicPartition]error) error {
	if len(failed) == 0 {
		return nil
	}
	return &callbacks.CommitError{Failed: failed}
}

// commit hands offsets to the member; done is called with its codes on the driver's goroutine.
func (d *driver) commit(list []wire.Offset, done func([]wire.Code)) {
	d.commitID++
	d.commits[d.commitID] = func(codes []wire.Code) {
		d.stored(list, codes)
		done(codes)
	}
	for i, o := range list {
		list[i].LeaderEpoch = d.epochs.before(o.TopicPartition, o.Offset)
	}
	d.step(membership.Commit{ID: d.commitID, Offsets: list})
}

// stored notes what is committed, for those who ask how the member is doing.
func (d *driver) stored(list []wire.Offset, codes []wire.Code) {
	d.host.mu.Lock()
	defer d.host.mu.Unlock()
	for i, code := range codes {
		if w := d.host.workers[list[i].TopicPartition]; w != nil && code == wire.None && list[i].Offset > w.stored.Load() {
			w.stored.Store(list[i].Offset)
		}
	}
}

func (d *driver) answered(a membership.Answer) {
	if done := d.commits[a.ID]; done != nil {
		delete(d.commits, a.ID)
		done(a.Codes)
	}
}

// commitProcessed commits what workers have processed. done, if not nil, is called when all of that was answered, also what was asked for
// before.
func (d *driver) commitProcessed(workers []*worker, done func()) {
	var list []wire.Offset
	var from []*worker
	for _, w := range workers {
		if next, fresh := w.due(); fresh || done != nil && next != none {
			w.asked = next
			list = append(list, wire.Offset{TopicPartition: w.at, Offset: next})
			from = append(from, w)
		}
	}
	if len(list) == 0 {
		if done != nil {
			done()
		}
		return
	}
	d.commit(list, func(codes []wire.Code) {
		failed := map[strategy.TopicPartition]error{}
		for i, code := range codes {
			err := commitError(code)
			if err == nil {
				continue
			}
			if from[i].asked == list[i].Offset {
				from[i].asked = none
			}
			failed[list[i].TopicPartition] = err
		}
		d.commitFailed(failed)
		if done != nil {
			done()
		}
	})
}

// commitFailed reports an automatic commit, but for partitions that are lost, as that is told by OnLost.
func (d *driver) commitFailed(failed map[strategy.TopicPartition]error) {
	told := map[strategy.TopicPartition]error{}
	for p, err := range failed {
		if err != ErrNotOwned { //nolint:errorlint // commitError made it
			told[p] = err
		}
	}
	if len(told) > 0 {
		d.observe(CommitFailed{Err: &callbacks.CommitError{Failed: told}})
	}
}
