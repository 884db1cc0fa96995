package callbacks

import (
	"context"
	"runtime/debug"

	"github.com/assignkit/assignkit/strategy"
)

// Recover makes a panic of cb an error, a [*strategy.PanicError] with the stack. Hosts put it around what the application gave them.
// [Chain], [Timeout], [Log] and [PartitionState] do as much for what they call. A callback that ends its
// goroutine (runtime.Goexit) ends the host's, but under Timeout and within PartitionState, which have goroutines of their own.
func Recover(cb Callbacks) Callbacks { return recovering{cb} }

type recovering struct{ inner Callbacks }

func (r recovering) Unwrap() []Callbacks { return []Callbacks{r.inner} }

func (r recovering) Assigned(ctx context.Context, a *Assignment) error {
	return protect(func() error { return r.inner.Assigned(ctx, a) })
}

func (r recovering) Revoked(ctx context.Context, x *Revocation) error {
	return protect(func() error { return r.inner.Revoked(ctx, x) })
}

func (r recovering) Lost(ctx context.Context, l *Loss) error {
	return protect(func() error { return r.inner.Lost(ctx, l) })
}

// protect returns f's error, or its panic as one.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &strategy.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
