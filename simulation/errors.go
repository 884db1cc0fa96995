package simulation

import (
	"fmt"
	"strings"
)

// SyntaxError says what is wrong with a scenario file, and where: what is not YAML, what a scenario does not have, and what makes
// no sense, such as an event on a member that is not there.
type SyntaxError struct {
	File         string
	Line, Column int    // from 1; Line is 0 for what is wrong with the file as a whole
	Problem      string // one line
	Excerpt      string // the line at fault as it stands in the file, "" if there is none
}

// Error returns file:line:column: problem, one line.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Problem)
}

// EventError says which event of a scenario cannot happen.
type EventError struct {
	Event   int    // from 1, 0 is the start
	Text    string // the event
	Problem string

	subject string // the pattern, member or topic at fault, so that the reader finds its position
}

func (e *EventError) Error() string {
	if e.Event == 0 {
		return fmt.Sprintf("start: %s", e.Problem)
	}
	return fmt.Sprintf("event %d (%s): %s", e.Event, e.Text, e.Problem)
}

// RunError says at which step a strategy failed. It unwraps to the assignor's own error, a
// [*strategy.PanicError], the [*strategy.InvalidError] of an answer that breaks the rules, or an [*UnsettledError].
type RunError struct {
	Strategy string
	Step     int    // 0 is the start
	Event    string // as in [Step]
	Err      error
}

func (e *RunError) Error() string {
	return fmt.Sprintf("%s: step %d (%s): %v", e.Strategy, e.Step, e.Event, e.Err)
}

func (e *RunError) Unwrap() error { return e.Err }

// UnsettledError names the partitions that a cooperative assignor still withheld in the last of [MaxRounds] rounds.
type UnsettledError struct {
	Partitions []string // topic-number, in order; the first few
	More       int      // how many beside them
}

func (e *UnsettledError) Error() string {
	more := ""
	if e.More > 0 {
		more = fmt.Sprintf(" and %d more", e.More)
	}
	return fmt.Sprintf("not settled after %d rounds: %s%s still withheld", MaxRounds, strings.Join(e.Partitions, ", "), more)
}
