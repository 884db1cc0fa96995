package describe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of a text.
const (
	MaxText = 64 << 20 // bytes
	MaxLine = 1 << 20  // bytes

	maxColumns    = 32        // of a table; the command prints ten at the most
	maxPartition  = 1_000_000 // the highest number; no Kafka cluster has as many in all
	maxPartitions = 1 << 22   // of all topics of all groups
)

// An Error says which line of a text is not what kafka-consumer-groups.sh prints about a group.
type Error struct {
	File    string
	Line    int // from 1; 0 for the text as a whole
	Problem string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Problem)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem)
}

// Read reads a text with one or several tables, in any order, and returns the groups in the order in which they are first mentioned.
// What the command complained about instead, or what is no such text, is an [*Error]; an error of r is returned as it is.
//
// Where a table of members and one of offsets disagree about who has a partition, the one of members counts.
func Read(name string, r io.Reader) ([]Group, error) {
	t := text{file: name, groups: map[string]*group{}}
	scanner := bufio.NewScanner(io.LimitReader(r, MaxText+1))
	scanner.Buffer(nil, MaxLine)
	size := 0
	for scanner.Scan() {
		t.line++
		line := scanner.Text()
		if t.line == 1 {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		if size += len(line) + 1; size > MaxText {
			return nil, &Error{File: name, Problem: fmt.Sprintf("is larger than %d MiB", MaxText>>20)}
		}
		if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
			return nil, &Error{File: name, Problem: "is not a text file"}
		}
		if err := t.read(line); err != nil {
			return nil, err
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		t.line++
		return nil, t.fail("is longer than %d bytes", MaxLine)
	} else if err != nil {
		return nil, err
	}
	return t.finish()
}

// text is one that is being read.
type text struct {
	file   string
	line   int
	table  *table // that the lines belong to at the moment
	groups map[string]*group
	order  []string
	total  int // partitions
}

func (t *text) fail(format string, args ...any) error {
	return &Error{File: t.file, Line: t.line, Problem: fmt.Sprintf(format, args...)}
}

// read takes in one line.
func (t *text) read(line string) error {
	words := strings.Fields(line)
	switch {
	case len(words) == 0:
		t.table = nil
		return nil
	case words[0] == "GROUP":
		table, err := t.header(line)
		t.table = table
		return err
	case strings.HasPrefix(line, "Error:"):
		return t.fail("the command failed: %s", clip(strings.TrimSpace(strings.TrimPrefix(line, "Error:"))))
	}
	if name, rest, ok := announcement(line); ok {
		t.table = nil
		if strings.Contains(rest, "does not exist") {
			return t.fail("the command failed: %s", clip(strings.TrimSpace(line)))
		}
		if g := t.group(name); strings.Contains(rest, "rebalancing") {
			g.moving = true
		}
		return nil
	}
	if t.table != nil {
		return t.row(line)
	}
	if isLog(line) {
		return nil
	}
	return t.fail("is no table of kafka-consumer-groups.sh --describe, which begins with GROUP: %s", clip(strings.TrimSpace(line)))
}

// announcement reads "Consumer group 'billing' has no active members.", also behind "Warning: ".
func announcement(line string) (name, rest string, ok bool) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "Warning: ")
	after, ok := strings.CutPrefix(line, "Consumer group '")
	if !ok {
		return "", "", false
	}
	end := strings.LastIndex(after, "'")
	if end < 0 {
		return "", "", false
	}
	return after[:end], after[end+1:], true
}

// isLog says whether a line is a remark of the Java runtime or of its logging, which ends up among the tables when both outputs are
// kept.
func isLog(line string) bool {
	line = strings.TrimSpace(line)
	for _, prefix := range []string{"[", "WARN", "INFO", "Warning:", "WARNING:", "Note:", "NOTE:", "SLF4J", "OpenJDK ", "Java HotSpot", "Picked up "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return strings.Contains(line, " WARN ") || strings.Contains(line, " INFO ")
}

// clip shortens what an error quotes.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
