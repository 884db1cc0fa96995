package bench

import (
	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/output"
)

// printList lists workloads: a table, or a JSON line each.
func (o *options) printList(list []bench.Workload) error {
	if o.format == output.JSON {
		for _, w := range list {
			err := writeLine(o.io.Out, struct {
				Name    string `json:"name"`
				Summary string `json:"summary"`
				Source  string `json:"source,omitempty"`
			}{w.Name, w.Summary, w.Source})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if o.format == output.Wide {
		return o.printWide(list)
	}
	// Names of the grid are long, and say what the workloads are.
	profiles := output.Grid{Columns: []output.Column{{Title: "WORKLOAD"}, {Title: "SUMMARY", Fold: true}}}
	grid := output.Grid{Columns: []output.Column{{Title: "WORKLOAD"}}}
	named, sized := 0, 0
	for _, w := range list {
		if group(w.Name) == "grid" {
			grid.Row(output.Cell{Text: w.Name})
			sized++
			continue
		}
		profiles.Row(output.Cell{Text: output.Clean(w.Name)}, output.Cell{Text: w.Summary})
		named++
	}
	var text []byte
	if named > 0 {
		text = profiles.Append(text, o.paper())
	}
	if named > 0 && sized > 0 {
		text = append(text, '\n')
	}
	if sized > 0 {
		text = grid.Append(text, o.paper())
	}
	_, err := o.io.Out.Write(text)
	return err
}

func (o *options) printWide(list []bench.Workload) error {
	g := output.Grid{Columns: []output.Column{{Title: "WORKLOAD"}, {Title: "SUMMARY"}, {Title: "SOURCE"}}}
	for _, w := range list {
		row := []output.Cell{{Text: output.Clean(w.Name)}, {Text: w.Summary}}
		if w.Source != "" {
			row = append(row, output.Cell{Text: w.Source})
		}
		g.Row(row...)
	}
	_, err := o.io.Out.Write(g.Append(nil, o.paper()))
	return err
}

// paper is what tables are written on.
func (o *options) paper() output.Paper {
	if o.format == output.Wide {
		return output.Paper{Color: o.io.Color}
	}
	return output.Paper{Width: o.io.Width, Color: o.io.Color}
}
