package simulation

import (
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// Limits of a scenario. They keep a wrong number from exhausting memory or patience.
const (
	MaxMembers = 100_000    // at any time
	MaxSteps   = 100_000    // with each leave and each join of a deploy
	MaxFile    = 16 << 20   // bytes
	MaxName    = 1024       // bytes in a member's id, a topic's name or a pattern of a file
	MaxSize    = 40_000_000 // partitions of all steps together: a [Result] keeps each step's assignment and moves

	maxEffort  = 1 << 24   // members and partitions' facts that all events together look at, see state.spend
	maxFacts   = 1 << 22   // partitions whose racks, weights or signals a file lists
	maxNesting = 32        // of a file's lists and mappings
	maxSigns   = 2_000_000 // line ends, commas, colons, quotes and brackets of a file
)

// A Scenario is a group as it stands at the start, and what happens to it. It is built by [Read], or in code:
//
//	s := &simulation.Scenario{
//		Group: strategy.Group{
//			Topics:  []strategy.Topic{{Name: "orders", Partitions: 12}},
//			Members: simulation.NewMembers(nil, 3),
//		},
//		Events: []simulation.Event{simulation.Join{Count: 1}, simulation.Leave{Members: []string{"member-1"}}},
//	}
//
// [Run] never changes it, so one scenario may be run several times at once.
type Scenario struct {
	// Group is the start. A member's claims (Owned) are what it owned before the first step. A member whose Topics is nil reads all
	// topics, also those created later; empty and not nil, it reads none. Order does not matter.
	Group strategy.Group

	Strategies []string // specifications that the scenario names, for the caller to parse; may be empty
	Events     []Event
	Assertions []*Assertion // what has to be so after each step, for [Assert]; [Run] does not look at them

	strategiesAt []string // file:line:column of each of Strategies, if they were read
}

// StrategyError adds to an error about Strategies[i] where the file names that strategy, if s was read from one.
func (s *Scenario) StrategyError(i int, err error) error {
	if i >= len(s.strategiesAt) {
		return err
	}
	return fmt.Errorf("%s: %w", s.strategiesAt[i], err)
}

// Check returns the [*EventError] of the first thing that cannot happen in s: a duplicate member, an event on a member or topic that is
// not there, more steps than [MaxSteps]. [Run] and [Read] check for themselves.
func (s *Scenario) Check() error {
	_, _, err := s.rehearse()
	return err
}

// Size returns the number of partitions of all steps together, or the error of [Scenario.Check]. What [Run] keeps, and the time that it
// takes, are proportional to it.
func (s *Scenario) Size() (int64, error) {
	_, size, err := s.rehearse()
	return size, err
}

// rehearse applies all events without assigning anything, and returns the number of steps and their partitions together.
func (s *Scenario) rehearse() (steps int, size int64, err error) {
	state, err := newState(s)
	if err != nil {
		return 0, 0, err
	}
	steps = 1
	for i, e := range s.Events {
		changes, err := state.changes(i+1, e)
		if err != nil {
			return 0, 0, err
		}
		if steps += len(changes); steps > MaxSteps {
			return 0, 0, &EventError{Event: i + 1, Text: e.String(), Problem: fmt.Sprintf("more than %d steps in all", MaxSteps)}
		}
		for k := range changes {
			if _, err := state.apply(i+1, e, &changes[k]); err != nil {
				return 0, 0, err
			}
		}
	}
	return steps, state.size, nil
}
