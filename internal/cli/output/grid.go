package output

import (
	"strings"
)

// A Grid is a table of text.
type Grid struct {
	Columns []Column
	rows    []row
}

// A Column is one of a [Grid].
type Column struct {
	Title string
	Right bool   // numbers stand on the right
	Fold  bool   // text that is too long for the line goes on below; for the last column only
	Group string // a title over this column and its neighbours of the same group
}

// A Cell is a text with its style.
type Cell struct {
	Text  string
	Style Style
}

// row is a row of cells, or a heading across all columns.
type row struct {
	heading string
	cells   []Cell
}

// gap stands between two columns.
const gap = 2

// Row adds a row. Cells that are missing at its end are empty.
func (g *Grid) Row(cells ...Cell) { g.rows = append(g.rows, row{cells: cells}) }

// Heading adds a text that belongs to no column.
func (g *Grid) Heading(text string) { g.rows = append(g.rows, row{heading: text}) }

// Width is the number of columns of a terminal that the grid wants, a column that folds counted with at most 24.
func (g *Grid) Width() int {
	widths := g.widths()
	for i, c := range g.Columns {
		if c.Fold {
			widths[i] = min(widths[i], 24)
		}
	}
	return total(widths)
}

func total(widths []int) int {
	sum := 0
	for i, w := range widths {
		if i > 0 {
			sum += gap
		}
		sum += w
	}
	return sum
}

func (g *Grid) widths() []int {
	widths := make([]int, len(g.Columns))
	for i, c := range g.Columns {
		widths[i] = width(c.Title)
	}
	for _, r := range g.rows {
		for i, c := range r.cells {
			widths[i] = max(widths[i], width(c.Text))
		}
	}
	return widths
}

// Append writes the grid, titles first, for a terminal of so many columns; 0 is without limit.
func (g *Grid) Append(dst []byte, p Paper) []byte {
	widths := g.widths()
	last := len(widths) - 1
	if g.Columns[last].Fold && p.Width > 0 {
		rest := p.Width - total(widths) + widths[last]
		widths[last] = min(widths[last], max(rest, 20))
	}
	dst = g.groups(dst, widths, p)
	titles := make([]Cell, len(g.Columns))
	for i, c := range g.Columns {
		titles[i] = Cell{Text: c.Title, Style: Title}
	}
	dst = g.line(dst, widths, titles, p)
	for _, r := range g.rows {
		if r.cells == nil {
			dst = append(p.Wrap(dst, Cell{Text: r.heading, Style: Bold}), '\n')
			continue
		}
		dst = g.folded(dst, widths, r.cells, p)
	}
	return dst
}

// groups writes the titles that stand over several columns, if there are any.
func (g *Grid) groups(dst []byte, widths []int, p Paper) []byte {
	var b strings.Builder
	named := false
	for i := 0; i < len(widths); {
		j, span := i+1, widths[i]
		for j < len(widths) && g.Columns[j].Group == g.Columns[i].Group {
			span += gap + widths[j]
			j++
		}
		name := g.Columns[i].Group
		named = named || name != ""
		b.WriteString(name)
		b.WriteString(strings.Repeat(" ", max(0, span-width(name))+gap))
		i = j
	}
	if !named {
		return dst
	}
	return append(p.append(dst, Cell{Text: strings.TrimRight(b.String(), " "), Style: Bold}), '\n')
}

// folded writes a row, on several lines if its last cell has too much text for one.
func (g *Grid) folded(dst []byte, widths []int, cells []Cell, p Paper) []byte {
	last := len(g.Columns) - 1
	if !g.Columns[last].Fold || len(cells) <= last || width(cells[last].Text) <= widths[last] {
		return g.line(dst, widths, cells, p)
	}
	row := append([]Cell(nil), cells...)
	for i, part := range fold(cells[last].Text, widths[last]) {
		if i > 0 {
			row = make([]Cell, len(cells))
			row[last].Style = cells[last].Style
		}
		row[last].Text = part
		dst = g.line(dst, widths, row, p)
	}
	return dst
}

// line writes one line, without spaces at its end.
func (g *Grid) line(dst []byte, widths []int, cells []Cell, p Paper) []byte {
	pending := 0
	for i, c := range cells {
		if i > 0 {
			pending += gap
		}
		room := widths[i] - width(c.Text)
		if g.Columns[i].Right {
			pending += max(0, room)
		}
		if c.Text != "" {
			for range pending {
				dst = append(dst, ' ')
			}
			pending = 0
			dst = p.append(dst, c)
		}
		if !g.Columns[i].Right {
			pending += max(0, room)
		}
	}
	return append(dst, '\n')
}
