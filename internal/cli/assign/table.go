package assign

import (
	"slices"
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// table shows one answer to people.
func (w *answerer) table(where string, answer *strategy.Assignment, problem error) []byte {
	paper := output.Paper{Width: w.opts.io.Width, Color: w.opts.io.Color}
	var text []byte
	if w.answered > 1 {
		text = append(text, '\n')
	}
	text = paper.Append(text, output.Bold, where)
	if problem != nil {
		text = append(text, ": "...)
		text = paper.Append(text, output.Bad, output.Clean(problem.Error()))
		return append(text, '\n')
	}
	text = append(text, '\n')
	ids := make([]string, 0, len(answer.Members))
	for id := range answer.Members {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, output.CompareNames)
	names := output.ShortNames(ids, paper.Width)
	if w.opts.format == output.Wide {
		names, paper.Width = output.FullNames(), 0
	}
	g := output.Grid{Columns: []output.Column{{Title: "MEMBER"}, {Title: "#PARTITIONS", Right: true}, {Title: "ASSIGNMENT", Fold: true}}}
	for _, id := range ids {
		g.Row(output.Cell{Text: names.Show(id)}, output.Cell{Text: strconv.Itoa(answer.Count(id))},
			output.Cell{Text: output.Partitions("", answer.Members[id])})
	}
	for _, u := range answer.Unassigned {
		g.Row(output.Cell{Text: "-", Style: output.Faint}, output.Cell{Text: string(u.Reason), Style: output.Changed},
			output.Cell{Text: output.Clean(u.Topic) + ":" + strconv.Itoa(int(u.Partition))})
	}
	return g.Append(text, paper)
}
