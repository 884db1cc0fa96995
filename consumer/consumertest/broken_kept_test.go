package consumertest_test

import (
	"context"
	"maps"
	"testing"

	"github.com/assignkit/assignkit/callbacks"
)

// TestKeepsTooMuch has something kept for partitions that are gone, or were never there.
func TestKeepsTooMuch(t *testing.T) {
	check(t, []broken{
		{name: "forgets nothing when revoked", rule: "gone", says: "after OnRevoke, something is kept for orders-0", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnRevoke = func(_ context.Context, r *revocation) error {
				c.locked(func() {
					for p := range callbacks.Each(r.Removed) {
						c.table[p] = c.kept[p]
					}
				})
				return nil
			}
		})},
		{name: "ignores losses", rule: "gone", says: "after OnLost, something is kept for orders-0", make: spoiled(func(_ *counter, f *callbacks.Funcs, _ *subject) {
			f.OnLost = nil
		})},
		{name: "forgets only if there is time", rule: "gone", says: "its context has ended", options: brief, make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnRevoke = func(ctx context.Context, r *revocation) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return c.save(ctx, r)
			}
		})},
		{name: "keeps something for a neighbour", rule: "outside", says: "orders-1, which is not the member's", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnAssign = func(ctx context.Context, a *assignment) error {
				c.locked(func() {
					for p := range callbacks.Each(a.Added) {
						p.Partition++
						c.kept[p] = c.table[p]
					}
				})
				return c.load(ctx, a)
			}
		})},
	})
}

// TestKeepsTooLittle has something forgotten that is still needed.
func TestKeepsTooLittle(t *testing.T) {
	check(t, []broken{
		{name: "takes what is added for all there is", rule: "stays", says: "after OnAssign, nothing is kept for orders-0 any more, though it stays", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnAssign = func(ctx context.Context, a *assignment) error {
				c.locked(func() {
					maps.Copy(c.table, c.kept)
					clear(c.kept)
				})
				return c.load(ctx, a)
			}
		})},
		{name: "forgets all when some is revoked", rule: "stays", says: "though it stays", make: spoiled(func(c *counter, f *callbacks.Funcs, s *subject) {
			f.OnRevoke = func(ctx context.Context, r *revocation) error {
				err := c.save(ctx, r)
				c.locked(func() { clear(c.kept) })
				return err
			}
			s.Handle = nil // which would make it anew
		})},
		{name: "forgets all when some is lost", rule: "stays", says: "after OnLost", make: spoiled(func(c *counter, f *callbacks.Funcs, s *subject) {
			f.OnLost = func(context.Context, *loss) error {
				c.locked(func() { clear(c.kept) })
				return nil
			}
			s.Handle = nil
		})},
		{name: "does not load what comes back", rule: "state", says: "nothing is kept for orders-0, as there was", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnAssign = func(ctx context.Context, a *assignment) error {
				for p := range callbacks.Each(a.Added) {
					if _, ok := c.table[p]; ok {
						return nil
					}
				}
				return c.load(ctx, a)
			}
		})},
	})
}
