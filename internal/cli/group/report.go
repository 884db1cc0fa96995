package group

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/strategy"
)

// many is from how many rows on a table is cut, unless --full is given.
const many = 40

// most is how many rows are left of a table that is cut.
const most = 10

// A report is what is said about a group to people: the group, what stands out, its members, its partitions.
type report struct {
	group      *live.Group
	comparison *comparison
	lags       []int64 // of the members
	lag        int64   // of all partitions
	names      *output.Names
	full       bool
	wide       bool
	paper      output.Paper
}

func newReport(g *live.Group, c *comparison, o *describeOptions) *report {
	r := &report{group: g, comparison: c, full: o.full, wide: o.format == output.Wide, paper: paper(o.io, o.format), names: output.FullNames()}
	r.lags, r.lag = g.Lags()
	if !r.wide {
		ids := make([]string, len(g.Members))
		for i := range g.Members {
			ids[i] = g.Members[i].ID
		}
		r.names = output.ShortNames(ids, r.paper.Width)
	}
	return r
}

func (r *report) append(dst []byte) []byte {
	dst = r.head().Append(dst, r.paper)
	dst = r.say(append(dst, '\n'), output.Plain, r.summary())
	dst = r.standOut(dst)
	if len(r.group.Members) > 0 {
		dst = r.memberGrid().Append(append(dst, '\n'), r.paper)
	}
	if len(r.group.Topics) > 0 {
		dst = append(dst, '\n')
		if r.large() {
			dst = r.topicGrid().Append(dst, r.paper)
		} else {
			dst = r.partitionGrid().Append(dst, r.paper)
		}
	}
	return dst
}

func (r *report) say(dst []byte, style output.Style, text string) []byte {
	return append(r.paper.Wrap(dst, output.Cell{Text: text, Style: style}), '\n')
}

// head is the group itself, under the titles of kafka-consumer-groups --state.
func (r *report) head() *output.Grid {
	g := r.group
	grid := &output.Grid{Columns: []output.Column{{Title: "GROUP"}, {Title: "COORDINATOR"}, {Title: "TYPE"}, {Title: "ASSIGNMENT-STRATEGY"}, {Title: "STATE"}}}
	row := []output.Cell{{Text: output.Clean(g.Name)}, {Text: address(g.Coordinator.Addr, g.Coordinator.ID)}, dash(g.Type), dash(g.Protocol), dash(g.State)}
	if g.Epoch >= 0 {
		grid.Columns = append(grid.Columns, output.Column{Title: "GROUP-EPOCH", Right: true})
		row = append(row, output.Cell{Text: strconv.Itoa(int(g.Epoch))})
	}
	grid.Columns = append(grid.Columns, output.Column{Title: "#MEMBERS", Right: true})
	row = append(row, output.Cell{Text: strconv.Itoa(len(g.Members))})
	grid.Row(row...)
	if r.paper.Width > 0 && grid.Width() > r.paper.Width {
		return upright(grid.Columns, row)
	}
	return grid
}

// upright turns a table of one row on its side: a line for each column.
func upright(columns []output.Column, row []output.Cell) *output.Grid {
	grid := &output.Grid{Columns: []output.Column{{Title: columns[0].Title}, {Title: row[0].Text}}}
	for i := range columns[1:] {
		grid.Row(output.Cell{Text: columns[i+1].Title}, row[i+1])
	}
	return grid
}

// summary is one sentence about all of it.
func (r *report) summary() string {
	g := r.group
	text := fmt.Sprintf("%s of %s, lag %d", output.Count(g.Partitions(), "partition"), output.Count(len(g.Topics), "topic"), r.lag)
	if n := r.unknown(); n > 0 {
		text += fmt.Sprintf(" and unknown of %d", n)
	}
	if c := r.comparison.String(); c != "" {
		text += "; " + c
	}
	return text
}

// unknown counts the partitions whose lag is not known.
func (r *report) unknown() int {
	n := 0
	for i := range r.group.Topics {
		t := &r.group.Topics[i]
		for p := range t.Owner {
			if t.Lag(p) == live.Unknown {
				n++
			}
		}
	}
	return n
}

// standOut says what should not be: partitions that nobody consumes, and what is odd.
func (r *report) standOut(dst []byte) []byte {
	g := r.group
	if len(g.Members) == 0 {
		dst = r.say(dst, output.Bad, "the group has no members")
	}
	if free := g.Unconsumed(); len(free) > 0 {
		text := output.Partitions("", free)
		if len(text) > maxListed && !r.full && !r.wide {
			text = fmt.Sprintf("%s of %s; --full lists them", output.Count(strategy.Count(free), "partition"), output.Count(len(free), "topic"))
		}
		dst = r.say(dst, output.Bad, "NOBODY CONSUMES "+text)
	}
	shown := g.Remarks
	if len(shown) > most && !r.full {
		shown = shown[:most]
	}
	for _, remark := range shown {
		dst = r.say(dst, output.Changed, "remark: "+output.Clean(remark))
	}
	if rest := len(g.Remarks) - len(shown); rest > 0 {
		dst = r.say(dst, output.Changed, fmt.Sprintf("... and %s; --full shows them", output.Count(rest, "more remark")))
	}
	return dst
}

// maxListed is how long a list of partitions gets in a table before it is cut.
const maxListed = 160

// offset shows one, or a lag.
func offset(n int64) output.Cell {
	if n == live.Unknown {
		return dash("")
	}
	return output.Cell{Text: strconv.FormatInt(n, 10)}
}

// redundant says whether a text tells nothing beyond what a member's id begins with, as those of static members and most clients do.
func redundant(text, id string) bool { return text == "" || strings.HasPrefix(id, text) }
