package simulate

import (
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// A partitionRow is one partition before and after, with "" for nobody.
type partitionRow struct {
	name          string
	before, after string
	reason        string // why nobody gets it
	note          string // how it moved
}

// moved says whether the partition is not where it was.
func (p *partitionRow) moved() bool { return p.before != p.after }

// partitions counts those of all topics.
func partitions(s *simulation.Step) int {
	n := 0
	for i := range s.Group.Topics {
		n += int(s.Group.Topics[i].Partitions)
	}
	return n
}

// partitionRows lists all partitions of the group for each strategy, in the order of topics and numbers.
func partitionRows(results []*simulation.Result) [][]partitionRow {
	rows := make([][]partitionRow, len(results))
	for k, r := range results {
		last := lastStep(r)
		was, is := ownersByName(before(r)), ownersByName(last.Assignment.Members)
		moves := movesByName(r)
		reasons := map[strategy.TopicPartition]string{}
		for _, u := range last.Assignment.Unassigned {
			reasons[strategy.TopicPartition{Topic: u.Topic, Partition: u.Partition}] = string(u.Reason)
		}
		rows[k] = make([]partitionRow, 0, partitions(last))
		for n := range last.Group.Topics {
			t := &last.Group.Topics[n]
			for p := range t.Partitions {
				id := strategy.TopicPartition{Topic: t.Name, Partition: p}
				row := partitionRow{name: output.Clean(t.Name) + ":" + strconv.Itoa(int(p)), before: was[id], after: is[id], reason: reasons[id]}
				row.note = moveNote(moves[id])
				if row.note == "" && row.moved() {
					row.note = "new"
				}
				rows[k] = append(rows[k], row)
			}
		}
	}
	return rows
}

// movesByName collects how each partition moved between what is compared.
func movesByName(r *simulation.Result) map[strategy.TopicPartition][]simulation.MoveKind {
	steps := r.Steps
	if len(steps) > 1 {
		steps = steps[1:]
	}
	moves := map[strategy.TopicPartition][]simulation.MoveKind{}
	for i := range steps {
		for _, m := range steps[i].Moved {
			id := strategy.TopicPartition{Topic: m.Topic, Partition: m.Partition}
			moves[id] = append(moves[id], m.Kind)
		}
	}
	return moves
}

func moveNote(moves []simulation.MoveKind) string {
	switch len(moves) {
	case 0:
		return ""
	case 1:
		return moves[0].String()
	}
	return output.Count(len(moves), "move")
}

func ownersByName(members map[string][]strategy.TopicPartitions) map[strategy.TopicPartition]string {
	owners := map[strategy.TopicPartition]string{}
	for id, list := range members {
		for _, tp := range list {
			for _, p := range tp.Partitions {
				owners[strategy.TopicPartition{Topic: tp.Topic, Partition: p}] = id
			}
		}
	}
	return owners
}

// partitionGrid lists the partitions of one strategy.
func (v *view) partitionGrid(k int) *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "PARTITION"}, {Title: "BEFORE"}, {Title: ""}, {Title: "AFTER"}, {Title: "MOVE"}}}
	for i := range v.partitions[k] {
		p := &v.partitions[k][i]
		row := []output.Cell{{Text: p.name}, v.nameCell(p.before, output.Plain), {}, v.afterCell(p), {Text: p.note, Style: output.Changed}}
		if p.moved() {
			row[1].Style, row[2], row[3].Style = output.Bad, output.Cell{Text: "->", Style: output.Changed}, output.Good
		}
		g.Row(row...)
	}
	return g
}

func (v *view) nameCell(id string, style output.Style) output.Cell {
	if id == "" {
		return output.Cell{Text: "-", Style: output.Faint}
	}
	return output.Cell{Text: v.names.Show(id), Style: style}
}

// afterCell is who gets a partition, or why nobody does.
func (v *view) afterCell(p *partitionRow) output.Cell {
	c := v.nameCell(p.after, output.Plain)
	if p.after == "" && p.reason != "" {
		c.Text += " (" + p.reason + ")"
	}
	return c
}
