package consumer

import (
	"context"
	"errors"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
)

// finish lets nobody wait for the loop any more.
func (d *driver) finish() {
	select {
	case <-d.over:
	default:
		close(d.over)
	}
}

func (d *driver) isClosing() bool {
	d.consumer.mu.Lock()
	defer d.consumer.mu.Unlock()
	return d.consumer.closing
}

// awaitWorkers waits for handlers, which have been told to end; not for long.
func (d *driver) awaitWorkers() error {
	done := make(chan struct{})
	go func() {
		d.working.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(graceful):
		return errors.Join(ErrUnclean, errors.New("consumer: a handler does not return though its context has ended"))
	}
}

// finishEvents lets the observer have what it was not told yet, within bounds.
func (d *driver) finishEvents() {
	quit := make(chan struct{})
	timer := time.AfterFunc(graceful, func() { close(quit) })
	defer timer.Stop()
	if n := d.events.close(quit); n > 0 {
		d.log.Warn("the observer was too slow", "events dropped", n)
	}
}

// result is what Run returns.
func (d *driver) result() error {
	err := d.failure
	if d.end.Err != nil && d.failure == nil {
		err = readable(d.end.Err)
	}
	if d.last.Err() != nil || d.leaving.Load() && !time.Now().Before(d.leaveBy) {
		err = errors.Join(err, ErrUnclean)
	}
	return err
}

// assignFailed notes why Run ends, unless the partitions were lost meanwhile.
func (d *driver) assignFailed(err error) {
	if d.failure == nil && !errors.Is(err, errLost) && d.last.Err() == nil && !d.leaving.Load() {
		d.failure = err
	}
}

// fail ends Run with an error. It may be called from any goroutine.
func (d *driver) fail(err error) {
	d.post(func() {
		if d.failure == nil && !d.leaving.Load() {
			d.failure = err
			d.log.Error("the consumer ends", "error", err)
		}
		d.leaveNow("it failed", true)
	})
}

// leaveNow begins the end. Unless it is to be prompt, partitions are handed over first.
func (d *driver) leaveNow(reason string, prompt bool) {
	if d.end != nil {
		return
	}
	if !d.leaving.Swap(true) {
		d.limitEnd()
	}
	d.step(membership.Leave{Reason: reason, Farewell: d.cfg.LeaveOnClose, Prompt: prompt})
}

// limitEnd lets all that is still to be done know that the end has begun, and when it has to be over.
func (d *driver) limitEnd() {
	close(d.host.ending)
	d.leaveBy = time.Now().Add(d.cfg.CloseTimeout)
	half := time.AfterFunc(d.cfg.CloseTimeout/2, func() { close(d.host.hurry) })
	all := time.AfterFunc(d.cfg.CloseTimeout, func() { d.giveUp(errCloseTime) })
	context.AfterFunc(d.last, func() {
		half.Stop()
		all.Stop()
	})
}

func (d *driver) haveDrained() {
	select {
	case <-d.drained:
	default:
		close(d.drained)
	}
}
