package simulate

import (
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
)

// appendChanges writes who has what before and after: the members, and of small groups each partition. Several strategies stand side
// by side where the paper is wide enough.
func (o *options) appendChanges(dst []byte, results []*simulation.Result, names *output.Names, paper output.Paper) []byte {
	members := make([][]change, len(results))
	for k, r := range results {
		members[k] = changes(r)
	}
	v := view{
		results: results, members: members, names: names, full: o.full, whole: o.format == output.Wide, paper: paper,
		fresh: len(results[0].Steps) == 1 && len(before(results[0])) == 0,
	}
	if v.showPartitions() {
		v.partitions = partitionRows(results)
	}
	if len(results) > 1 {
		grids := v.sideBySide()
		if grids.fit(paper) {
			return grids.append(dst, paper)
		}
	}
	return v.stacked(dst)
}

// A view compares the end with the start. If there is but the start, it compares that with what members claimed.
type view struct {
	results    []*simulation.Result
	members    [][]change       // of each strategy
	partitions [][]partitionRow // of each strategy, nil in large groups
	names      *output.Names
	fresh      bool // nobody had anything before
	full       bool // large groups as well
	whole      bool // long lists as well
	paper      output.Paper
}

// title says what the tables are about.
func (v *view) title() string {
	event := eventText(v.results, len(v.results[0].Steps)-1, v.names)
	switch n := len(v.results[0].Steps); {
	case n > 2:
		return fmt.Sprintf("from the start to the end of %d steps, before -> after:", n-1)
	case v.fresh:
		return event + ":"
	}
	return event + ", before -> after:"
}

// large says whether there are too many members to list them all.
func (v *view) large() bool { return !v.full && len(v.members[0]) > many }

// stacked writes the strategies one below the other.
func (v *view) stacked(dst []byte) []byte {
	for k, r := range v.results {
		heading := v.title()
		if len(v.results) > 1 {
			heading = output.Clean(r.Strategy) + ", " + heading
		}
		dst = append(v.paper.Wrap(dst, output.Cell{Text: heading, Style: output.Bold}), '\n')
		if v.large() {
			dst = append(v.loadGrid(k).Append(dst, v.paper), '\n')
		}
		dst = append(v.memberGrid(k).Append(dst, v.paper), '\n')
		if v.partitions != nil {
			dst = append(v.partitionGrid(k).Append(dst, v.paper), '\n')
		}
	}
	return dst
}

// showPartitions says whether every partition is listed: in small groups, in which somebody had something before.
func (v *view) showPartitions() bool {
	if !v.full && partitions(lastStep(v.results[0])) > many {
		return false
	}
	return !v.fresh && (len(v.results[0].Steps) > 1 || slices.ContainsFunc(v.results, func(r *simulation.Result) bool { return len(r.Steps[0].Moved) > 0 }))
}
