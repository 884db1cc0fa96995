package strategytest

import (
	"context"
	"errors"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// checkContext ends the context before a call and, for large groups, in the middle of it.
func checkContext(c *checker) {
	for i, g := range c.groups {
		if i%8 != 0 && !g.large() {
			continue
		}
		c.ending(g, "cancelled before the call", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		})
		if !g.large() {
			continue
		}
		c.ending(g, "past its deadline before the call", func() (context.Context, context.CancelFunc) {
			return context.WithDeadline(context.Background(), time.Unix(0, 0))
		})
		c.ending(g, "cancelled a moment after the call", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(500*time.Microsecond, cancel)
			return ctx, cancel
		})
	}
}

// ending has g answered under a context that ends.
func (c *checker) ending(g testGroup, when string, begin func() (context.Context, context.CancelFunc)) {
	ctx, cancel := begin()
	defer cancel()
	a, err := c.assign(ctx, c.shared, g)
	if err == nil {
		if err := strategy.Validate(g.Group, &a, c.protocol(c.shared)); err != nil {
			c.faultAt(g, "the context is %s, and there is an answer without an error: %v", when, err)
		}
		return
	}
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		c.faultAt(g, "the context is %s, and %s", when, verdict(err))
	}
}
