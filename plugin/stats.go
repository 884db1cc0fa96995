package plugin

import (
	"errors"
	"time"
)

// Stats is how a plugin does.
type Stats struct {
	Plugin  string
	Version string // of the last process, "" before the first
	Running bool   // there is a process
	Starts  int64  // processes that got ready
	Answers int64  // calls that it answered, if with an error
	// Failures counts crashes, calls without an answer in time, answers that make no sense or are larger than a message, and starts that failed.
	Failures        int64
	Causes          Causes // of the failures, which they add up to
	LastFailure     string // "" if there was none
	LastFailureTime time.Time
	// Retry is when it may be started again, in the past if it may.
	Retry time.Time

	Assigns    int64         // calls of Assign that are over, with or without an answer
	AssignTime time.Duration // of all of them together, starts of the plugin that they waited for included
}

// Causes counts failures by what they were.
type Causes struct {
	Refused      int64 // the executable is not there, not locked, not the one that was locked, or not safe to run
	Start        int64 // it did not get ready
	Crash        int64 // it ended
	Unresponsive int64 // it did not answer in time
	Answer       int64 // its answer made no sense, or was larger than a message may be
	Other        int64
}

func (c *Causes) count(err error) {
	is := func(these ...error) bool {
		for _, e := range these {
			if errors.Is(err, e) {
				return true
			}
		}
		return false
	}
	switch {
	case is(ErrNotFound, ErrNotLocked, ErrChanged, ErrUnsafe):
		c.Refused++
	case is(ErrStart):
		c.Start++
	case is(ErrCrashed):
		c.Crash++
	case is(ErrUnresponsive):
		c.Unresponsive++
	case is(ErrAnswer, ErrTooLarge):
		c.Answer++
	default:
		c.Other++
	}
}

// took notes a call of Assign.
func (s *supervisor) took(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Assigns++
	s.stats.AssignTime += time.Since(began)
}

func (s *supervisor) snapshot() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.stats
	out.Plugin, out.Running, out.Retry = s.name, s.current != nil, s.backoff.until
	return out
}
