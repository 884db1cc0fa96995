package page

import (
	"fmt"
	"math"
)

// chartHeight is that of moves and skew, in pixels.
const chartHeight = 88

// A chart has measures of all columns below a common scale.
type chart struct {
	Kind    string
	Title   string
	About   string
	Columns int
	Height  int
	Top     string // the number at the upper end of the scale
	Ticks   string // the number of the last step, "" if there is only the start
	Bars    []path
	Lines   []path
}

// A scale is what the charts of a case have in common, so that strategies can be compared by eye.
type scale struct {
	moves   int
	skew    float64
	load    float64
	optimum bool // it is known for some step
}

func (s *scale) fit(columns []column) {
	for i := range columns {
		c := &columns[i]
		s.moves = max(s.moves, c.metrics.Voluntary+c.metrics.Forced)
		s.skew = max(s.skew, c.metrics.Skew)
		if !math.IsNaN(c.optimum) {
			s.optimum, s.skew = true, max(s.skew, c.optimum)
		}
	}
}

// movesChart has a bar for each column: forced moves below, then voluntary ones that evenness needs, then those that it does not.
func movesChart(columns []column, s *scale) *chart {
	c := &chart{Kind: "moves", Title: "Partitions that move", Columns: len(columns), Height: chartHeight, Top: grouped(s.moves)}
	if last := columns[len(columns)-1].to; last > 0 {
		c.Ticks = grouped(last)
	}
	gap := 0.2
	if len(columns) > maxColumns/4 {
		gap = 0
	}
	var pen artist
	total, most, at := 0, 0, 0
	unit := float64(chartHeight) / float64(max(1, s.moves))
	for i := range columns {
		m := &columns[i].metrics
		needed, class := m.Voluntary-min(m.Excess, m.Voluntary), "needed"
		if m.Bound {
			needed, class = m.Voluntary, "voluntary"
		}
		n := m.Voluntary + m.Forced
		unit := unit
		if n > 0 {
			unit = max(unit, 1/float64(n)) // what there is can be seen
		}
		floor := float64(chartHeight)
		for _, part := range []struct {
			class string
			moves int
		}{{"forced", m.Forced}, {class, needed}, {"excess", m.Voluntary - needed}} {
			top := floor - unit*float64(part.moves)
			pen.bar(part.class, i, gap, top, floor)
			floor = top
		}
		if total += n; n > most {
			most, at = n, i
		}
	}
	c.Bars = pen.paths()
	c.About = "No partition moves."
	if total > 0 {
		c.About = fmt.Sprintf("%s in all, at most %s in %s.", grouped(total), grouped(most), columns[at].name())
	}
	return c
}

// skewChart has the skew as a line above that of the optimum.
func skewChart(columns []column, s *scale) *chart {
	c := &chart{Kind: "skew", Title: "Skew", Columns: len(columns), Height: chartHeight, Top: measured(s.skew)}
	if s.optimum {
		c.Title = "Skew, and that of the optimum"
	}
	y := func(skew float64) float64 { return chartHeight - 1 - (chartHeight-2)*skew/math.Max(s.skew, 1e-9) }
	var area, lines artist
	worst, at := 0.0, 0
	for i := range columns {
		col := &columns[i]
		if col.metrics.Members == 0 {
			continue
		}
		if !math.IsNaN(col.optimum) {
			area.bar("above", i, 0, y(col.metrics.Skew), y(col.optimum))
			lines.level("least", i, y(col.optimum), i > 0 && columns[i-1].metrics.Members > 0 && !math.IsNaN(columns[i-1].optimum))
		}
		lines.level("skew", i, y(col.metrics.Skew), i > 0 && columns[i-1].metrics.Members > 0)
		if col.metrics.Skew > worst {
			worst, at = col.metrics.Skew, i
		}
	}
	c.Bars, c.Lines = area.paths(), lines.paths()
	c.About = fmt.Sprintf("At most %s in %s.", measured(worst), columns[at].name())
	if worst == 0 {
		c.About = "0 throughout."
	}
	return c
}

// level goes on with a line through a column, or begins one.
func (a *artist) level(class string, column int, y float64, goOn bool) {
	a.add(class, func(d []byte) []byte {
		if goOn {
			d = number(append(d, 'V'), y)
		} else {
			d = number(append(d, 'M'), float64(column))
			d = number(append(d, ' '), y)
		}
		return number(append(d, 'H'), float64(column+1))
	})
}

// name is what a column is called.
func (c *column) name() string {
	if c.from == c.to {
		return "step " + grouped(c.from)
	}
	return "steps " + grouped(c.from) + " to " + grouped(c.to)
}
