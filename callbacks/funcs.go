package callbacks

import "context"

// Funcs makes functions callbacks. A nil function does nothing, so the zero Funcs ignores everything. The fields are
// described at [OnAssign], [OnRevoke] and [OnLost].
type Funcs struct {
	OnAssign func(context.Context, *Assignment) error
	OnRevoke func(context.Context, *Revocation) error
	OnLost   func(context.Context, *Loss) error
}

var _ Callbacks = Funcs{}

// Assigned calls f.OnAssign.
func (f Funcs) Assigned(ctx context.Context, a *Assignment) error {
	if f.OnAssign == nil {
		return nil
	}
	return f.OnAssign(ctx, a)
}

// Revoked calls f.OnRevoke.
func (f Funcs) Revoked(ctx context.Context, r *Revocation) error {
	if f.OnRevoke == nil {
		return nil
	}
	return f.OnRevoke(ctx, r)
}

// Lost calls f.OnLost.
func (f Funcs) Lost(ctx context.Context, l *Loss) error {
	if f.OnLost == nil {
		return nil
	}
	return f.OnLost(ctx, l)
}
