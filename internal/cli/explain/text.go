package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// many is from how many members on only some are shown, and most how many of them.
const many, most = 40, 10

// A View says how an account is to be shown.
type View struct {
	Paper output.Paper
	Wide  bool // all columns, names in full
	Full  bool // large groups as well
	Steps bool // other steps can be asked for with --step
}

// Append writes the account for people: the answer first, then the members, then what else there is to know.
func (x *Account) Append(dst []byte, v View) []byte {
	names := output.FullNames()
	if !v.Wide {
		ids := make([]string, len(x.Members))
		for i := range x.Members {
			ids[i] = x.Members[i].Member
		}
		names = output.ShortNames(ids, v.Paper.Width)
	}
	line := func(style output.Style, text string) {
		dst = append(v.Paper.Wrap(dst, output.Cell{Text: text, Style: style}), '\n')
	}
	line(output.Bold, names.Within(x.title()))
	line(output.Plain, names.Within(x.Why))
	if text := x.history(v.Steps); text != "" {
		line(output.Plain, names.Within(text))
	}
	if c := x.Find(x.Asked); c != nil && c.Says != x.Why {
		dst = append(dst, '\n')
		line(output.Plain, names.Within(c.Says))
	}
	dst = append(dst, '\n')
	dst = x.grid(names, v).Append(dst, v.Paper)
	dst = append(dst, '\n')
	line(output.Plain, fmt.Sprintf("decided by: %s", x.Decided))
	switch {
	case x.recorded:
		line(output.Plain, "Why it was decided is not recorded: all this is concluded from what was.")
	case x.Derived:
		line(output.Plain, x.Assignor+" does not tell why it decides: all this is concluded from its answer.")
	}
	if n := len(x.Together); n > 0 {
		line(output.Plain, "moves along with it: "+output.Partitions("", strategy.ByTopic(x.Together)))
	}
	for _, note := range x.Notes {
		line(output.Plain, names.Within(note))
	}
	return dst
}

// title says what is explained.
func (x *Account) title() string {
	when := fmt.Sprintf("step %d (%s)", x.Step, x.Event)
	if x.Step == 0 {
		when = "the start"
	}
	by := "strategy " + x.Strategy
	if x.recorded {
		by = "as it was " + x.Strategy
	}
	return fmt.Sprintf("%s-%d after %s, %s: %s", x.Topic, x.Partition, when, by, x.Fate)
}

// history says who had the partition before, or since when its owner has, and how to ask about that.
func (x *Account) history(steps bool) string {
	switch {
	case x.Left != "":
		return fmt.Sprintf("%s had it before, and is not a member any more.", x.Left)
	case x.Since == nil || len(x.events) == 1:
		return ""
	case *x.Since < 0:
		return fmt.Sprintf("%s has had it since before the start.", x.Owner)
	}
	when := "the start"
	if *x.Since > 0 {
		when = fmt.Sprintf("step %d (%s)", *x.Since, x.events[*x.Since])
	}
	if steps {
		return fmt.Sprintf("%s has had it since %s; --step %d explains that.", x.Owner, when, *x.Since)
	}
	return fmt.Sprintf("%s has had it since %s.", x.Owner, when)
}

// grid lists members: who has the partition, who had it, who is asked about, then the others.
func (x *Account) grid(names *output.Names, v View) *output.Grid {
	capacities, prefer := false, false
	for i := range x.Members {
		c := &x.Members[i]
		capacities = capacities || c.Capacity != 1
		prefer = prefer || c.Prefer != nil
	}
	unit := "PARTITIONS"
	if x.Loads != "partitions" {
		unit = "WEIGHT"
	}
	g := &output.Grid{Columns: []output.Column{{Title: "MEMBER"}, {Title: "MAY HAVE IT"}}}
	column := func(title, group string) {
		g.Columns = append(g.Columns, output.Column{Title: title, Group: group, Right: true})
	}
	if v.Wide && unit == "WEIGHT" {
		column("PARTITIONS", "")
	}
	if capacities {
		column("CAPACITY", "")
	}
	column(unit, "NOW")
	if capacities {
		column("RATIO", "NOW")
	}
	column(unit, "IF IT MOVED")
	if capacities {
		column("RATIO", "IF IT MOVED")
	}
	if prefer {
		column("PREFER", "")
	}
	if v.Wide {
		column("OF TOPIC", "")
		column("RACK", "")
	}
	g.Columns = append(g.Columns, output.Column{Title: "LOADS THEN"})
	shown, rest := x.selected(v)
	for _, c := range shown {
		row := []output.Cell{{Text: names.Show(c.Member)}, may(c)}
		cell := func(text string) { row = append(row, output.Cell{Text: text}) }
		if v.Wide && unit == "WEIGHT" {
			cell(strconv.Itoa(c.Partitions))
		}
		if capacities {
			cell(output.Number(c.Capacity))
		}
		cell(output.Number(c.Load))
		if capacities {
			cell(output.Number(c.Ratio))
		}
		cell(output.Number(c.LoadThen))
		if capacities {
			cell(output.Number(c.RatioThen))
		}
		if prefer {
			cell(preference(c))
		}
		if v.Wide {
			cell(strconv.Itoa(c.InTopic))
			cell(rack(c))
		}
		g.Row(append(row, x.verdict(c))...)
	}
	if len(rest) > 0 {
		g.Heading(fmt.Sprintf("... and %s (%s); --full shows them", output.Count(len(rest), "more member"), summary(rest)))
	}
	return g
}

func preference(c *strategy.Candidate) string {
	if c.Prefer == nil {
		return "-"
	}
	return output.Number(*c.Prefer)
}

func rack(c *strategy.Candidate) string {
	switch {
	case c.Rack == "":
		return "-"
	case c.Away:
		return output.Clean(c.Rack) + " (away)"
	}
	return output.Clean(c.Rack)
}

func may(c *strategy.Candidate) output.Cell {
	if c.Barred == "" {
		return output.Cell{Text: "yes"}
	}
	return output.Cell{Text: "no: " + output.Clean(string(c.Barred)), Style: output.Faint}
}

var effects = map[strategy.Effect]output.Cell{
	strategy.EffectWorse:  {Text: "less even", Style: output.Bad},
	strategy.EffectSame:   {Text: "as even"},
	strategy.EffectBetter: {Text: "more even", Style: output.Good},
}

// verdict is what a row says of a move.
func (x *Account) verdict(c *strategy.Candidate) output.Cell {
	holder := x.Holder()
	switch {
	case holder != nil && holder.Member == c.Member && x.Owner == "":
		return output.Cell{Text: "(is to get it)", Style: output.Changed}
	case holder != nil && holder.Member == c.Member:
		return output.Cell{Text: "(has it)", Style: output.Changed}
	case c.Effect == "":
		return output.Cell{Text: "-", Style: output.Faint}
	}
	e := effects[c.Effect]
	if c.Member == x.Before {
		e.Text += " (had it)"
	}
	return e
}

// selected returns the members to show, the most important first: of large groups those that would be best.
func (x *Account) selected(v View) (shown, rest []*strategy.Candidate) {
	holder := x.Holder()
	rank := func(c *strategy.Candidate) int {
		switch {
		case holder != nil && c.Member == holder.Member:
			return 0
		case c.Member == x.Before:
			return 1
		case c.Member == x.Asked:
			return 2
		}
		return 3
	}
	for i := range x.Members {
		shown = append(shown, &x.Members[i])
	}
	large := len(shown) > many && !v.Full
	slices.SortStableFunc(shown, func(a, b *strategy.Candidate) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 || !large {
			return c
		}
		bar := func(c *strategy.Candidate) int { return min(1, len(c.Barred)) }
		return cmp.Or(cmp.Compare(bar(a), bar(b)), cmp.Compare(a.RatioThen, b.RatioThen))
	})
	if large {
		return shown[:most], shown[most:]
	}
	return shown, nil
}

// summary counts what members that are not shown are to the partition.
func summary(rest []*strategy.Candidate) string {
	count := map[string]int{}
	for _, c := range rest {
		text := "no: " + string(c.Barred)
		if c.Barred == "" {
			text = cmp.Or(effects[c.Effect].Text, "yes")
		}
		count[text]++
	}
	var parts []string
	for text, n := range count {
		parts = append(parts, fmt.Sprintf("%d %s", n, text))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
