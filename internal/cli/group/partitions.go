package group

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/live"
)

// large says whether there are too many partitions to list them all.
func (r *report) large() bool { return !r.full && r.group.Partitions() > many }

// partitionGrid lists all partitions, in the order of topics and numbers.
func (r *report) partitionGrid() *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "TOPIC"}, {Title: "PARTITION", Right: true}, {Title: "CURRENT-OFFSET", Right: true},
		{Title: "LOG-END-OFFSET", Right: true}, {Title: "LAG", Right: true}, {Title: "CONSUMER-ID"}}}
	racks := r.wide && slices.ContainsFunc(r.group.Topics, func(t live.Topic) bool { return t.Racks != nil })
	if racks {
		g.Columns = append(g.Columns, output.Column{Title: "RACKS"})
	}
	for i := range r.group.Topics {
		t := &r.group.Topics[i]
		for p := range t.Owner {
			row := []output.Cell{{Text: output.Clean(t.Name)}, {Text: strconv.Itoa(p)}, offset(t.Committed[p]), offset(t.End[p]), offset(t.Lag(p)), r.owner(t, p)}
			if racks {
				at := ""
				if t.Racks != nil {
					at = strings.Join(t.Racks[p], ",")
				}
				row = append(row, dash(at))
			}
			g.Row(row...)
		}
	}
	return g
}

func (r *report) owner(t *live.Topic, partition int) output.Cell {
	if o := t.Owner[partition]; o >= 0 {
		return output.Cell{Text: r.names.Show(r.group.Members[o].ID)}
	}
	if t.Subscribed && !t.Gone {
		return output.Cell{Text: "NOBODY", Style: output.Bad}
	}
	return dash("")
}

// topicGrid lists the topics of a large group: those that are furthest behind, if there are many.
func (r *report) topicGrid() *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "TOPIC"}, {Title: "#PARTITIONS", Right: true}, {Title: "OWNED", Right: true},
		{Title: "LAG", Right: true}, {Title: "MOST-BEHIND"}}}
	shown := make([]*live.Topic, len(r.group.Topics))
	for i := range shown {
		shown[i] = &r.group.Topics[i]
	}
	heading := "--full shows each partition"
	if len(shown) > many {
		slices.SortStableFunc(shown, func(a, b *live.Topic) int { return cmp.Compare(b.TotalLag(), a.TotalLag()) })
		heading = fmt.Sprintf("... and %s, none further behind; --full shows each partition", output.Count(len(shown)-most, "more topic"))
		shown = shown[:most]
	}
	for _, t := range shown {
		owned := 0
		worst := -1
		for p, o := range t.Owner {
			if o >= 0 {
				owned++
			}
			if lag := t.Lag(p); lag > 0 && (worst < 0 || lag > t.Lag(worst)) {
				worst = p
			}
		}
		behind := dash("")
		if worst >= 0 {
			behind = output.Cell{Text: fmt.Sprintf("%d: %d", worst, t.Lag(worst))}
		}
		count := output.Cell{Text: strconv.Itoa(owned)}
		if owned < len(t.Owner) && t.Subscribed {
			count.Style = output.Bad
		}
		g.Row(output.Cell{Text: output.Clean(t.Name)}, output.Cell{Text: strconv.Itoa(len(t.Owner))}, count, output.Cell{Text: strconv.FormatInt(t.TotalLag(), 10)}, behind)
	}
	g.Heading(heading)
	return g
}
