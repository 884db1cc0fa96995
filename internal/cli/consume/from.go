package consume

import (
	"errors"
	"strconv"
	"time"

	"github.com/assignkit/assignkit/callbacks"
)

// start reads what --from takes.
func start(text string, now time.Time) (callbacks.Start, error) {
	switch text {
	case "earliest":
		return callbacks.Start{From: callbacks.FromEarliest}, nil
	case "latest":
		return callbacks.Start{From: callbacks.FromLatest}, nil
	}
	if offset, err := strconv.ParseInt(text, 10, 64); err == nil {
		if offset < 0 {
			return callbacks.Start{}, errors.New("an offset is not negative")
		}
		return callbacks.Start{From: callbacks.FromOffset, Offset: offset}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		if ago < 0 {
			return callbacks.Start{}, errors.New("how long ago is not negative")
		}
		return callbacks.Start{From: callbacks.FromTimestamp, Time: now.Add(-ago)}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return callbacks.Start{From: callbacks.FromTimestamp, Time: at}, nil
	}
	return callbacks.Start{}, errors.New("there are earliest, latest, an offset, a time as in 2026-01-31T12:00:00Z, and how long ago, as in 10m")
}
