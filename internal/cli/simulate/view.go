package simulate

import (
	"slices"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
)

// appendChanges writes who has what before and after the last step: the members, and of small groups each partition. Several
// strategies stand side by side where the paper is wide enough.
func (o *options) appendChanges(dst []byte, results []*simulation.Result, paper output.Paper) []byte {
	last := len(results[0].Steps) - 1
	names := o.names(results, last, paper)
	members := make([][]change, len(results))
	for k, r := range results {
		members[k] = changes(r, last)
	}
	v := view{
		results: results, last: last, members: members, names: names, full: o.full, paper: paper,
		fresh: last == 0 && len(previous(results[0], 0)) == 0,
	}
	if v.showPartitions() {
		v.partitions = partitionRows(results, last)
	}
	if len(results) > 1 {
		grids := v.sideBySide()
		if grids.fit(paper) {
			return grids.append(dst, paper)
		}
	}
	return v.stacked(dst)
}

// names decides how to show the members of a step and of the one before.
func (o *options) names(results []*simulation.Result, i int, paper output.Paper) *output.Names {
	if o.format == output.Wide {
		return output.FullNames()
	}
	var ids []string
	for id := range results[0].Steps[i].Assignment.Members {
		ids = append(ids, id)
	}
	for id := range previous(results[0], i) {
		ids = append(ids, id)
	}
	return output.ShortNames(ids, paper.Width)
}

// A view is the last step as it is to be shown.
type view struct {
	results    []*simulation.Result
	last       int
	members    [][]change       // of each strategy
	partitions [][]partitionRow // of each strategy, nil in large groups
	names      *output.Names
	fresh      bool // nobody had anything before
	full       bool
	paper      output.Paper
}

// title says what the tables are about.
func (v *view) title() string {
	event := output.Clean(v.results[0].Steps[v.last].Event)
	if v.fresh {
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
		dst = append(v.paper.Append(dst, output.Bold, heading), '\n')
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
	if !v.full && partitions(&v.results[0].Steps[v.last]) > many {
		return false
	}
	return v.last > 0 || slices.ContainsFunc(v.results, func(r *simulation.Result) bool { return len(r.Steps[0].Moved) > 0 })
}
