package simulate

import (
	"fmt"
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// tables have a column for each strategy.
type tables struct {
	title      string
	loads      *output.Grid // only of large groups
	members    *output.Grid
	partitions *output.Grid // nil in large groups
}

// fit says whether they are no wider than the paper.
func (t *tables) fit(p output.Paper) bool {
	if p.Width == 0 {
		return true
	}
	for _, g := range []*output.Grid{t.loads, t.members, t.partitions} {
		if g != nil && g.Width() > p.Width {
			return false
		}
	}
	return true
}

func (t *tables) append(dst []byte, p output.Paper) []byte {
	dst = append(p.Wrap(dst, output.Cell{Text: t.title, Style: output.Bold}), '\n')
	for _, g := range []*output.Grid{t.loads, t.members, t.partitions} {
		if g != nil {
			dst = append(g.Append(dst, p), '\n')
		}
	}
	return dst
}

func (v *view) sideBySide() *tables {
	t := &tables{title: v.title(), members: v.memberColumns()}
	if v.large() {
		t.loads = v.loadGrid(v.all()...)
	}
	if v.partitions != nil {
		t.partitions = v.partitionColumns()
	}
	return t
}

// all numbers the strategies.
func (v *view) all() []int {
	ks := make([]int, len(v.results))
	for k := range ks {
		ks[k] = k
	}
	return ks
}

// memberColumns has one row a member, and of each strategy how many partitions it has before and after. All strategies have the same
// members.
func (v *view) memberColumns() *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "MEMBER"}}}
	for _, r := range v.results {
		g.Columns = append(g.Columns, output.Column{Title: output.Clean(r.Strategy)})
	}
	shown := v.selectMembers(v.all()...)
	for _, i := range shown {
		row := []output.Cell{{Text: v.names.Show(v.members[0][i].member)}}
		for k := range v.results {
			row = append(row, v.changeCell(&v.members[k][i]))
		}
		g.Row(row...)
	}
	v.more(g, len(shown))
	return g
}

// changeCell is such as "4 -> 3 (-1)", or "4" where nothing changes.
func (v *view) changeCell(c *change) output.Cell {
	gained, lost := strategy.Count(c.gained), strategy.Count(c.lost)
	switch {
	case v.fresh:
		return output.Cell{Text: strconv.Itoa(c.after)}
	case c.after == absent:
		return output.Cell{Text: fmt.Sprintf("%d -> left", c.before), Style: output.Bad}
	case c.before == absent:
		return output.Cell{Text: fmt.Sprintf("new -> %d", c.after), Style: output.Good}
	case gained == 0 && lost == 0:
		return output.Cell{Text: strconv.Itoa(c.after)}
	}
	text := fmt.Sprintf("%d -> %d (", c.before, c.after)
	if gained > 0 {
		text += fmt.Sprintf("+%d", gained)
	}
	if lost > 0 {
		if gained > 0 {
			text += " "
		}
		text += fmt.Sprintf("-%d", lost)
	}
	return output.Cell{Text: text + ")", Style: output.Changed}
}

// partitionColumns has one row a partition, and of each strategy who has it, with who had it if that changes.
func (v *view) partitionColumns() *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "PARTITION"}}}
	for _, r := range v.results {
		g.Columns = append(g.Columns, output.Column{Title: output.Clean(r.Strategy)})
	}
	for i := range v.partitions[0] {
		row := []output.Cell{{Text: v.partitions[0][i].name}}
		for k := range v.results {
			p := &v.partitions[k][i]
			cell := v.afterCell(p)
			if p.moved() {
				cell = output.Cell{Text: v.nameCell(p.before, 0).Text + " -> " + cell.Text, Style: output.Changed}
			}
			row = append(row, cell)
		}
		g.Row(row...)
	}
	return g
}
