package embedded

import (
	"context"
	"time"
)

// Wait waits until a condition is true, of members that read in this process for instance. It returns the context's error if that ends first, or
// the minute that there is for it.
func Wait(ctx context.Context, condition func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !condition() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
