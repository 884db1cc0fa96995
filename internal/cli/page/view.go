package page

import (
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
)

// A pageView is all that the template is given.
type pageView struct {
	Title, Command string
	Facts          []string
	Tables         []tableView
	Cases          []caseView
	Left           string // what there was no room for
	Terms          []term
}

type caseView struct {
	ID      int
	Name    string
	Summary *tableView
	Columns int // of the charts, 0 if none are drawn
	Event   string
	Facts   string // how large the group is
	Steps   string // how steps are put together, if they are
	Series  []seriesView
	Legend  legend
}

// A legend says what the colours of the charts mean.
type legend struct {
	Optimum, Needed, Excess, Voluntary, Maps, Draining bool
	Low, High                                          string
	Loads                                              []string
	Many                                               bool // more members than there are colours
	Owners                                             []string
}

type seriesView struct {
	ID       string
	Case     int
	Index    int
	Name     string
	Readouts []readout
	Charts   []*chart
	Maps     []*heatmap
	Table    tableView
}

// A readout is a measure of the step that is chosen.
type readout struct {
	Title  string
	Column int // of the table of steps
	Text   string
}

// What the script needs to tell what is under the pointer. The rest it finds in the page.
type scriptData struct {
	Cases []scriptCase `json:"cases"`
}

type scriptCase struct {
	Steps   []scriptStep   `json:"steps"`
	Last    string         `json:"last"`              // number of the last step
	Members []string       `json:"members,omitempty"` // a name for each row of loads
	Owners  []string       `json:"owners,omitempty"`  // a name for each member
	Series  []scriptSeries `json:"series"`
}

type scriptStep struct {
	Name  string `json:"name"`
	Event string `json:"event"`
}

type scriptSeries struct {
	Loads  [][]int64 `json:"loads,omitempty"`  // by row, runs: partitions, load in thousandths, columns
	Rows   []string  `json:"rows,omitempty"`   // what the rows of owners are
	Sizes  []int     `json:"sizes,omitempty"`  // how many partitions, if not one each
	Owners [][]int64 `json:"owners,omitempty"` // by row, runs: owner, of how many partitions, columns
}

// A builder makes the page of the data, as far as there is room.
type builder struct {
	page *pageView
	data *scriptData
	room plan
	rows int // of summaries that there is room for

	terms         [][]Column
	undrawn, left int // cases without charts, and those that are not there at all
}

func build(d *Data) (*pageView, *scriptData, error) {
	b := &builder{page: &pageView{Title: output.Clean(d.Title)}, data: &scriptData{Cases: []scriptCase{}}, room: newPlan(d), rows: maxTableRows}
	if d.Command != "" {
		b.page.Command = output.Clean(d.Command)
	}
	for _, f := range d.Facts {
		b.page.Facts = append(b.page.Facts, output.Clean(f))
	}
	for i := range d.Tables {
		b.page.Tables = append(b.page.Tables, *b.table(&d.Tables[i]))
	}
	for i := range d.Cases {
		c := d.Cases[i]
		if err := c.check(); err != nil {
			return nil, nil, err
		}
		b.add(&c)
	}
	b.page.Left = missing(b.undrawn, b.left)
	if len(b.page.Cases) > b.undrawn {
		b.terms = append(b.terms, stepColumns)
	}
	b.page.Terms = glossary(b.terms...)
	return b.page, b.data, nil
}

// table makes a table of what there is room for.
func (b *builder) table(t *Table) *tableView {
	b.terms = append(b.terms, t.Columns)
	v := view(cut(t, &b.rows))
	return &v
}

// add adds a case, with charts if there is room for all of its strategies.
func (b *builder) add(c *Case) {
	if !b.room.mapped {
		c.strip()
	}
	draw := len(c.Series) > 0 && len(c.Series) <= b.room.series
	if b.rows < len(c.Summary.Rows) || !draw && len(c.Summary.Rows) == 0 {
		b.left++
		return
	}
	v := caseView{ID: len(b.page.Cases)}
	if c.Name != "" {
		v.Name = output.Clean(c.Name)
	}
	if len(c.Summary.Rows) > 0 {
		v.Summary = b.table(&c.Summary)
	}
	drawn := scriptCase{Series: []scriptSeries{}}
	if draw {
		b.room.series -= len(c.Series)
		drawn = v.draw(c, &b.room)
	} else {
		b.room.series = 0 // those that follow are not drawn either, though they may be small
		b.undrawn++
	}
	b.data.Cases, b.page.Cases = append(b.data.Cases, drawn), append(b.page.Cases, v)
}

// cut leaves away rows for which there is no room.
func cut(t *Table, rows *int) *Table {
	short := *t
	short.Rows = t.Rows[:min(len(t.Rows), max(0, *rows))]
	*rows -= len(short.Rows)
	return &short
}

func missing(undrawn, left int) string {
	text := ""
	if undrawn > 0 {
		text = fmt.Sprintf("There is no room for charts of %s.", count(undrawn, "further case"))
	}
	if left > 0 {
		if text != "" {
			text += " "
		}
		text += fmt.Sprintf("There is no room for %s at all.", count(left, "further case"))
	}
	return text
}

// check finds what does not fit together.
func (c *Case) check() error {
	for i := range c.Series {
		s := &c.Series[i]
		if len(s.Steps) != len(c.Events) || len(c.Events) == 0 {
			return fmt.Errorf("page: %s has %d steps, and the case %s %d events", s.Name, len(s.Steps), c.Name, len(c.Events))
		}
		partitions := c.partitions()
		for k := range s.Steps {
			for _, l := range s.Steps[k].Loads {
				if l.Member < 0 || int(l.Member) >= len(c.Members) {
					return fmt.Errorf("page: %s, step %d: member %d is none of %d", s.Name, k, l.Member, len(c.Members))
				}
			}
			for _, o := range s.Steps[k].Owners {
				if o.Partition < 0 || int(o.Partition) >= partitions || o.Member < Gone || int(o.Member) >= len(c.Members) {
					return fmt.Errorf("page: %s, step %d: partition %d of member %d; there are %d and %d", s.Name, k, o.Partition, o.Member, partitions, len(c.Members))
				}
			}
		}
	}
	return nil
}

// draw makes the charts of a case.
func (v *caseView) draw(c *Case, room *plan) scriptCase {
	at := room.columns(len(c.Events))
	columns, histories := make([][]column, len(c.Series)), make([]*history, len(c.Series))
	var s scale
	for i := range c.Series {
		columns[i] = columnsOf(c, &c.Series[i], at)
		s.fit(columns[i])
		if len(c.Members) > 0 {
			histories[i] = newHistory(c, &c.Series[i], at)
			s.load = max(s.load, histories[i].highest())
		}
	}
	v.Columns = len(at) - 1
	if v.Facts = c.facts(columns[0]); c.stripped {
		v.Facts += " Members and partitions are drawn only where there are fewer cases and strategies."
	}
	v.Event = columns[0][v.Columns-1].title(len(c.Events) - 1)
	if v.Columns < len(c.Events) {
		v.Steps = fmt.Sprintf("%s are drawn in %s columns: of each, moves are summed up, evenness is the worst, and owners are the last.",
			count(len(c.Events), "step"), grouped(v.Columns))
	}
	data := v.script(c, columns[0])
	memberRows, partitionRows := room.rows(v.Columns, len(c.Members), c.partitions())
	if len(c.Members) > 0 {
		data.Members = rowNames(c.Members, memberRows)
	}
	for i := range c.Series {
		sv, sd := v.series(i, c, columns[i], histories[i], &s, memberRows, partitionRows)
		v.Series, data.Series = append(v.Series, sv), append(data.Series, sd)
	}
	v.Legend.fill(columns, &s, histories)
	v.Legend.Maps, v.Legend.Many = len(c.Members) > 0, len(c.Members) > ownerColours
	return data
}

func (v *caseView) script(c *Case, columns []column) scriptCase {
	data := scriptCase{Steps: make([]scriptStep, len(columns)), Last: grouped(len(c.Events) - 1), Series: []scriptSeries{}}
	for i := range columns {
		data.Steps[i] = scriptStep{Name: columns[i].name(), Event: output.Clean(columns[i].event)}
	}
	for _, m := range c.Members {
		data.Owners = append(data.Owners, output.Clean(m))
	}
	return data
}

// title names a column and what happened, as the script does.
func (c *column) title(last int) string {
	name := c.name()
	return strings.ToUpper(name[:1]) + name[1:] + " of " + grouped(last) + ": " + output.Clean(c.event)
}

// rowNames names runs of members.
func rowNames(members []string, rows int) []string {
	at, names := split(len(members), rows), make([]string, rows)
	for i := range names {
		names[i] = output.Clean(members[at[i]])
		if n := at[i+1] - at[i]; n > 1 {
			names[i] = fmt.Sprintf("the fullest of %s members, %s to %s", grouped(n), names[i], output.Clean(members[at[i+1]-1]))
		}
	}
	return names
}

// series makes the charts of one strategy.
func (v *caseView) series(i int, c *Case, columns []column, h *history, s *scale, memberRows, partitionRows int) (seriesView, scriptSeries) {
	t := stepTable(c.Series[i].Name, columns)
	sv := seriesView{ID: fmt.Sprintf("c%d-s%d", v.ID, i), Case: v.ID, Index: i, Name: output.Clean(c.Series[i].Name), Table: view(&t)}
	last := sv.Table.Rows[len(sv.Table.Rows)-1]
	for _, k := range readouts {
		if k != colOptimum || s.optimum {
			sv.Readouts = append(sv.Readouts, readout{stepColumns[k].Title, k, last[k].Text})
		}
	}
	sv.Charts = []*chart{movesChart(columns, s), skewChart(columns, s)}
	var data scriptSeries
	if h == nil {
		return sv, data
	}
	members, loads := h.members(c, memberRows, s.load)
	members.About = fmt.Sprintf("%s over %s. The table of members has the numbers of the step that is chosen.", count(len(c.Members), "member"), count(len(c.Events), "step"))
	sv.Maps, data.Loads = append(sv.Maps, members), loads
	if partitionRows > 0 {
		owners, bands, runs := h.partitions(c, partitionRows)
		owners.About = fmt.Sprintf("%s over %s.", count(c.partitions(), "partition"), count(len(c.Events), "step"))
		sv.Maps, data.Owners = append(sv.Maps, owners), runs
		at := split(c.partitions(), partitionRows)
		for r := range bands {
			data.Rows = append(data.Rows, bands[r].name)
			if partitionRows < c.partitions() {
				data.Sizes = append(data.Sizes, at[r+1]-at[r])
			}
		}
	}
	return sv, data
}

// fill finds out which colours there are to explain.
func (l *legend) fill(columns [][]column, s *scale, histories []*history) {
	l.Optimum, l.Low, l.High = s.optimum, "0", measured(s.load)
	for i := range columns {
		for k := range columns[i] {
			m := &columns[i][k].metrics
			l.Excess = l.Excess || !m.Bound && m.Excess > 0
			l.Needed = l.Needed || !m.Bound
			l.Voluntary = l.Voluntary || m.Bound
		}
		if histories[i] != nil {
			for k := range histories[i].loads {
				l.Draining = l.Draining || histories[i].loads[k].Draining
			}
		}
	}
	for i := range loadColours + 1 {
		l.Loads = append(l.Loads, fmt.Sprintf("l%d", i))
	}
	for i := range ownerColours {
		l.Owners = append(l.Owners, fmt.Sprintf("v%d", i))
	}
}

// facts says how large a group is.
func (c *Case) facts(columns []column) string {
	least, most := columns[0].metrics.Members, 0
	for i := range columns {
		n := columns[i].metrics.Members
		least, most = min(least, n), max(most, n)
	}
	text := count(most, "member")
	if least < most {
		text = grouped(least) + " to " + text
	}
	if len(c.Topics) > 0 {
		text = count(c.partitions(), "partition") + " of " + count(len(c.Topics), "topic") + ", " + text
	}
	if n := len(c.Events) - 1; n > 0 {
		text += ", " + count(n, "step") + " after the start"
	}
	return text + "."
}
