package describe

import (
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// A table is the header that rows stand under.
type table struct {
	kind    tableKind
	columns []column
}

type tableKind uint8

const (
	members tableKind = iota
	offsets
	other // that says nothing about members, such as that of --state
)

// A column is one word of a header, and the place where it begins, in characters.
type column struct {
	name  string
	start int
}

// header reads the line that begins with GROUP.
func (t *text) header(line string) (*table, error) {
	out := &table{kind: other}
	runes := []rune(line)
	has := map[string]bool{}
	for i := range runes {
		if runes[i] == ' ' || runes[i] == '\t' || i > 0 && runes[i-1] != ' ' && runes[i-1] != '\t' {
			continue
		}
		end := i
		for end < len(runes) && runes[end] != ' ' && runes[end] != '\t' {
			end++
		}
		name := strings.TrimRight(string(runes[i:end]), "\r")
		if name == "" {
			continue
		}
		if has[name] {
			return nil, t.fail("column %s is there twice", clip(name))
		}
		if len(out.columns) == maxColumns {
			return nil, t.fail("has more than %d columns", maxColumns)
		}
		has[name] = true
		out.columns = append(out.columns, column{name, i})
	}
	switch {
	case has["TOPIC"] && has["PARTITION"]:
		out.kind = offsets
	case has["CONSUMER-ID"] && (has["ASSIGNMENT"] || has["CURRENT-ASSIGNMENT"]):
		out.kind = members
	case has["CONSUMER-ID"]:
		return nil, t.fail("shows members without what they have; describe with --members --verbose")
	case !has["STATE"] && !has["COORDINATOR"]:
		return nil, t.fail("is the header of no table that is known: %s", clip(strings.TrimSpace(line)))
	}
	return out, nil
}

// cells splits a row. The command pads every column to the longest value of its block, so values stand under their headers, even with
// spaces in them; where they do not, as in a text that lost its padding, values are words, and the last one is what is left.
func (b *table) cells(line string) (aligned, words map[string]string) {
	line = strings.TrimRight(line, " \t\r")
	aligned = b.aligned([]rune(line))
	fields := strings.Fields(line)
	if n := len(b.columns); len(fields) == n || len(fields) > n && strings.HasSuffix(b.columns[n-1].name, "ASSIGNMENT") {
		words = make(map[string]string, n)
		for i, c := range b.columns[:n-1] {
			words[c.name] = fields[i]
		}
		words[b.columns[n-1].name] = strings.Join(fields[n-1:], " ")
	}
	return aligned, words
}

// aligned cuts a row where the header's words begin, or returns nil if a value stands across.
func (b *table) aligned(row []rune) map[string]string {
	out := make(map[string]string, len(b.columns))
	for i, c := range b.columns {
		end := len(row)
		if i+1 < len(b.columns) {
			end = b.columns[i+1].start
		}
		if c.start >= len(row) || row[c.start] == ' ' || c.start > 0 && row[c.start-1] != ' ' || end > len(row) {
			return nil
		}
		out[c.name] = strings.TrimRight(string(row[c.start:end]), " ")
	}
	return out
}

// row reads a line of the table at hand.
func (t *text) row(line string) error {
	if t.table.kind == other {
		return nil
	}
	read := t.member
	if t.table.kind == offsets {
		read = t.offset
	}
	aligned, words := t.table.cells(line)
	err := t.fail("does not fit under its header: %s", clip(strings.TrimSpace(line)))
	for _, cells := range []map[string]string{aligned, words} {
		if cells == nil {
			continue
		}
		if err = read(cells); err == nil {
			return nil
		}
	}
	return err
}

// member reads a row of a table of members.
func (t *text) member(cells map[string]string) error {
	assignment, ok := cells["CURRENT-ASSIGNMENT"]
	if !ok {
		assignment = cells["ASSIGNMENT"]
	}
	owned, err := t.assignment(assignment)
	if err != nil {
		return err
	}
	if count := cells["#PARTITIONS"]; count != "" && count != "-" && count != strconv.Itoa(len(owned)) {
		return t.fail("member %s: #PARTITIONS is %s, and %d are listed", clip(cells["CONSUMER-ID"]), clip(count), len(owned))
	}
	epoch, err := t.epoch(cells["CURRENT-EPOCH"])
	if err != nil {
		return err
	}
	if value(cells["GROUP"]) == "" || value(cells["CONSUMER-ID"]) == "" {
		return t.fail("names no group or no member")
	}
	g := t.group(cells["GROUP"])
	for _, p := range owned {
		if err := t.see(g, p.Topic, p.Partition); err != nil {
			return err
		}
	}
	m := g.member(cells)
	if m.listed {
		return t.fail("member %s is listed twice", clip(m.ID))
	}
	m.listed, m.owned, m.Generation = true, owned, epoch
	return nil
}

// offset reads a row of a table of offsets: a partition, or a member without any.
func (t *text) offset(cells map[string]string) error {
	if value(cells["GROUP"]) == "" {
		return t.fail("names no group")
	}
	topic, number := value(cells["TOPIC"]), cells["PARTITION"]
	if topic == "" {
		g := t.group(cells["GROUP"])
		if value(cells["CONSUMER-ID"]) != "" {
			g.member(cells)
		}
		return nil
	}
	p, err := t.partition(number)
	if err != nil {
		return err
	}
	lag, hasLag := int64(-1), false
	if text, ok := cells["LAG"]; ok {
		hasLag = true
		if text != "-" {
			if lag, err = strconv.ParseInt(text, 10, 64); err != nil {
				return t.fail("LAG is a number or -, not %s", clip(text))
			}
			lag = max(0, lag) // a log that was cut short
		}
	}
	g := t.group(cells["GROUP"])
	if err := t.see(g, topic, p); err != nil {
		return err
	}
	if hasLag {
		g.lag(topic, p, lag)
	}
	if value(cells["CONSUMER-ID"]) != "" {
		m := g.member(cells)
		m.offsets = append(m.offsets, strategy.TopicPartition{Topic: topic, Partition: p})
	}
	return nil
}

func (t *text) epoch(cell string) (int32, error) {
	if value(cell) == "" {
		return strategy.NoGeneration, nil
	}
	n, err := strconv.ParseInt(cell, 10, 32)
	if err != nil || n < -1 || n >= 1<<30 {
		return 0, t.fail("CURRENT-EPOCH is a number or -, not %s", clip(cell))
	}
	return int32(n), nil
}

func (t *text) partition(text string) (int32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n >= maxPartition {
		return 0, t.fail("%s is no number of a partition; those below %d are read", strconv.Quote(clip(text)), maxPartition)
	}
	return int32(n), nil
}

// value is a cell's value, "" where the command prints that there is none.
func value(cell string) string {
	if cell == "-" {
		return ""
	}
	return cell
}

// assignment reads "orders:0,1,2;payments.v2:3" of Kafka 4 and "orders(0,1,2), audit-log(1)" of those before.
func (t *text) assignment(cell string) ([]strategy.TopicPartition, error) {
	if value(cell) == "" {
		return nil, nil
	}
	separator, open, end := ";", ":", ""
	if strings.HasSuffix(cell, ")") {
		separator, open, end = ")", "(", ")"
	}
	var out []strategy.TopicPartition
	for entry := range strings.SplitSeq(strings.TrimSuffix(cell, end), separator) {
		entry = strings.TrimLeft(entry, ", ")
		topic, numbers, ok := strings.Cut(entry, open)
		if !ok || topic == "" || strings.ContainsAny(topic, " \t()") {
			return nil, t.fail("%s is not what a member has, as in orders:0,1,2;payments:3 or orders(0,1,2), payments(3)", strconv.Quote(clip(entry)))
		}
		for number := range strings.SplitSeq(numbers, ",") {
			p, err := t.partition(strings.TrimSpace(number))
			if err != nil {
				return nil, err
			}
			out = append(out, strategy.TopicPartition{Topic: topic, Partition: p})
		}
	}
	return out, nil
}
