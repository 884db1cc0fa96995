package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
)

// Colours that there are: see style.css.
const (
	loadColours  = 8 // and one for nothing
	ownerColours = 18
)

// A heatmap has rows of members or partitions, and columns of time.
type heatmap struct {
	Kind          string // "members" or "partitions"
	Title         string
	About         string // for who does not see it
	Note          string // what a row is, if it is several
	Columns, Rows int
	RowHeight     int
	Paths         []path
	Labels        []label // of rows, if these are high enough
	Strip         []path  // the members' own colours beside their rows
	First, Last   string  // names of the first and the last row, where not all have labels
}

// Height is that of the picture in pixels.
func (m *heatmap) Height() int { return m.Rows * m.RowHeight }

// A label stands before a row.
type label struct {
	Text   string
	Swatch string // the class of the member's own colour, "" for none
}

// rowHeight fits maps on a screen.
func rowHeight(rows int) int {
	switch {
	case rows <= 16:
		return 20
	case rows <= fewPartitions:
		return 15
	case rows <= 80:
		return 5
	case rows <= 130:
		return 3
	case rows <= maxPartitions:
		return 2
	}
	return 1
}

// labelled says whether rows are high enough for names.
func labelled(rows int) bool { return rows <= fewPartitions }

// ownerClass is the class of a member's colour, or of nobody. Few members have one each. Of many, those who came one after another have the same,
// from dark to light, so that what stays where it was shows as even areas and what moves as specks in them.
func (c *Case) ownerClass(member int32) string {
	switch n := len(c.Members); {
	case member < 0:
		return "on"
	case n <= ownerColours:
		return "o" + strconv.Itoa(int(member))
	default:
		return "v" + strconv.Itoa(int(member)*ownerColours/n)
	}
}

// loadClass is the class of a load's colour.
func loadClass(l *Load, highest float64) string {
	switch {
	case l.Draining:
		return "ld"
	case l.Load <= 0 || highest <= 0:
		return "l0"
	}
	return "l" + strconv.Itoa(min(loadColours, max(1, int(math.Ceil(l.Load/highest*loadColours)))))
}

// members draws the loads. Where a row is several members it has the load of the fullest.
func (h *history) members(c *Case, rows int, highest float64) (*heatmap, [][]int64) {
	m := &heatmap{Kind: "members", Title: "Load of members", Columns: h.columns, Rows: rows, RowHeight: rowHeight(rows)}
	at := split(len(c.Members), rows)
	if rows < len(c.Members) {
		m.Note = fmt.Sprintf("%s in %s rows: each has the largest load in it.", count(len(c.Members), "member"), grouped(rows))
	}
	var pen, strip artist
	runs := make([][]int64, rows)
	for r := range rows {
		full := make([]Load, h.columns)
		for i := range full {
			full[i].Partitions = Gone
			for k := at[r]; k < at[r+1]; k++ {
				if l := h.ofMember(k)[i]; fuller(&l, &full[i]) {
					full[i] = l
				}
			}
		}
		for from := 0; from < len(full); {
			to := from + 1
			for to < len(full) && same(&full[from], &full[to]) {
				to++
			}
			if l := &full[from]; l.Partitions >= 0 {
				pen.run(loadClass(l, highest), r, from, to)
			}
			runs[r] = appendLoad(runs[r], &full[from], to-from)
			from = to
		}
		strip.run(c.ownerClass(int32(at[r])), r, 0, 1)
		if labelled(rows) {
			m.Labels = append(m.Labels, label{Text: output.Clean(c.Members[at[r]]), Swatch: c.ownerClass(int32(at[r]))})
		}
	}
	if m.Paths = pen.paths(); m.Labels == nil {
		m.Strip, m.First, m.Last = strip.paths(), output.Clean(c.Members[0]), output.Clean(c.Members[len(c.Members)-1])
	}
	return m, runs
}

func fuller(a, b *Load) bool {
	switch {
	case a.Partitions < 0:
		return false
	case b.Partitions < 0 || b.Draining && !a.Draining:
		return true
	}
	return a.Draining == b.Draining && a.Load > b.Load
}

func same(a, b *Load) bool {
	return a.Partitions == b.Partitions && a.Load == b.Load && a.Draining == b.Draining
}

// fraction is what loads are counted in where they go to the script.
const fraction = 1000

// appendLoad adds a run: partitions, load in thousandths or -1 for draining, and how many columns.
func appendLoad(dst []int64, l *Load, columns int) []int64 {
	load := int64(math.Round(min(l.Load*fraction, 1<<52)))
	switch {
	case l.Partitions < 0:
		load = 0
	case l.Draining:
		load = -1
	}
	return append(dst, int64(l.Partitions), load, int64(columns))
}

// A band is some partitions in one row.
type band struct {
	name   string
	owners []int32 // who has most of them, after each column
	shares []int64 // how many
}

// partitions draws the owners. Where a row is several partitions it has the colour of who owns most of them.
func (h *history) partitions(c *Case, rows int) (*heatmap, []band, [][]int64) {
	all := c.partitions()
	m := &heatmap{Kind: "partitions", Title: "Owners of partitions", Columns: h.columns, Rows: rows, RowHeight: rowHeight(rows)}
	order := h.order(all)
	at := split(all, rows)
	if all > fewPartitions {
		m.Note = fmt.Sprintf("%s, those with the same owners over time together", count(all, "partition"))
		if rows < all {
			m.Note += fmt.Sprintf(", in %s rows of about %s: each has the colour of who owns most of it", grouped(rows), grouped((all+rows/2)/rows))
		}
		m.Note += "."
	}
	var pen artist
	bands, runs := make([]band, rows), make([][]int64, rows)
	tally := make([]int64, len(c.Members))
	for r := range rows {
		list := order[at[r]:at[r+1]]
		b := band{name: c.enumerate(list), owners: make([]int32, h.columns), shares: make([]int64, h.columns)}
		for i := range h.columns {
			b.owners[i], b.shares[i] = h.most(list, i, tally)
		}
		for from := 0; from < h.columns; {
			to := from + 1
			for to < h.columns && b.owners[to] == b.owners[from] && b.shares[to] == b.shares[from] {
				to++
			}
			if b.owners[from] != Gone {
				pen.run(c.ownerClass(b.owners[from]), r, from, to)
			}
			runs[r] = append(runs[r], int64(b.owners[from]), b.shares[from], int64(to-from))
			from = to
		}
		bands[r] = b
		if labelled(rows) {
			m.Labels = append(m.Labels, label{Text: b.name})
		}
	}
	m.Paths = pen.paths()
	return m, bands, runs
}

// most returns who owns most of some partitions after a column, and how many. Of several it is the owner of the one in the middle: where
// everybody has about one, that shows how mixed the row is. tally is all zero, before and after.
func (h *history) most(list []int32, column int, tally []int64) (owner int32, n int64) {
	owner = Gone
	nobody := int64(0)
	for _, p := range list {
		switch o := h.ofPartition(p)[column]; o {
		case Gone:
		case Nobody:
			nobody++
		default:
			if tally[o]++; tally[o] > n || tally[o] == n && o < owner {
				owner, n = o, tally[o]
			}
		}
	}
	if o := h.ofPartition(list[len(list)/2])[column]; o >= 0 && tally[o] == n {
		owner = o
	}
	for _, p := range list {
		if o := h.ofPartition(p)[column]; o >= 0 {
			tally[o] = 0
		}
	}
	if nobody > n {
		return Nobody, nobody
	}
	return owner, n
}

// named is how many partitions of a row are named.
const named = 4

// enumerate names partitions, the first ones of many.
func (c *Case) enumerate(list []int32) string {
	var b strings.Builder
	for i, p := range list {
		if i == named {
			fmt.Fprintf(&b, ", … %s in all", grouped(len(list)))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		t := 0
		for p >= c.Topics[t].Partitions {
			p -= c.Topics[t].Partitions
			t++
		}
		b.WriteString(output.Clean(c.Topics[t].Name) + ":" + strconv.Itoa(int(p)))
	}
	return b.String()
}
