package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// A mutant is one change to the program.
type mutant struct {
	id     int
	file   string // in the package's directory
	line   int
	where  string // the function
	change string // what was there, and what the mutant does instead
}

// String is how a list of accepted mutants names it, whatever lines it moves to.
func (m *mutant) String() string { return fmt.Sprintf("%s %s: %s", m.file, m.where, m.change) }

// A finder goes through a file, writes mutants down and splices them in.
type finder struct {
	*source
	file    *ast.File
	splice  *splice
	mutants []*mutant
	last    int // id given
	stack   []ast.Node
}

// find finds all mutants of a package, and returns its files with all of them in it, by path.
func find(s *source) ([]*mutant, map[string][]byte) {
	f := &finder{source: s}
	out := map[string][]byte{}
	for i, file := range s.files {
		f.file, f.splice = file, newSplice(s.fset.File(file.Pos()), s.texts[i])
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			f.stack = stack
			return f.node(n)
		})
		out[s.paths[i]] = f.splice.bytes()
	}
	out[filepath.Join(s.dir, "mutants_support.go")] = []byte("package " + s.name + support)
	return f.mutants, out
}

// add writes mutants down that differ in what they do in n's place, and returns the id of the first.
func (f *finder) add(n ast.Node, does ...string) int {
	what, _, cut := strings.Cut(f.splice.source(n), "\n")
	if len(what) > 70 || cut {
		what = what[:min(70, len(what))] + "..."
	}
	where := "-"
	for _, outer := range f.stack {
		if d, ok := outer.(*ast.FuncDecl); ok {
			where = d.Name.Name
		}
	}
	first := f.last + 1
	for _, d := range does {
		f.last++
		at := f.fset.Position(n.Pos())
		f.mutants = append(f.mutants, &mutant{id: f.last, file: filepath.Base(at.Filename), line: at.Line, where: where, change: "`" + what + "` " + d})
	}
	return first
}

// node mutates n, and says whether to go on within it.
func (f *finder) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ArrayType, *ast.FuncType:
		return false
	case ast.Stmt:
		f.statement(n)
	case ast.Expr:
		return f.expression(n)
	}
	return true
}

// parent is what the node stands in.
func (f *finder) parent() ast.Node { return f.stack[len(f.stack)-1] }

func (f *finder) expression(n ast.Expr) bool {
	tv := f.info.Types[n]
	if f.isRoom(n) || tv.IsType() {
		return false // how much room is made beforehand changes nothing
	}
	if tv.Value != nil {
		f.constant(n, tv)
		return false
	}
	f.field(n, tv)
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && f.info.Types[n.Fun].IsBuiltin() && len(n.Args) > 1 && !n.Ellipsis.IsValid() {
			switch name.Name {
			case "min":
				f.splice.replace(n.Pos(), len("min("), fmt.Sprintf("mutantMin(%d, ", f.add(n, "min to max")))
			case "max":
				f.splice.replace(n.Pos(), len("max("), fmt.Sprintf("mutantMax(%d, ", f.add(n, "max to min")))
			}
		}
		f.condition(n, tv)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		f.condition(n, tv)
	}
	return true
}

// isRoom tells the argument of make that only says how much room to make.
func (f *finder) isRoom(n ast.Expr) bool {
	call, ok := f.parent().(*ast.CallExpr)
	if !ok || len(call.Args) < 2 || call.Args[len(call.Args)-1] != n {
		return false
	}
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "make" || !f.info.Types[call.Fun].IsBuiltin() {
		return false
	}
	_, isMap := f.info.Types[call.Args[0]].Type.Underlying().(*types.Map)
	return isMap || len(call.Args) == 3
}

var comparisons = map[token.Token][3]string{
	token.LSS: {"mutantLess", "< to <=", "< to >="},
	token.GTR: {"mutantGreater", "> to >=", "> to <="},
	token.LEQ: {"mutantLessOrEqual", "<= to <", "<= to >"},
	token.GEQ: {"mutantGreaterOrEqual", ">= to >", ">= to <"},
}

var arithmetic = map[token.Token][2]string{
	token.ADD: {"mutantAdd", "+ to -"},
	token.SUB: {"mutantSubtract", "- to +"},
	token.MUL: {"mutantMultiply", "* to /"},
	token.QUO: {"mutantDivide", "/ to *"},
}

func (f *finder) binary(n *ast.BinaryExpr) {
	call := func(name string, id int) {
		f.splice.wrap(n, fmt.Sprintf("%s(%d, ", name, id), ")")
		f.splice.replace(n.OpPos, len(n.Op.String()), ",")
	}
	switch n.Op {
	case token.LAND, token.LOR: // by De Morgan, so that what is not to be evaluated is not
		to := map[token.Token]string{token.LAND: "&& to ||", token.LOR: "|| to &&"}[n.Op]
		m := fmt.Sprintf("mutant(%d)", f.add(n, to))
		f.splice.wrap(n, "("+m+" != (", "))")
		f.splice.wrap(n.X, "("+m+" != (", "))")
		f.splice.wrap(n.Y, "("+m+" != (", "))")
	case token.EQL, token.NEQ:
		to := map[token.Token]string{token.EQL: "== to !=", token.NEQ: "!= to =="}[n.Op]
		f.splice.wrap(n, "((", fmt.Sprintf(") != mutant(%d))", f.add(n, to)))
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		c := comparisons[n.Op]
		call(c[0], f.add(n, c[1], c[2]))
	case token.ADD, token.SUB, token.MUL, token.QUO:
		basic, ok := f.info.Types[n].Type.Underlying().(*types.Basic)
		if ok && basic.Info()&types.IsNumeric != 0 {
			a := arithmetic[n.Op]
			call(a[0], f.add(n, a[1]))
		}
	}
}

// condition negates a value that is true or false, where it is used.
func (f *finder) condition(n ast.Expr, tv types.TypeAndValue) {
	if tv.IsValue() && types.Identical(tv.Type, types.Typ[types.Bool]) && f.isUsed(n) {
		f.splice.wrap(n, "((", fmt.Sprintf(") != mutant(%d))", f.add(n, "negated")))
	}
}

// isUsed tells expressions that are read as one value from those that are assigned to, have their address taken or are names of fields.
func (f *finder) isUsed(n ast.Expr) bool {
	switch p := f.parent().(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.ReturnStmt:
		return true
	case *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return p.Op == token.NOT
	case *ast.CaseClause:
		s, ok := f.stack[len(f.stack)-3].(*ast.SwitchStmt)
		return ok && s.Tag == nil
	case *ast.AssignStmt:
		return len(p.Lhs) == len(p.Rhs) && n.Pos() > p.TokPos
	case *ast.CallExpr:
		return n != p.Fun
	case *ast.KeyValueExpr:
		return n == p.Value
	}
	return false
}

// constant changes numbers and truths that stand in the code. Named constants, and what is computed of them, stay.
func (f *finder) constant(n ast.Expr, tv types.TypeAndValue) {
	literal := n
	if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.SUB {
		literal = u.X
	}
	name := f.typeName(tv.Type, f.file)
	if l, ok := literal.(*ast.BasicLit); ok && l.Kind == token.INT && name != "" && !f.mustBeConstant(n) {
		basic, ok := tv.Type.Underlying().(*types.Basic)
		switch {
		case !ok || basic.Info()&types.IsInteger == 0:
		case literal != n: // -1 is nobody or nothing, and so are other negative numbers
			f.splice.wrap(n, fmt.Sprintf("mutantPlus[%s](%d, ", name, f.add(n, "plus 1")), ")")
		default:
			f.splice.wrap(n, fmt.Sprintf("mutantNumberOff[%s](%d, ", name, f.add(n, "plus 1", "minus 1")), ")")
		}
		return
	}
	f.condition(n, tv)
	if name != "" && tv.Value.Kind() != constant.String { // texts are for people
		f.field(n, tv)
	}
}

func (f *finder) mustBeConstant(n ast.Expr) bool {
	switch p := f.parent().(type) {
	case *ast.BinaryExpr:
		return p.Op == token.SHL || p.Op == token.SHR
	case *ast.KeyValueExpr:
		return n == p.Key
	}
	return false
}

// field leaves a field of a composite literal as it is without being mentioned.
func (f *finder) field(n ast.Expr, tv types.TypeAndValue) {
	p, ok := f.parent().(*ast.KeyValueExpr)
	if !ok || n != p.Value || !tv.IsValue() || tv.IsNil() || types.Identical(tv.Type, types.Typ[types.Bool]) || f.isZero(n) {
		return
	}
	literal := f.stack[len(f.stack)-2].(*ast.CompositeLit)
	if _, ok := f.info.Types[literal].Type.Underlying().(*types.Struct); !ok {
		if _, ok := f.info.Types[literal].Type.Underlying().(*types.Pointer); !ok {
			return
		}
	}
	if literal, isLiteral := n.(*ast.CompositeLit); isLiteral && literal.Type == nil {
		return
	}
	t := ""
	if tv.Value != nil {
		t = "[" + f.typeName(tv.Type, f.file) + "]"
	}
	f.splice.wrap(n, fmt.Sprintf("mutantZero%s(%d, ", t, f.add(p, "left out")), ")")
}

// isZero says whether an expression is the zero value of its type as it stands there.
func (f *finder) isZero(n ast.Expr) bool {
	if c, ok := n.(*ast.CompositeLit); ok {
		_, isStruct := f.info.Types[n].Type.Underlying().(*types.Struct)
		return isStruct && len(c.Elts) == 0
	}
	tv := f.info.Types[n]
	if tv.IsNil() {
		return true
	}
	if tv.Value == nil {
		return false
	}
	v := tv.Value.ExactString()
	return v == "0" || v == `""` || v == "false"
}
