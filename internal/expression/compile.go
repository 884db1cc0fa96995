package expression

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// Bounds of a source, see the package comment.
const (
	MaxSource  = 4096 // bytes
	MaxNesting = 64   // brackets within brackets

	maxNodes   = 1500
	maxText    = 4096 // bytes
	maxRange   = 1000
	maxPattern = 500 // characters and operators, with repetitions written out
)

// A Kind is what an expression has to give.
type Kind uint8

// The kinds there are.
const (
	Bool   Kind = iota + 1 // true or false
	Number                 // a number, whole or not
	Key                    // a number, text, or true or false: something to be equal to another
)

func (k Kind) String() string {
	switch k {
	case Bool:
		return "true or false"
	case Number:
		return "a number"
	}
	return "a number or text"
}

// A Function is one that expressions may call.
type Function struct {
	Name string
	// Usage is how it is called, for errors: "number(labels, name, otherwise)".
	Usage string
	// Call gets the environment of the evaluation and the arguments, whose types are as one of Types says. It must be bounded by the
	// size of its arguments, and give a result whose size is.
	Call func(env any, arguments ...any) (any, error)
	// Types are nil functions of the arguments and the result, such as (func(string, float64) float64)(nil).
	Types []any
	// Entry says that of its first argument, a mapping, it looks at no more than what the second one names, and has an answer where that
	// is missing.
	Entry bool
}

// Options say what a source is compiled for.
type Options struct {
	Env       any // a struct that embeds [Env], or a pointer to one, of which only the type matters; names are the fields' expr tags
	Want      Kind
	At        Position
	Functions []Function
	Elsewhere []string // variables that other expressions have and this one does not, for errors
	FromText  string   // what makes a number of a text, for errors: "float(...)" if it is ""
}

// A Program is a compiled expression. It is not changed once made, and may be run by several evaluators at once.
type Program struct {
	source  string
	at      Position
	want    Kind
	env     reflect.Type
	program *vm.Program
	looks   map[string]int // how often a variable ("member"), or a field of one ("member.rack"), is looked at
	inner   map[string]int // how often only for the sake of a field of it
	through map[string]int // how often a value of a mapping is looked at by a function that does without it
}

// Compile checks a source and compiles it. An error is an [*Error]. It takes no longer than milliseconds, whatever the source is.
func Compile(source string, o Options) (p *Program, err error) {
	if len(source) > MaxSource {
		return nil, &Error{Position: o.At, Problem: fmt.Sprintf("the expression has %d bytes, %d are allowed", len(source), MaxSource)}
	}
	if strings.TrimSpace(source) == "" {
		return nil, &Error{Position: o.At, Problem: "the expression is empty", Hint: fmt.Sprintf("%s is wanted", o.Want)}
	}
	if !utf8.ValidString(source) {
		return nil, &Error{Position: o.At, Problem: "the expression is not UTF-8"}
	}
	if e := checkNesting(source, o.At); e != nil {
		return nil, e
	}
	defer func() {
		if r := recover(); r != nil { // a fault of the compiler must not end the program
			p, err = nil, fault(source, o.At, 1, 0, fmt.Sprintf("the expression cannot be compiled: %v", r), "")
		}
	}()
	if e := checkPatterns(source, o.At); e != nil {
		return nil, e
	}
	g := &guard{looks: map[string]int{}, inner: map[string]int{}, through: map[string]int{}, hosts: map[string]Function{}}
	var compiled *vm.Program
	if _, err = expr.Compile(source, options(o, nil)...); err == nil { // the types are right, so the guard can rely on them
		compiled, err = expr.Compile(source, options(o, g)...)
	}
	var known *file.Error
	switch {
	case errors.As(err, &known):
		problem, hint := explain(known.Message, o)
		return nil, fault(source, o.At, known.Line, known.Column, problem, hint)
	case err != nil:
		first, _, _ := strings.Cut(err.Error(), "\n") // what follows is a stack
		return nil, fault(source, o.At, 1, 0, "the expression cannot be compiled: "+first, "")
	case g.problem != "":
		line, column := place(source, g.offset)
		return nil, fault(source, o.At, line, column, g.problem, g.hint)
	}
	if e := checkResult(g.root, source, o, 1, 0); e != nil {
		return nil, e
	}
	return &Program{source: source, at: o.At, want: o.Want, env: reflect.TypeOf(o.Env), program: compiled, looks: g.looks, inner: g.inner, through: g.through}, nil
}

// Source returns what was compiled.
func (p *Program) Source() string { return p.source }

// LooksAt tells whether the result can depend on a variable ("member"), a field of one ("partition.number") or a value of a mapping in
// one ("member.labels.tier").
func (p *Program) LooksAt(path string) bool {
	if p.looks[path] > 0 {
		return true
	}
	for i, r := range path {
		if r == '.' && p.looks[path[:i]] > p.inner[path[:i]] {
			return true // what has it is used as a whole somewhere
		}
	}
	return false
}

// Entries names the fields of a variable, or the values of a mapping, that are looked at by names that are written out, sorted:
// "tier" of "member.labels" for member.labels.tier. Those whose names are computed are not among them.
func (p *Program) Entries(of string) []string {
	var names []string
	for path := range p.looks {
		if name, ok := strings.CutPrefix(path, of+"."); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Needs tells whether a value of a mapping ("member.labels.tier") is looked at by its name and not only through a function that does
// without it, see [Function]. What uses the mapping as a whole does not count.
func (p *Program) Needs(path string) bool { return p.looks[path] > p.through[path] }

// checkNesting counts brackets before anything recursive sees the source.
func checkNesting(source string, at Position) *Error {
	depth, quote, escaped := 0, rune(0), false
	for i, r := range source {
		switch {
		case escaped:
			escaped = false
		case quote != 0:
			escaped = r == '\\' && quote != '`'
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'' || r == '`':
			quote = r
		case r == '(' || r == '[' || r == '{':
			if depth++; depth > MaxNesting {
				line, column := place(source, utf8.RuneCountInString(source[:i]))
				return fault(source, at, line, column, fmt.Sprintf("brackets are nested more than %d deep", MaxNesting), "")
			}
		case r == ')' || r == ']' || r == '}':
			depth--
		}
	}
	return nil
}

// place turns an offset in characters into a line from 1 and a character of it from 0.
func place(source string, offset int) (line, column int) {
	line = 1
	for _, r := range source {
		if offset == 0 {
			break
		}
		offset--
		column++
		if r == '\n' {
			line, column = line+1, 0
		}
	}
	return line, column
}

// checkResult compares the type of what a node gives with what is wanted, wherever the compiler knows it. line and column are what a
// fault is told of, which for branches is where they are.
func checkResult(n ast.Node, source string, o Options, line, column int) error {
	branches := []ast.Node{}
	switch node := n.(type) {
	case *ast.ConditionalNode:
		branches = append(branches, node.Exp1, node.Exp2)
	case *ast.BinaryNode:
		if node.Operator == "??" {
			branches = append(branches, node.Left, node.Right)
		}
	case *ast.VariableDeclaratorNode:
		branches = append(branches, node.Expr)
	case *ast.SequenceNode:
		branches = append(branches, node.Nodes[len(node.Nodes)-1])
	}
	for _, b := range branches {
		line, column := place(source, b.Location().From)
		if e := checkResult(b, source, o, line, column); e != nil {
			return e
		}
	}
	if t := n.Type(); len(branches) == 0 && t != nil && t.Kind() != reflect.Interface { // else an evaluation finds out
		if problem, hint := o.Want.check(t, cmp.Or(o.FromText, "float(...)")); problem != "" {
			return fault(source, o.At, line, column, problem, hint)
		}
	}
	return nil
}

// check compares the type of a result with what is wanted.
func (k Kind) check(t reflect.Type, fromText string) (problem, hint string) {
	number := isNumber(t)
	switch {
	case k == Number && number, k == Bool && t.Kind() == reflect.Bool:
		return "", ""
	case k == Key && (number || t.Kind() == reflect.Bool || t.Kind() == reflect.String):
		return "", ""
	}
	problem = fmt.Sprintf("this gives %s; %s is wanted", typeName(t), k)
	switch {
	case k == Number && t.Kind() == reflect.Bool:
		hint = "did you mean (...) ? 1 : 0?"
	case k == Number && t.Kind() == reflect.String:
		hint = "did you mean " + fromText + "?"
	case k == Bool && number:
		hint = "did you mean (...) > 0?"
	case k == Bool && t.Kind() == reflect.String:
		hint = "compare it with something, as in (...) == \"x\""
	}
	return problem, hint
}

func isNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

func isScalar(t reflect.Type) bool {
	return t != nil && (isNumber(t) || t.Kind() == reflect.String || t.Kind() == reflect.Bool)
}

// typeName is how a type is called in errors.
func typeName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Bool:
		return "true or false"
	case isNumber(t):
		return "a number"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Map:
		return "a mapping"
	case t.Kind() == reflect.Struct:
		return "something with fields"
	}
	return t.String()
}
