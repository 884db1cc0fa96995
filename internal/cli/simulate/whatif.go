package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// maxCounts is how many numbers of members are compared at most.
const maxCounts = 10_000

// counts is a range of numbers of members.
type counts struct{ from, to int }

func (c *counts) asked() bool { return c.to > 0 }

// parse takes members=FROM..TO, or one number.
func (c *counts) parse(text string) error {
	span, ok := strings.CutPrefix(text, "members=")
	if !ok {
		return fmt.Errorf("%q is not members=FROM..TO", text)
	}
	low, high, ok := strings.Cut(span, "..")
	if !ok {
		high = low
	}
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	switch {
	case err1 != nil || err2 != nil:
		return fmt.Errorf("%q is not members=FROM..TO", text)
	case from < 1 || to < from:
		return fmt.Errorf("%q: a range from 1 upwards is wanted", text)
	case to > simulation.MaxMembers || to-from >= maxCounts:
		return fmt.Errorf("%q: at most %d numbers up to %d are compared", text, maxCounts, simulation.MaxMembers)
	}
	c.from, c.to = from, to
	return nil
}

// outcome is what a strategy makes of one number of members.
type outcome struct {
	Members    int     `json:"members"`
	Max        float64 `json:"max"`
	Min        float64 `json:"min"`
	Idle       int     `json:"idle"` // members that get nothing
	Skew       float64 `json:"skew"`
	Regret     float64 `json:"regret"`
	Unassigned int     `json:"unassigned"` // partitions of all topics that nobody gets
	Helps      bool    `json:"helps"`      // it is better than any smaller number
}

// better says whether fewer partitions are left to nobody than in other, or else the largest load is less.
func (o *outcome) better(other *outcome) bool {
	return cmp.Or(cmp.Compare(o.Unassigned, other.Unassigned), cmp.Compare(o.Max, other.Max)) < 0
}

// comparison is all of them for one strategy.
type comparison struct {
	Strategy string    `json:"strategy"`
	WhatIf   []outcome `json:"what_if"`
}

// whatIf assigns the group's topics afresh to each number of members: its own as far as they go, and new ones.
func (r *runner) whatIf(ctx context.Context, group *strategy.Group, c counts) ([]comparison, error) {
	all := slices.Clone(group.Members)
	for i := range all {
		all[i].Owned, all[i].Generation = nil, strategy.NoGeneration
	}
	if missing := c.to - len(all); missing > 0 {
		all = append(all, simulation.NewMembers(all, missing)...)
	}
	if err := r.affordWhatIf(group, c); err != nil {
		return nil, err
	}
	out := make([]comparison, len(r.strategies))
	for k := range r.strategies {
		s := &r.strategies[k]
		out[k].Strategy = s.spec
		var best *outcome
		// One number below the first tells whether that helps.
		for n := max(1, c.from-1); n <= c.to; n++ {
			scenario := simulation.Scenario{Group: *group}
			scenario.Group.Members = all[:n]
			result, err := simulation.Run(ctx, &scenario, s.spec, s.assignor)
			if err != nil {
				return nil, err
			}
			o := newOutcome(&result.Steps[0])
			o.Helps = best != nil && o.better(best)
			if best == nil || o.Helps {
				best = &o
			}
			if n >= c.from {
				out[k].WhatIf = append(out[k].WhatIf, o)
			}
		}
	}
	return out, nil
}

// affordWhatIf bounds the work: each number of members is a group of its own, and a member costs as much as twenty partitions.
func (r *runner) affordWhatIf(group *strategy.Group, c counts) error {
	partitions := int64(0)
	for i := range group.Topics {
		partitions += int64(group.Topics[i].Partitions)
	}
	numbers := int64(c.to - c.from + 1)
	work := int64(len(r.strategies)) * (numbers*partitions + 20*numbers*int64(c.from+c.to)/2)
	if work > simulation.MaxSize {
		return fmt.Errorf("--what-if members=%d..%d: too much work with %s and %d strategies; a narrower range is wanted",
			c.from, c.to, output.Count(int(partitions), "partition"), len(r.strategies))
	}
	return nil
}

func newOutcome(step *simulation.Step) outcome {
	m := &step.Metrics
	o := outcome{Members: m.Members, Max: m.Max, Min: m.Min, Skew: m.Skew, Regret: m.Regret}
	o.Unassigned = partitions(step)
	for _, list := range step.Assignment.Members {
		if len(list) == 0 {
			o.Idle++
		}
		o.Unassigned -= strategy.Count(list)
	}
	return o
}

// appendWhatIf writes the strategies side by side if the paper is wide enough, else one below the other.
func appendWhatIf(dst []byte, list []comparison, paper output.Paper) []byte {
	grid := whatIfGrid(list)
	if len(list) == 1 || paper.Width == 0 || grid.Width() <= paper.Width {
		dst = grid.Append(dst, paper)
	} else {
		for k := range list {
			if k > 0 {
				dst = append(dst, '\n')
			}
			dst = whatIfGrid(list[k:k+1]).Append(dst, paper)
		}
	}
	dst = append(dst, '\n')
	for k := range list {
		dst = append(paper.Wrap(dst, output.Cell{Text: list[k].summary()}), '\n')
	}
	return dst
}

func whatIfGrid(list []comparison) *output.Grid {
	titles := []string{"MAX", "MIN", "SKEW", "IDLE"}
	unassigned := slices.ContainsFunc(list, func(c comparison) bool { return c.unassigned() })
	if unassigned {
		titles = append(titles, "UNASSIGNED")
	}
	g := &output.Grid{Columns: []output.Column{{Title: "MEMBERS", Right: true}}}
	for k := range list {
		for _, title := range titles {
			g.Columns = append(g.Columns, output.Column{Title: title, Right: true, Group: list[k].Strategy})
		}
		g.Columns = append(g.Columns, output.Column{Title: "HELPS", Group: list[k].Strategy})
	}
	for i := range list[0].WhatIf {
		row := []output.Cell{{Text: strconv.Itoa(list[0].WhatIf[i].Members)}}
		for k := range list {
			o := &list[k].WhatIf[i]
			row = append(row, output.Cell{Text: output.Number(o.Max)}, output.Cell{Text: output.Number(o.Min)},
				output.Cell{Text: output.Number(o.Skew)}, badCell(o.Idle))
			if unassigned {
				row = append(row, badCell(o.Unassigned))
			}
			row = append(row, helpsCell(o.Helps))
		}
		g.Row(row...)
	}
	return g
}

func badCell(n int) output.Cell {
	c := output.Cell{Text: strconv.Itoa(n)}
	if n > 0 {
		c.Style = output.Bad
	}
	return c
}

func helpsCell(helps bool) output.Cell {
	if helps {
		return output.Cell{Text: "yes", Style: output.Good}
	}
	return output.Cell{Text: "-", Style: output.Faint}
}

// unassigned says whether partitions are left to nobody with any number of members.
func (c *comparison) unassigned() bool {
	return slices.ContainsFunc(c.WhatIf, func(o outcome) bool { return o.Unassigned > 0 })
}

// summary says which numbers of members are worth having: those at which the largest load falls, or less is left to nobody.
func (c *comparison) summary() string {
	var helping []int32
	for _, o := range c.WhatIf {
		if o.Helps {
			helping = append(helping, int32(o.Members))
		}
	}
	numbers := strings.ReplaceAll(output.Numbers(helping), ",", ", ") + " members"
	switch name := output.Clean(c.Strategy); {
	case len(helping) == 0 && c.unassigned():
		return name + ": no number of members lowers the largest load or has fewer unassigned"
	case len(helping) == 0:
		return name + ": no number of members lowers the largest load"
	case c.unassigned():
		return name + ": fewer are unassigned, or the largest load falls, with " + numbers
	default:
		return name + ": the largest load falls with " + numbers
	}
}
