package consumer

import (
	"errors"
	"maps"
	"time"

	"github.com/assignkit/assignkit/internal/fetch"
)

// A reading is what the watch has seen of a worker's reader.
type reading struct {
	reader    *fetch.Partition
	since     time.Time // when it was seen to be well last
	restarted time.Time // when it was begun anew for not being well, zero if it is
}

// lookAtReading begins anew what was not read for too long without any error. An answer that brings nothing is enough to be well: where a
// broker has records and does not send them, the fetcher says so itself, and an open transaction looks the same from here.
func (h *health) lookAtReading(now time.Time, workers []*worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[*worker]bool{}
	for _, w := range workers {
		reader := w.reader.Load()
		if reader == nil || w.stopping.Load() {
			continue // it waits for the one before to end, or ends
		}
		seen[w] = true
		r := h.readings[w]
		if r == nil {
			r = &reading{}
			h.readings[w] = r
		}
		if r.reader != reader {
			r.reader, r.since = reader, now
		}
		s := reader.State()
		switch {
		case errors.Is(s.Err, fetch.ErrClosed): // and will be begun anew when the handler returns
			r.since = now
			continue
		case s.Full, s.Err != nil: // it waits for the handler, or for what is told by ReadTrouble
			r.since, r.restarted = now, time.Time{}
			continue
		case s.Answered.After(r.since):
			r.since, r.restarted = s.Answered, time.Time{}
		}
		if silence := now.Sub(r.since); silence >= h.driver.cfg.StalledAfter {
			r.restarted = now
			w.restart()
			h.driver.observe(FetchRestarted{Partition: w.at, For: silence, Next: s.Next})
		}
	}
	maps.DeleteFunc(h.readings, func(w *worker, _ *reading) bool { return !seen[w] })
}

// unread returns the workers whose reading was begun anew and has not come to anything yet.
func (h *health) unread() (list []*worker) {
	for w, r := range h.readings {
		if !r.restarted.IsZero() {
			list = append(list, w)
		}
	}
	return list
}
