package consumertest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assignkit/assignkit/callbacks"
)

// startsAtCommitted has the counter begin where the group has committed, instead of at offsets of its own.
func startsAtCommitted(c *counter, f *callbacks.Funcs) {
	f.OnAssign = func(_ context.Context, a *assignment) error {
		c.locked(func() {
			for p := range callbacks.Each(a.Added) {
				c.kept[p] = c.table[p]
			}
		})
		return nil
	}
}

// forget drops what is kept, without saving it.
func forget(c *counter, r *revocation) error {
	return c.drop(context.Background(), &loss{Removed: r.Removed})
}

// saveAndCommit has the counter commit by itself when partitions are revoked, and save if it is to.
func saveAndCommit(c *counter, save bool) func(ctx context.Context, r *revocation) error {
	return func(ctx context.Context, r *revocation) error {
		at := map[partition]callbacks.Offset{}
		for p, next := range r.Positions {
			at[p] = callbacks.Offset{Offset: next}
		}
		if err := r.Commit(ctx, at); err != nil {
			return errors.Join(err, forget(c, r))
		}
		if !save {
			return forget(c, r)
		}
		return c.save(ctx, r)
	}
}

// TestSavesWrongly has what is saved not fit what is committed.
func TestSavesWrongly(t *testing.T) {
	check(t, []broken{
		{name: "commits and does not save", rule: "state", says: `"1" was kept for it; now that they have been again, "0" is`, options: manual, make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			startsAtCommitted(c, f)
			f.OnRevoke = saveAndCommit(c, false)
		})},
		{name: "does not save, and the host commits", rule: "state", says: "orders-0 came back at offset 1", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			startsAtCommitted(c, f)
			f.OnRevoke = func(_ context.Context, r *revocation) error { return forget(c, r) }
		})},
		{name: "saves only when revoked, and the host commits now and then", rule: "state", says: "OnLost orders-0", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			startsAtCommitted(c, f)
		})},
		{name: "saves what is lost", rule: "state", says: `"1" was kept for it; now that they have been again, "2" is`, options: manual, make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			startsAtCommitted(c, f)
			f.OnRevoke = saveAndCommit(c, true)
			f.OnLost = func(ctx context.Context, l *loss) error { return c.save(ctx, &revocation{Removed: l.Removed}) }
		})},
		{name: "takes back what it had before", rule: "state", says: "came back", options: manual, make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			startsAtCommitted(c, f)
			load := f.OnAssign
			f.OnAssign = func(ctx context.Context, a *assignment) error {
				err := load(ctx, a)
				c.locked(func() {
					for p := range callbacks.Each(a.Added) {
						if t, ok := c.cache[p]; ok {
							c.kept[p] = t
						}
					}
				})
				return err
			}
			f.OnRevoke = saveAndCommit(c, true)
			f.OnLost = func(ctx context.Context, l *loss) error {
				c.locked(func() {
					for p := range callbacks.Each(l.Removed) {
						c.cache[p] = c.kept[p]
					}
				})
				return c.drop(ctx, l)
			}
		})},
	})
	// What is right under a host that commits nothing by itself.
	err := manual.Check(spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
		startsAtCommitted(c, f)
		f.OnRevoke = saveAndCommit(c, true)
	}))
	if err != nil {
		t.Error(err)
	}
}
