package simulation

import (
	"errors"
	"strings"

	"github.com/assignkit/assignkit/internal/expression"
)

// assertions decodes expressions: one, or a list.
func (d *decoder) assertions(n *node) ([]*Assertion, error) {
	list := items(n)
	if len(list) > MaxAssertions {
		return nil, d.at(n, "more than %d assertions", MaxAssertions)
	}
	out := make([]*Assertion, len(list))
	for i, item := range list {
		switch item.kind {
		case scalar:
		case mapping: // as YAML takes "a ? b : c" to be
			return nil, d.at(item, "an assertion is an expression, not %s; one with a colon in it has to be quoted", item)
		default:
			return nil, d.at(item, "an assertion is an expression, not %s", item)
		}
		at, indent, exact := d.textAt(item)
		a, err := compileAssertion(item.text, at)
		var known *expression.Error
		switch {
		case err == nil:
			out[i] = a
			continue
		case !errors.As(err, &known):
			return nil, d.at(item, "assert: %v", err)
		}
		line, column := item.line, item.column
		if exact && known.Line > 0 {
			line, column = known.Line, known.Column
			if line > at.Line {
				column += indent
			}
		}
		problem := known.Problem
		if known.Hint != "" {
			problem += "; " + known.Hint
		}
		return nil, d.fail(line, column, "assert: %s", problem)
	}
	return out, nil
}

// textAt says where the text of a scalar begins and how far its lines are indented. It is not exact where the file has it in other
// characters: with escapes, or folded.
func (d *decoder) textAt(n *node) (at expression.Position, indent int, exact bool) {
	lines := strings.SplitN(d.text, "\n", n.line+2)
	if n.line > len(lines) {
		return at, 0, false
	}
	line := []rune(lines[n.line-1])
	at = expression.Position{Line: n.line, Column: n.column}
	if n.quoted {
		at.Column++
	}
	if rest := line[min(len(line), at.Column-1):]; strings.HasPrefix(string(rest), n.text) {
		return at, 0, true
	}
	first, _, _ := strings.Cut(n.text, "\n")
	if n.line < len(lines) { // a block, behind | or >
		below := strings.TrimLeft(lines[n.line], " ")
		indent = len(lines[n.line]) - len(below)
		if strings.HasPrefix(below, first) {
			return expression.Position{Line: n.line + 1, Column: indent + 1}, indent, true
		}
	}
	return at, 0, false
}
