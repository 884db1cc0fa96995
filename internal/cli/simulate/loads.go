package simulate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
)

// maxLoads is how many rows the table of loads has at most; loads are counted in ranges where there are more.
const maxLoads = 12

// loadGrid counts the members with each number of partitions before and after: what a large group looks like as a whole.
func (v *view) loadGrid(ks ...int) *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "PARTITIONS", Right: true}}}
	for _, k := range ks {
		group := ""
		if len(ks) > 1 {
			group = output.Clean(v.results[k].Strategy)
		}
		if !v.fresh {
			g.Columns = append(g.Columns, output.Column{Title: "BEFORE", Right: true, Group: group})
		}
		g.Columns = append(g.Columns, output.Column{Title: "AFTER", Right: true, Group: group})
	}
	for _, r := range v.ranges(ks) {
		row := []output.Cell{{Text: r.String()}}
		for _, k := range ks {
			before, after := 0, 0
			for i := range v.members[k] {
				before += r.count(v.members[k][i].before)
				after += r.count(v.members[k][i].after)
			}
			if !v.fresh {
				row = append(row, membersCell(before))
			}
			row = append(row, membersCell(after))
		}
		g.Row(row...)
	}
	return g
}

func membersCell(n int) output.Cell {
	if n == 0 {
		return output.Cell{Text: "-", Style: output.Faint}
	}
	return output.Cell{Text: output.Count(n, "member")}
}

// span is a range of loads, both ends in it.
type span struct{ from, to int }

func (s span) String() string {
	if s.from == s.to {
		return strconv.Itoa(s.from)
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

func (s span) count(load int) int {
	if load != absent && s.from <= load && load <= s.to {
		return 1
	}
	return 0
}

// ranges divides the loads that there are into few ranges, of one load each if possible.
func (v *view) ranges(ks []int) []span {
	var loads []int
	for _, k := range ks {
		for i := range v.members[k] {
			loads = append(loads, v.members[k][i].before, v.members[k][i].after)
		}
	}
	slices.Sort(loads)
	loads = slices.Compact(loads)
	if loads[0] == absent {
		loads = loads[1:]
	}
	var out []span
	if len(loads) <= maxLoads {
		for _, n := range loads {
			out = append(out, span{n, n})
		}
		return out
	}
	low, high := loads[0], loads[len(loads)-1]
	step := (high - low + maxLoads) / maxLoads
	for from := low; from <= high; from += step {
		out = append(out, span{from, min(from+step-1, high)})
	}
	return out
}
