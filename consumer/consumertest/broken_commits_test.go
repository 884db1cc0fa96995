package consumertest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assignkit/assignkit/callbacks"
)

// TestCommitsWrongly has wrong offsets, and wrong partitions.
func TestCommitsWrongly(t *testing.T) {
	revoking := func(commit func(ctx context.Context, c *counter, r *revocation) error) func(*host) subject {
		return spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnRevoke = func(ctx context.Context, r *revocation) error {
				return errors.Join(commit(ctx, c, r), c.save(ctx, r))
			}
		})
	}
	check(t, []broken{
		{name: "commits too much", rule: "commits", says: "committed at 2, but 1 is the offset of the next record", make: revoking(func(ctx context.Context, _ *counter, r *revocation) error {
			for p, next := range r.Positions {
				if err := r.Commit(ctx, offset(p, next+1)); err != nil {
					return err
				}
			}
			return nil
		})},
		{name: "commits 0 where no record was handled", rule: "commits", says: "is committed at 0, but the group had committed 1", options: manual, make: func(*host) subject {
			return subject{Callbacks: callbacks.Funcs{OnRevoke: func(ctx context.Context, r *revocation) error {
				at := map[partition]callbacks.Offset{}
				for p := range callbacks.Each(r.Removed) {
					at[p] = callbacks.Offset{Offset: r.Positions[p]}
				}
				return r.Commit(ctx, at)
			}}}
		}},
		{name: "commits a negative offset", rule: "commits", says: "committed at -1", make: revoking(func(ctx context.Context, c *counter, r *revocation) error {
			for p := range callbacks.Each(r.Removed) {
				_ = c.host.Commit(ctx, offset(p, -1))
			}
			return nil
		})},
		{name: "commits a neighbour", rule: "outside", says: "not the member's partition", make: revoking(func(ctx context.Context, _ *counter, r *revocation) error {
			for p := range callbacks.Each(r.Removed) {
				p.Partition += 2
				return r.Commit(ctx, offset(p, 0))
			}
			return nil
		})},
		{name: "commits a neighbour and says nothing", rule: "outside", says: "orders-2 is committed, which is not the member's", make: revoking(func(ctx context.Context, c *counter, _ *revocation) error {
			_ = c.host.Commit(ctx, offset(partition{Topic: "orders", Partition: 2}, 0))
			return nil
		})},
		{name: "starts a neighbour", rule: "outside", says: "set the start of orders-1: not the member's partition", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnAssign = func(ctx context.Context, a *assignment) error {
				for p := range callbacks.Each(a.Added) {
					p.Partition++
					if err := a.SetStart(p, callbacks.Start{From: callbacks.FromEarliest}); err != nil {
						return err
					}
				}
				return c.load(ctx, a)
			}
		})},
	})
}

// TestCommitsWhatIsLost has an OnLost that commits.
func TestCommitsWhatIsLost(t *testing.T) {
	losing := func(lost func(ctx context.Context, c *counter, l *loss) error) func(*host) subject {
		return spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnLost = func(ctx context.Context, l *loss) error {
				err := c.drop(ctx, l)
				if ctx.Err() != nil {
					return err
				}
				return errors.Join(err, lost(ctx, c, l))
			}
		})
	}
	first := func(l *loss) partition {
		for p := range callbacks.Each(l.Removed) {
			return p
		}
		return partition{}
	}
	check(t, []broken{
		{name: "commits what is lost", rule: "lost", says: "in OnLost, it commits orders-0, which the member has lost", make: losing(func(ctx context.Context, c *counter, l *loss) error {
			_ = c.host.Commit(ctx, offset(first(l), 0))
			return nil
		})},
		{name: "commits what is lost and fails", rule: "lost", says: "it takes it for a failure of its own that commits are refused", make: losing(func(ctx context.Context, c *counter, l *loss) error {
			return c.host.Commit(ctx, offset(first(l), 0))
		})},
		{name: "commits what is lost and panics", rule: "panics", says: "OnLost panics: not committed: orders-0: not the member's partition, in ", make: losing(func(ctx context.Context, c *counter, l *loss) error {
			if err := c.host.Commit(ctx, offset(first(l), 0)); err != nil {
				panic(err)
			}
			return nil
		})},
	})
}
