package expression

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// Builtins returns the builtin functions that expressions may call, sorted.
func Builtins() []string { return slices.Clone(builtins) }

var builtins = []string{
	"abs", "all", "any", "ceil", "count", "filter", "find", "first", "float", "floor", "hasPrefix", "hasSuffix", "indexOf", "int",
	"last", "lastIndexOf", "len", "lower", "map", "max", "mean", "median", "min", "none", "one", "round", "split", "string", "sum", "trim",
	"trimPrefix", "trimSuffix", "upper",
}

// Names of the functions that the guard puts in. No source can spell them.
const (
	stepName = "·step"
	joinName = "·join"

	hostPrefix = "·host·" // before the name of a function of the host, for what has the environment as its first argument
)

// A guard is shown every node of an expression, inner ones first, once their types are known. It notes the first one that is not
// allowed, counts what is looked at, and puts counters into loops and bounds around text that is put together.
type guard struct {
	problem string // the first, "" if there is none
	hint    string
	offset  int                 // of the problem, in characters
	looks   map[string]int      // how often what is looked at, by its path
	inner   map[string]int      // how often only for the sake of a field
	through map[string]int      // how often only by a function that does without it
	root    ast.Node            // the last one shown
	hosts   map[string]Function // of the host
}

// options are what a source is checked with, and compiled with if there is a guard.
func options(o Options, g *guard) []expr.Option {
	options := []expr.Option{expr.Env(o.Env), expr.MaxNodes(maxNodes), expr.DisableAllBuiltins(), expr.Optimize(g != nil)}
	for _, name := range builtins {
		options = append(options, expr.EnableBuiltin(name))
	}
	for _, f := range o.Functions {
		options = append(options, expr.Function(f.Name, func(...any) (any, error) { return nil, errors.New("not compiled") }, f.Types...))
		if g != nil {
			g.hosts[f.Name] = f
			call := f.Call
			options = append(options, expr.Function(hostPrefix+f.Name, func(arguments ...any) (any, error) {
				return call(arguments[0], arguments[1:]...)
			}, withEnv(f.Types)...))
		}
	}
	if g == nil {
		return options
	}
	return append(options,
		expr.Function(stepName, step, (func(any) bool)(nil)),
		expr.Function(joinName, join, (func(any, any) string)(nil), (func(any, any) any)(nil)),
		expr.Patch(g))
}

// withEnv is types of functions with the environment before their arguments.
func withEnv(functions []any) []any {
	list := make([]any, len(functions))
	for k, function := range functions {
		t := reflect.TypeOf(function)
		in, out := []reflect.Type{reflect.TypeFor[any]()}, []reflect.Type{}
		for i := range t.NumIn() {
			in = append(in, t.In(i))
		}
		for i := range t.NumOut() {
			out = append(out, t.Out(i))
		}
		list[k] = reflect.Zero(reflect.FuncOf(in, out, t.IsVariadic())).Interface()
	}
	return list
}

// Visit is called by the compiler.
func (g *guard) Visit(n *ast.Node) {
	defer func() { g.root = *n }()
	switch node := (*n).(type) {
	case *ast.IdentifierNode:
		if node.Value == "$env" {
			g.refuse(node, "$env is not allowed", "name the variable itself")
		}
		g.looks[node.Value]++
	case *ast.MemberNode:
		g.member(node)
	case *ast.ArrayNode:
		for _, element := range node.Nodes {
			g.element(element)
		}
	case *ast.PairNode:
		g.element(node.Value)
	case *ast.BytesNode:
		g.refuse(node, "bytes are not allowed", `write text, "..."`)
	case *ast.CallNode:
		g.call(node)
	case *ast.BuiltinNode:
		g.builtin(node)
	case *ast.PredicateNode:
		inner := &ast.SequenceNode{Nodes: []ast.Node{hidden(stepName), node.Node}}
		inner.SetNature(*node.Node.Nature())
		node.Node = inner
	case *ast.BinaryNode:
		g.binary(n, node)
	}
}

func (g *guard) refuse(n ast.Node, problem, hint string) {
	if g.problem == "" {
		g.problem, g.hint, g.offset = problem, hint, n.Location().From
	}
}

// hidden calls a function of the guard's own with the environment.
func hidden(name string, arguments ...ast.Node) *ast.CallNode {
	return &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: name},
		Arguments: append([]ast.Node{&ast.IdentifierNode{Value: "$env"}}, arguments...),
	}
}

// member notes which variable or field of one a field is taken of.
func (g *guard) member(n *ast.MemberNode) {
	field, ok := n.Property.(*ast.StringNode)
	if of := path(n.Node); ok && of != "" {
		g.looks[of+"."+field.Value]++
		g.inner[of]++
	}
}

// path is how a node would be written if it is a variable or a field of one, and of that only; else "".
func path(n ast.Node) string {
	switch node := n.(type) {
	case *ast.IdentifierNode:
		return node.Value
	case *ast.ChainNode:
		return path(node.Node)
	case *ast.MemberNode:
		field, ok := node.Property.(*ast.StringNode)
		if of := path(node.Node); ok && of != "" {
			return of + "." + field.Value
		}
	}
	return ""
}

// element checks what a list or a mapping is made of.
func (g *guard) element(n ast.Node) {
	if !isScalar(n.Type()) && !written(n) {
		g.refuse(n, "a list or mapping is made of numbers, text, true and false, or is written out", "")
	}
}

// written tells whether a node is written out: what it is does not depend on anything.
func written(n ast.Node) bool {
	switch node := n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
		return true
	case *ast.UnaryNode:
		return written(node.Node)
	case *ast.ArrayNode:
		return !slices.ContainsFunc(node.Nodes, func(e ast.Node) bool { return !written(e) })
	case *ast.MapNode:
		return !slices.ContainsFunc(node.Pairs, func(e ast.Node) bool { return !written(e) })
	case *ast.PairNode:
		return written(node.Key) && written(node.Value)
	}
	return false
}

// call hands the environment on to functions of the host.
func (g *guard) call(n *ast.CallNode) {
	var f Function
	name, ok := n.Callee.(*ast.IdentifierNode)
	if ok {
		f, ok = g.hosts[name.Value]
	}
	if !ok {
		g.refuse(n, "only functions can be called", "")
		return
	}
	if f.Entry && len(n.Arguments) >= 2 {
		entry, named := n.Arguments[1].(*ast.StringNode)
		if of := path(n.Arguments[0]); named && of != "" {
			g.looks[of+"."+entry.Value]++
			g.through[of+"."+entry.Value]++
			g.inner[of]++
		}
	}
	own := hidden(hostPrefix+name.Value, n.Arguments...)
	n.Callee, n.Arguments = own.Callee, own.Arguments
}

func (g *guard) builtin(n *ast.BuiltinNode) {
	switch n.Name {
	case "string":
		if len(n.Arguments) == 1 && !isScalar(n.Arguments[0].Type()) {
			g.refuse(n, "string takes a number, text, or true or false", "")
		}
	case "map":
		if body, ok := n.Arguments[len(n.Arguments)-1].(*ast.PredicateNode); ok && !isScalar(body.Node.Type()) {
			g.refuse(n, "map has to give a number, text, or true or false for each element", "")
		}
	}
}

func (g *guard) binary(n *ast.Node, node *ast.BinaryNode) {
	switch node.Operator {
	case "+":
		left, right := node.Left.Type(), node.Right.Type()
		if left == nil || right == nil || !isNumber(left) || !isNumber(right) {
			call := hidden(joinName, node.Left, node.Right)
			call.Arguments = call.Arguments[1:]
			call.SetLocation(node.Location())
			call.SetNature(*node.Nature())
			*n = call
		}
	case "..":
		g.span(node)
	case "in", "not in":
		if r, ok := node.Right.(*ast.BinaryNode); ok && r.Operator == ".." && g.offset == r.Location().From && g.problem == rangeProblem {
			g.problem = ""
		}
	}
}

const rangeProblem = "a range stands behind \"in\" only"

// span notes a range as a problem, which it is not if it turns out to stand behind "in".
func (g *guard) span(n *ast.BinaryNode) {
	from, ok := n.Left.(*ast.IntegerNode)
	to, too := n.Right.(*ast.IntegerNode)
	if !ok || !too || to.Value-from.Value > maxRange || to.Value-from.Value < 0 {
		g.refuse(n, fmt.Sprintf("a range has its bounds written out, rising, at most %d apart", maxRange), "compare with < and <= instead")
		return
	}
	g.refuse(n, rangeProblem, "")
}

// join puts text together, within bounds, or adds what are no texts.
func join(arguments ...any) (any, error) {
	left, ok := arguments[0].(string)
	right, too := arguments[1].(string)
	if !ok || !too {
		return runtime.Add(arguments[0], arguments[1]), nil
	}
	if len(left)+len(right) > maxText {
		return nil, fmt.Errorf("text of more than %d bytes", maxText)
	}
	return left + right, nil
}
