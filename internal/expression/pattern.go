package expression

import (
	"regexp/syntax"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// checkPatterns looks at what stands behind "matches" before the compiler does, which would expand {1000} into a thousand parts. A source that
// cannot be parsed is left to the compiler.
func checkPatterns(source string, at Position) error {
	p := &patterns{}
	if tree, err := parser.Parse(source); err == nil {
		ast.Walk(&tree.Node, p)
	}
	if p.problem == "" {
		return nil
	}
	line, column := place(source, p.offset)
	return fault(source, at, line, column, p.problem, p.hint)
}

// patterns notes the first pattern that is not allowed.
type patterns struct {
	problem, hint string
	offset        int // in characters
}

// Visit is called for every node.
func (p *patterns) Visit(n *ast.Node) {
	node, ok := (*n).(*ast.BinaryNode)
	if !ok || node.Operator != "matches" || p.problem != "" {
		return
	}
	text, ok := node.Right.(*ast.StringNode)
	if !ok {
		p.problem, p.hint = "the pattern of matches has to be written out", `as in x matches "^a.*"`
		p.offset = node.Location().From
		return
	}
	p.offset = node.Right.Location().From
	if parsed, err := syntax.Parse(text.Value, syntax.Perl); err != nil {
		p.problem = err.Error()
	} else if weigh(parsed) > maxPattern {
		p.problem, p.hint = "the pattern is too large", "use smaller numbers of repetitions"
	}
}

// weigh estimates how large a pattern is once its repetitions are written out, without doing so.
func weigh(p *syntax.Regexp) int {
	size := 1 + len(p.Rune)/16
	for _, sub := range p.Sub {
		size += weigh(sub)
	}
	if p.Op == syntax.OpRepeat {
		size *= max(1, p.Min, p.Max)
	}
	return min(size, 1<<20) // the depth of a pattern is bounded, and so is the product
}
