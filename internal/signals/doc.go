// Package signals keeps what was measured of a group while it runs, decides what of it an assignor is shown, and when a change of it is worth
// a rebalance. It asks nobody and has no clock: package consumer measures, and says what time it is.
//
// A [Store] has the newest number of each signal, for each partition or member; [Rates] makes rates of offsets, [Lag] lags; a [Trigger] keeps
// a group from rebalancing at every turn. None is safe for concurrent use. What they keep is bounded by the [Scope]: a few words for each
// signal of a partition.
package signals

import "time"

// Time is the time since some moment that the caller chooses. It never goes back.
type Time = time.Duration
