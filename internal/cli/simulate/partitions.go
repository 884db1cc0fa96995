package simulate

import (
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// A partitionRow is one partition before and after a step, with "" for nobody.
type partitionRow struct {
	name          string
	before, after string
	note          string // why it is not where it was
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
func partitionRows(results []*simulation.Result, i int) [][]partitionRow {
	rows := make([][]partitionRow, len(results))
	for k, r := range results {
		step := &r.Steps[i]
		before := ownersByName(previous(r, i))
		after := ownersByName(step.Assignment.Members)
		notes := map[strategy.TopicPartition]string{}
		for _, m := range step.Moved {
			notes[strategy.TopicPartition{Topic: m.Topic, Partition: m.Partition}] = m.Kind.String()
		}
		for _, u := range step.Assignment.Unassigned {
			notes[strategy.TopicPartition{Topic: u.Topic, Partition: u.Partition}] = string(u.Reason)
		}
		rows[k] = make([]partitionRow, 0, partitions(step))
		for n := range step.Group.Topics {
			t := &step.Group.Topics[n]
			for p := range t.Partitions {
				id := strategy.TopicPartition{Topic: t.Name, Partition: p}
				row := partitionRow{name: output.Clean(t.Name) + ":" + strconv.Itoa(int(p)), before: before[id], after: after[id], note: notes[id]}
				if row.note == "" && row.moved() {
					row.note = "new"
				}
				rows[k] = append(rows[k], row)
			}
		}
	}
	return rows
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
		if !p.moved() {
			g.Row(output.Cell{Text: p.name}, v.nameCell(p.before, output.Plain), output.Cell{}, v.nameCell(p.after, output.Plain))
			continue
		}
		g.Row(output.Cell{Text: p.name}, v.nameCell(p.before, output.Bad), output.Cell{Text: "->", Style: output.Changed},
			v.nameCell(p.after, output.Good), output.Cell{Text: p.note, Style: output.Changed})
	}
	return g
}

func (v *view) nameCell(id string, style output.Style) output.Cell {
	if id == "" {
		return output.Cell{Text: "-", Style: output.Faint}
	}
	return output.Cell{Text: v.names.Show(id), Style: style}
}
