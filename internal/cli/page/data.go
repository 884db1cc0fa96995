// Package page writes what commands have found out as one file of HTML, for a browser, a ticket or a printer: tables, and charts of
// who had what, step by step. The file needs nothing else, asks no network for anything, and is the same for the same data.
//
// It knows members, partitions and measures, and not how they came about: a command makes [Data] of its results.
package page

import (
	"math"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// Data is what a page shows. Names and texts in it may be anything: they are shown as text, whatever they contain.
type Data struct {
	Title   string
	Command string   // the command line that made it, "" for none
	Facts   []string // sentences about the whole
	Tables  []Table  // above all cases, such as medians of many runs
	Cases   []Case
}

// A Case is what several strategies made of the same events.
type Case struct {
	Name   string   // "" if it is the only one
	Events []string // what happened in each step; the first one is the start
	// Optimum has the skew of an assignment without regret after each step, NaN where nobody knows one. It may be nil.
	Optimum []float64
	Summary Table // a row for each strategy; may be empty

	// Members and Topics are all that are there at any time. Both may be nil: then only measures are drawn.
	Members []string
	Topics  []Topic
	Series  []Series

	stripped bool // there was no room for members and topics
}

// A Topic and how many partitions it has when it has most.
type Topic struct {
	Name       string
	Partitions int32
}

// A Series is what one strategy made of a case.
type Series struct {
	Name  string
	Steps []Step // as many as the case has events
}

// A Step is the group after something has happened.
type Step struct {
	Metrics strategy.Metrics
	Rounds  int // rebalances that it took
	// Loads has members whose load is another than in the step before, and Owners the partitions whose owner is: at the start all that
	// are there. So a step that changes little takes little room.
	Loads  []Load
	Owners []Owner
}

// A Load is what a member has after a step.
type Load struct {
	Member     int32 // index into Members
	Partitions int32 // how many, [Gone] if the member is not there
	Load       float64
	Draining   bool // it is about to leave, and Load says nothing
}

// An Owner is who has a partition after a step.
type Owner struct {
	Partition int32 // counted through all topics
	Member    int32 // index into Members, [Nobody] or [Gone]
}

// Who is no member.
const (
	Nobody = -1 // has a partition that is there and assigned to no member
	Gone   = -2 // a partition or a member that is not there: not yet, or not any more; also a partition that no member could have
)

// A Table is one of text and numbers. The first column names its rows.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
}

// A Column of a table.
type Column struct {
	Title string
	Help  string // what is in it, shown on demand; may be ""
}

// A Cell is a text or a number.
type Cell struct {
	Text   string  // in front of the number, if it is one, such as "≤"
	Number float64 // NaN in a cell of text
	Mark   Mark
}

// Mark says what to think of a cell.
type Mark uint8

// The marks. What is bad is bold, so that it does not need colour.
const (
	Plain Mark = iota
	Good
	Bad
)

// Text is a cell of text.
func Text(s string) Cell { return Cell{Text: s, Number: math.NaN()} }

// Number is a cell with a number.
func Number(x float64) Cell { return Cell{Number: x} }

// Unknown is the cell for a number that nobody knows.
func Unknown() Cell { return Text(unknown) }

const unknown = "–"

// Add adds a case, and drops what there will be no room for, so that any number of cases may be added: of many, only measures are drawn, and of
// very many only the first ones.
func (d *Data) Add(c Case) {
	n := len(c.Series)
	for i := range d.Cases {
		n += len(d.Cases[i].Series)
	}
	if n > maxSeries {
		c.Series, c.Events = nil, nil
	}
	d.Cases = append(d.Cases, c)
	if n > maxMapped {
		for i := range d.Cases {
			d.Cases[i].strip()
		}
	}
}

// strip takes away what only maps are drawn of.
func (c *Case) strip() {
	if c.Members == nil && c.Topics == nil {
		return
	}
	c.Members, c.Topics, c.stripped = nil, nil, true
	c.Series = slices.Clone(c.Series)
	for i := range c.Series {
		s := &c.Series[i]
		s.Steps = slices.Clone(s.Steps)
		for k := range s.Steps {
			s.Steps[k].Loads, s.Steps[k].Owners = nil, nil
		}
	}
}

// partitions counts those of all topics.
func (c *Case) partitions() int {
	n := 0
	for _, t := range c.Topics {
		n += int(t.Partitions)
	}
	return n
}
