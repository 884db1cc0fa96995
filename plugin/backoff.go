package plugin

import "time"

// The time for which a plugin that keeps failing is left alone grows from the second failure on.
const (
	backoffFirst = 100 * time.Millisecond
	backoffMost  = 30 * time.Second
)

// backoff decides when a plugin that failed may be started again. It is a pure rule: who uses it says what time it is.
//
// The first failure since the last answer costs nothing, so that a plugin that has been killed is back with the next call. From then on the pause
// doubles up to backoffMost.
type backoff struct {
	failures int
	until    time.Time
}

// failed notes that the plugin crashed, hung or did not start.
func (b *backoff) failed(now time.Time) {
	b.failures++
	b.until = now.Add(pause(b.failures))
}

// answered notes that it works.
func (b *backoff) answered() { *b = backoff{} }

// left is how long the plugin is still to be left alone.
func (b *backoff) left(now time.Time) time.Duration { return max(0, b.until.Sub(now)) }

func pause(failures int) time.Duration {
	if failures < 2 {
		return 0
	}
	p := backoffFirst
	for range failures - 2 {
		if p *= 2; p >= backoffMost {
			return backoffMost
		}
	}
	return p
}
