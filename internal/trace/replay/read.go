// Package replay makes a scenario of a trace: what happened to a group, so that strategies can be asked what they would have made of it, and
// what its own assignor made of it.
//
// Only lines of leaders count: they have the group. Between two of them members may have left, joined or said something else about
// themselves, and topics may have changed; that is an event. A generation in which nothing of this happened is a further round of the one
// before it, as cooperative groups need one.
package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// A Past is what a trace tells of one group.
type Past struct {
	Group       string
	Generations int      // that the trace has the group of
	Missing     int      // further ones between them: led by a member that does not record
	First, Last int32    // generations
	Assignors   []string // by name on the wire, in the order of their first use
	From, To    time.Time
	Cut         error // says where the last line was cut off, nil if it was not

	// Scenario starts with the group as its first leader found it.
	Scenario simulation.Scenario
	// Answers are those that were given, for each step of Scenario one or several; nil if one is not recorded.
	Answers [][]strategy.Assignment
	// Now is the group as the last generation has left it: members own what they were given.
	Now strategy.Group
}

// GroupError says that a trace has not the one group that is wanted.
type GroupError struct {
	File   string
	Wanted string   // "" is the only one
	Groups []string // that are in it, sorted
}

func (e *GroupError) Error() string {
	switch {
	case len(e.Groups) == 0:
		return e.File + ": there is no line of a group's leader in it; the member that assigns has to record as well"
	case e.Wanted == "":
		return fmt.Sprintf("%s: has several groups: %s", e.File, strings.Join(e.Groups, ", "))
	}
	return fmt.Sprintf("%s: there is no group %q in it; there are %s", e.File, e.Wanted, strings.Join(e.Groups, ", "))
}

// Read reads what a trace tells of a group, "" being the only one in it. file is how errors name the trace; they are [*trace.Error],
// [*GroupError], or that of a history that cannot be.
func Read(file string, in io.Reader, group string) (*Past, error) {
	lines, cut, err := leaders(file, in, group)
	if err != nil {
		return nil, err
	}
	lines = inOrder(lines)
	p := &Past{Group: lines[0].Group, Generations: len(lines), First: lines[0].Generation, Cut: cut}
	for i, r := range lines {
		if i > 0 {
			p.Missing += max(0, int(r.Generation)-int(lines[i-1].Generation)-1)
		}
		if !slices.Contains(p.Assignors, r.Assignor) {
			p.Assignors = append(p.Assignors, r.Assignor)
		}
	}
	last := lines[len(lines)-1]
	p.Last, p.From, p.To = last.Generation, lines[0].Time, last.Time
	p.build(lines)
	if err := p.Scenario.Check(); err != nil {
		return nil, fmt.Errorf("%s: group %q: %w", file, p.Group, err)
	}
	return p, nil
}

// leaders reads the lines that have the group.
func leaders(file string, in io.Reader, group string) (lines []*trace.Rebalance, cut, err error) {
	groups := map[string]bool{}
	wanted := group
	for r, err := range trace.Read(file, in) {
		if errors.Is(err, trace.ErrCut) {
			cut = err
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if r.Asked == nil {
			continue
		}
		groups[r.Group] = true
		if wanted == "" {
			wanted = r.Group
		}
		if r.Group == wanted {
			lines = append(lines, r)
		}
	}
	if len(lines) == 0 || group == "" && len(groups) > 1 {
		return nil, nil, &GroupError{File: file, Wanted: group, Groups: slices.Sorted(maps.Keys(groups))}
	}
	return lines, cut, nil
}

// inOrder puts lines in the order of generations, each once. Members write when their callbacks have returned, so a slow leader's line may
// stand behind that of its successor. A generation that is both lower and later is of a group that began anew.
func inOrder(lines []*trace.Rebalance) []*trace.Rebalance {
	for i := 1; i < len(lines); i++ {
		for k := i; k > 0 && lines[k].Generation < lines[k-1].Generation && lines[k].Time.Before(lines[k-1].Time); k-- {
			lines[k], lines[k-1] = lines[k-1], lines[k]
		}
	}
	return slices.CompactFunc(lines, func(a, b *trace.Rebalance) bool {
		return a.Generation == b.Generation && a.Member == b.Member && cmp.Compare(a.Time.UnixNano(), b.Time.UnixNano()) == 0
	})
}
