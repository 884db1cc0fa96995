package plugin

import (
	"errors"
	"slices"
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

// refusals are the errors of plugins that must not run, or are not there.
var refusals = []error{ErrNotFound, ErrNotLocked, ErrChanged, ErrUnsafe}

func (c *Causes) count(err error) {
	switch {
	case isAny(err, refusals...):
		c.Refused++
	case isAny(err, ErrStart):
		c.Start++
	case isAny(err, ErrCrashed):
		c.Crash++
	case isAny(err, ErrUnresponsive):
		c.Unresponsive++
	case isAny(err, ErrAnswer, ErrTooLarge):
		c.Answer++
	default:
		c.Other++
	}
}

func isAny(err error, these ...error) bool {
	return slices.ContainsFunc(these, func(e error) bool { return errors.Is(err, e) })
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
