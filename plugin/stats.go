package plugin

import "time"

// Stats is how a plugin does.
type Stats struct {
	Plugin  string
	Version string // of the last process, "" before the first
	Running bool   // there is a process
	Starts  int64  // processes that got ready
	Answers int64  // calls that it answered, if with an error
	// Failures counts crashes, calls without an answer in time, answers larger than a message, and starts that failed.
	Failures        int64
	LastFailure     string // "" if there was none
	LastFailureTime time.Time
	// Retry is when it may be started again, in the past if it may.
	Retry time.Time
}

func (s *supervisor) snapshot() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.stats
	out.Plugin, out.Running, out.Retry = s.name, s.current != nil, s.backoff.until
	return out
}
