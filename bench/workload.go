package bench

import (
	"time"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// A Workload is a group and what happens to it, as far as it is not up to a seed. It is not changed once it is in use, and may be run
// several times at once.
type Workload struct {
	Name    string // what it is chosen by, such as rolling/static; those that have all before a slash in common are shown together
	Summary string // one line, without a full stop
	Source  string // where its figures are from; "": they are ours

	// New makes what happens with a seed: always the same with the same seed.
	New func(seed uint64) (*Sequence, error)
}

// A Sequence is what happens in a workload with one seed.
type Sequence struct {
	Scenario *simulation.Scenario

	// At says when each event of the scenario happens, from the start on; the times do not fall. Nil: that is not known. Where an event is
	// made of several steps, nil is the only choice.
	At []time.Duration

	// Other returns who answers about a group in place of the assignor that is measured, nil where that one does. It is for groups whose
	// members do not offer that assignor yet, and depends on nothing but the group. Nil: there is no other.
	Other func(g *strategy.Group) strategy.Assignor
}

// Of returns the workload in which a scenario happens, whatever the seed.
func Of(name, summary string, s *simulation.Scenario) Workload {
	return Workload{Name: name, Summary: summary, New: func(uint64) (*Sequence, error) { return &Sequence{Scenario: s}, nil }}
}

// All returns every workload that comes with this package: [Profiles], then those of [Grid].
func All() []Workload {
	list := Profiles()
	for _, s := range Grid() {
		list = append(list, s.Workload())
	}
	return list
}
