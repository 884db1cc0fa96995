package expression

import (
	"fmt"
	"strings"
)

// A Position is where a source begins, for errors. Line and Column count from 1; 0 means that the source is in no file, and only the
// place within it is told.
type Position struct {
	File         string
	Line, Column int
	Indent       int    // what stands before each line but the first, in characters
	What         string // what the expression is for, such as "weight"
}

// An Error says what is wrong with an expression, or why it could not be evaluated, with the line at fault and a mark below it.
type Error struct {
	Position        // of the fault
	Problem  string // what is wrong
	Hint     string // what to do about it, "" if that is not known
	Source   string // the line of the source, "" if the fault is in none
	Mark     int    // the character of Source that is at fault, from 0
	Err      error  // what ended an evaluation from outside, or ErrBudget; else nil
}

// Error is one line, and below it the line of the source with its mark.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s:", e.File)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if e.What != "" {
		fmt.Fprintf(&b, "%s: ", e.What)
	}
	b.WriteString(e.Problem)
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	if e.Source != "" {
		fmt.Fprintf(&b, "\n    %s\n    %s^", strings.ReplaceAll(e.Source, "\t", " "), strings.Repeat(" ", e.Mark))
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// excerpt is how much of a line an error shows around its mark.
const excerpt = 60

// fault makes the error for a place in the source: a line from 1 and a character of it from 0.
func fault(source string, at Position, line, column int, problem, hint string) *Error {
	e := &Error{Position: at, Problem: problem, Hint: hint}
	lines := strings.Split(source, "\n")
	line = min(max(line, 1), len(lines))
	text := []rune(strings.TrimSuffix(lines[line-1], "\r"))
	column = min(max(column, 0), len(text))
	if at.Line > 0 {
		e.Line = at.Line + line - 1
		e.Column = at.Indent + column + 1
		if line == 1 {
			e.Column = at.Column + column
		}
	} else {
		e.Line, e.Column = line, column+1
	}
	from, to := max(0, column-excerpt), min(len(text), column+excerpt)
	e.Source, e.Mark = string(text[from:to]), column-from
	return e
}
