package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// memberGrid lists the members of one strategy, of large groups only those with the largest changes.
func (v *view) memberGrid(k int) *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "MEMBER"}, {Title: "BEFORE", Right: true}, {Title: "AFTER", Right: true},
		{Title: "GAINED", Right: true}, {Title: "LOST", Right: true}, {Title: "PARTITIONS", Fold: true}}}
	if v.fresh {
		g.Columns = []output.Column{{Title: "MEMBER"}, {Title: "#PARTITIONS", Right: true}, {Title: "PARTITIONS", Fold: true}}
	}
	shown := v.selectMembers(k)
	for _, i := range shown {
		c := &v.members[k][i]
		name := output.Cell{Text: v.names.Show(c.member)}
		if v.fresh {
			g.Row(name, loadCell(c.after, ""), v.listed("", c.gained))
			continue
		}
		g.Row(name, loadCell(c.before, "new"), loadCell(c.after, "left"),
			signed("+", strategy.Count(c.gained), output.Good), signed("-", strategy.Count(c.lost), output.Bad), v.moves(c))
	}
	v.more(g, len(shown))
	return g
}

// more says how many members are not shown.
func (v *view) more(g *output.Grid, shown int) {
	if rest := len(v.members[0]) - shown; rest > 0 {
		g.Heading(fmt.Sprintf("... and %s; --full shows them", output.Count(rest, "more member")))
	}
}

// most is how many members of a large group are shown.
const most = 10

// selectMembers returns the members to show: all, or of large groups those that gain and lose most with any of the strategies.
func (v *view) selectMembers(ks ...int) []int {
	order := make([]int, len(v.members[0]))
	for i := range order {
		order[i] = i
	}
	if !v.large() {
		return order
	}
	weight := make([]int, len(order))
	for _, k := range ks {
		for i := range order {
			c := &v.members[k][i]
			weight[i] += strategy.Count(c.gained) + strategy.Count(c.lost)
			if c.before == absent || c.after == absent {
				weight[i] += 1 << 20 // who comes or goes is the reason for the rest
			}
		}
	}
	if v.fresh { // nothing changes: the first ones are as good as any
		return order[:most]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	order = order[:most]
	slices.Sort(order)
	return order
}

// maxListed is how long a list of partitions gets in a table before it is cut.
const maxListed = 160

// moves lists what a member gains and loses.
func (v *view) moves(c *change) output.Cell {
	gained, lost := v.listed("+", c.gained), v.listed("-", c.lost)
	if gained.Text != "" && lost.Text != "" {
		gained.Text += " "
	}
	return output.Cell{Text: gained.Text + lost.Text}
}

// listed is a list of partitions if it is not too long.
func (v *view) listed(sign string, list []strategy.TopicPartitions) output.Cell {
	if len(list) == 0 {
		return output.Cell{}
	}
	text := output.Partitions(sign, list)
	if len(text) > maxListed && !v.full && !v.whole {
		text = fmt.Sprintf("%s%s of %s", sign, output.Count(strategy.Count(list), "partition"), output.Count(len(list), "topic"))
	}
	return output.Cell{Text: text}
}

func loadCell(n int, missing string) output.Cell {
	if n == absent {
		return output.Cell{Text: missing, Style: output.Changed}
	}
	return output.Cell{Text: strconv.Itoa(n)}
}

func signed(sign string, n int, style output.Style) output.Cell {
	if n == 0 {
		return output.Cell{Text: "-", Style: output.Faint}
	}
	return output.Cell{Text: sign + strconv.Itoa(n), Style: style}
}
