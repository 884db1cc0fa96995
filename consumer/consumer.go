package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// A Consumer is one member of a group. It is made by [New] and runs once. Its methods are safe for concurrent use.
type Consumer struct {
	cfg Config

	mu      sync.Mutex
	driver  *driver // while it runs
	closing bool
	ran     bool
	ended   chan struct{} // closed when Run has returned
	endErr  error         // of Run
}

// New checks the configuration, all of it, and connects to nothing yet.
func New(cfg Config) (*Consumer, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Consumer{cfg: cfg, ended: make(chan struct{})}, nil
}

// Run joins the group and has records processed by h until ctx ends, [Consumer.Close] is called, or something happens that trying again
// does not mend. In the first two cases it returns nil, unless something was lost on the way out: an error of the last commits, or
// [ErrUnclean]. When it returns, no handler or callback runs, but those that [ErrUnclean] is about.
//
// It does not return because brokers cannot be reached, once one of them was: it goes on when they are back. If none answers in the first ten
// seconds, Run returns why.
func (c *Consumer) Run(ctx context.Context, h Handler) error {
	if h == nil {
		return errors.New("consumer: Run needs a handler")
	}
	return c.run(ctx, &c.cfg, recordWork{h})
}

// RunBatches is Run with a handler of batches.
func (c *Consumer) RunBatches(ctx context.Context, h BatchHandler) error {
	if h == nil {
		return errors.New("consumer: RunBatches needs a handler")
	}
	return c.run(ctx, &c.cfg, batchWork{h})
}

func (c *Consumer) run(ctx context.Context, cfg *Config, w work) error {
	c.mu.Lock()
	switch {
	case c.ran:
		c.mu.Unlock()
		return ErrRan
	case c.closing:
		c.ran = true
		close(c.ended)
		c.mu.Unlock()
		return nil
	}
	c.ran = true
	d := newDriver(c, cfg, w)
	c.driver = d
	c.mu.Unlock()

	err := d.run(ctx)

	c.mu.Lock()
	c.driver, c.endErr = nil, err
	c.mu.Unlock()
	close(c.ended)
	return err
}

// Stop ends Run as [Consumer.Close] does, and does not wait for it.
func (c *Consumer) Stop() {
	c.mu.Lock()
	c.closing = true
	d := c.driver
	c.mu.Unlock()
	if d != nil {
		d.post(func() { d.leaveNow("closed", false) })
	}
}

// Close ends Run in good order: handlers finish the record that they are in, what was processed is committed, OnRevoke runs for everything
// that is owned, the group is left. It waits until Run has returned, and returns the same error; CloseTimeout bounds that. Called by
// a handler or a callback of this consumer, it does not wait, as they have to return first, and returns nil.
func (c *Consumer) Close() error {
	c.Stop()
	c.mu.Lock()
	ran := c.ran
	c.mu.Unlock()
	if !ran || calledBack() {
		return nil
	}
	<-c.ended
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endErr
}

// running returns the driver, while there is one.
func (c *Consumer) running() (*driver, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.driver == nil {
		return nil, ErrNotRunning
	}
	return c.driver, nil
}

// Owned returns the partitions that the member owns, as its callbacks were told: sorted, nil if there are none.
func (c *Consumer) Owned() []strategy.TopicPartitions {
	d, err := c.running()
	if err != nil {
		return nil
	}
	return d.host.current()
}

// Ready returns nil if the member is part of its group and does its work, and otherwise what keeps it from that, all of it. It is
// for readiness probes, and answers at once. Where Run has ended it is [ErrNotRunning], with what ended it.
func (c *Consumer) Ready() error {
	c.mu.Lock()
	d, ended := c.driver, c.endErr
	c.mu.Unlock()
	switch {
	case d != nil:
		return d.health.check()
	case ended != nil:
		return fmt.Errorf("%w: %w", ErrNotRunning, ended)
	}
	return ErrNotRunning
}

// Drain asks the group to give the member's partitions to others, who go on with them while this member finishes what it has in work,
// and waits until it has none left or ctx ends. The member stays in the group without partitions; Close it then. Only assignors of this project
// know what draining is: where another program's leads the group, Drain may wait for ever. It fails at once with [ErrSticky] if the
// member offers an assignor that cannot be told.
func (c *Consumer) Drain(ctx context.Context) error {
	d, err := c.running()
	if err != nil {
		return err
	}
	refused := make(chan error, 1)
	d.post(func() {
		if d.step(membership.Drain{}); d.refused != nil {
			refused <- readable(d.refused)
		}
	})
	select {
	case <-d.drained:
		return nil
	case err := <-refused:
		return err
	case <-d.over:
		return ErrNotRunning
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Rejoin asks the group for a rebalance, as an input of an assignor has changed, say. The reason is told to the brokers, who log it.
func (c *Consumer) Rejoin(reason string) error {
	d, err := c.running()
	if err != nil {
		return err
	}
	d.post(func() { d.step(membership.Rejoin{Reason: reason}) })
	return nil
}
