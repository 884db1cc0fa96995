package group

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/live"
)

// memberColumns are those of the table of members. Columns without a show are always there, those with need not be: they are where a
// member has something to say in them, as long as there is room for those that only repeat what the id begins with.
var memberColumns = []struct {
	output.Column
	cell   func(r *report, i int) output.Cell
	show   func(m *live.Member) bool // nil: always
	wide   bool                      // only with -o wide
	repeat func(m *live.Member) bool // says the same as the id
}{
	{Column: output.Column{Title: "CONSUMER-ID"}, cell: func(r *report, i int) output.Cell { return output.Cell{Text: r.names.Show(r.group.Members[i].ID)} }},
	{
		Column: output.Column{Title: "GROUP-INSTANCE-ID"}, cell: func(r *report, i int) output.Cell { return dash(r.group.Members[i].InstanceID) },
		show: func(m *live.Member) bool { return m.InstanceID != "" }, repeat: func(m *live.Member) bool { return redundant(m.InstanceID, m.ID) },
	},
	{Column: output.Column{Title: "HOST"}, cell: func(r *report, i int) output.Cell { return dash(r.group.Members[i].Host) }},
	{
		Column: output.Column{Title: "CLIENT-ID"}, cell: func(r *report, i int) output.Cell { return dash(r.group.Members[i].ClientID) },
		show: func(m *live.Member) bool { return m.ClientID != "" }, repeat: func(m *live.Member) bool { return redundant(m.ClientID, m.ID) },
	},
	{
		Column: output.Column{Title: "RACK"}, cell: func(r *report, i int) output.Cell { return dash(r.group.Members[i].Rack) },
		show: func(m *live.Member) bool { return m.Rack != "" }, wide: true,
	},
	{
		Column: output.Column{Title: "EPOCH", Right: true}, cell: func(r *report, i int) output.Cell {
			return output.Cell{Text: strconv.Itoa(int(r.group.Members[i].Epoch))}
		},
		show: func(m *live.Member) bool { return m.Epoch >= 0 }, wide: true,
	},
	{
		Column: output.Column{Title: "CAPACITY", Right: true}, cell: capacityCell,
		show: func(m *live.Member) bool { return m.Capacity > 1 || m.Draining },
	},
	{
		Column: output.Column{Title: "LABELS"}, cell: labelsCell,
		show: func(m *live.Member) bool { return len(m.Labels) > 0 }, wide: true,
	},
	{
		Column: output.Column{Title: "TOPICS"}, cell: topicsCell,
		show: func(*live.Member) bool { return true }, wide: true,
	},
	{
		Column: output.Column{Title: "#PARTITIONS", Right: true},
		cell:   func(r *report, i int) output.Cell { return output.Cell{Text: strconv.Itoa(r.group.Members[i].Count())} },
	},
	{
		Column: output.Column{Title: "LAG", Right: true},
		cell:   func(r *report, i int) output.Cell { return output.Cell{Text: strconv.FormatInt(r.lags[i], 10)} },
	},
	{Column: output.Column{Title: "ASSIGNMENT", Fold: true}, cell: assignmentCell},
}

// memberGrid lists the members, of large groups those that are furthest behind. Columns that repeat the ids give way if the table is
// wider than the paper.
func (r *report) memberGrid() *output.Grid {
	g := r.membersWith(true)
	if r.paper.Width > 0 && g.Width() > r.paper.Width {
		g = r.membersWith(false)
	}
	return g
}

func (r *report) membersWith(repeats bool) *output.Grid {
	g := &output.Grid{}
	members := r.group.Members
	var cells []func(*report, int) output.Cell
	for _, c := range memberColumns {
		switch {
		case c.wide && !r.wide, c.show != nil && !has(members, c.show):
			continue
		case c.repeat != nil && !repeats && !has(members, func(m *live.Member) bool { return !c.repeat(m) }):
			continue
		}
		g.Columns = append(g.Columns, c.Column)
		cells = append(cells, c.cell)
	}
	shown := r.selectMembers()
	for _, i := range shown {
		row := make([]output.Cell, len(cells))
		for k, cell := range cells {
			row[k] = cell(r, i)
		}
		g.Row(row...)
	}
	if rest := len(members) - len(shown); rest > 0 {
		g.Heading(fmt.Sprintf("... and %s, none further behind; --full shows them", output.Count(rest, "more member")))
	}
	return g
}

func has(members []live.Member, f func(*live.Member) bool) bool {
	for i := range members {
		if f(&members[i]) {
			return true
		}
	}
	return false
}

// selectMembers returns the members to show, by name as people count.
func (r *report) selectMembers() []int {
	order := make([]int, len(r.group.Members))
	for i := range order {
		order[i] = i
	}
	byName := func(a, b int) int { return output.CompareNames(r.group.Members[a].ID, r.group.Members[b].ID) }
	slices.SortFunc(order, byName)
	if len(order) <= many || r.full {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.lags[b], r.lags[a]), cmp.Compare(r.group.Members[b].Count(), r.group.Members[a].Count()))
	})
	return order[:most]
}

func capacityCell(r *report, i int) output.Cell {
	m := &r.group.Members[i]
	if m.Draining {
		return output.Cell{Text: "draining", Style: output.Changed}
	}
	return output.Cell{Text: strconv.Itoa(int(max(1, m.Capacity)))}
}

func labelsCell(r *report, i int) output.Cell {
	labels := r.group.Members[i].Labels
	parts := make([]string, 0, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, output.Clean(key)+"="+output.Clean(labels[key]))
	}
	return dash(strings.Join(parts, ","))
}

func topicsCell(r *report, i int) output.Cell {
	m := &r.group.Members[i]
	if m.Pattern != "" {
		return output.Cell{Text: "/" + output.Clean(m.Pattern) + "/"}
	}
	if len(m.Topics) > most {
		return output.Cell{Text: output.Count(len(m.Topics), "topic")}
	}
	return dash(strings.Join(m.Topics, ","))
}

func assignmentCell(r *report, i int) output.Cell {
	m := &r.group.Members[i]
	text := output.Partitions("", m.Owned)
	if len(text) > maxListed && !r.full && !r.wide {
		text = fmt.Sprintf("%s of %s", output.Count(m.Count(), "partition"), output.Count(len(m.Owned), "topic"))
	}
	if m.SetAside {
		return output.Cell{Text: strings.TrimSpace(text + " (set aside)"), Style: output.Bad}
	}
	if text == "" {
		return dash("")
	}
	return output.Cell{Text: text}
}
