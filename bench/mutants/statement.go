package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// statement mutates a statement that stands in a list of statements.
func (f *finder) statement(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.CaseClause:
		f.body(n, n.Body)
		return
	case *ast.CommClause:
		f.body(n, n.Body)
		return
	}
	switch f.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return
	}
	switch n := n.(type) {
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "panic" {
				f.remove(n)
			}
		}
	case *ast.AssignStmt:
		f.assign(n)
	case *ast.IncDecStmt:
		other := map[token.Token]token.Token{token.INC: token.DEC, token.DEC: token.INC}[n.Tok]
		f.instead(n, f.splice.source(n.X)+other.String(), fmt.Sprintf("%s to %s", n.Tok, other))
	case *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		f.remove(n)
	case *ast.BranchStmt:
		switch {
		case n.Tok == token.BREAK:
			f.remove(n)
		case n.Tok == token.CONTINUE && n.Label == nil && f.inLoop():
			f.instead(n, "break", "continue to break")
		case n.Tok == token.CONTINUE:
			f.remove(n)
		}
	case *ast.ReturnStmt:
		f.returns(n)
	}
}

// remove makes a mutant without a statement.
func (f *finder) remove(n ast.Stmt) {
	f.splice.wrap(n, fmt.Sprintf("if !mutant(%d) { ", f.add(n, "removed")), " }")
}

// instead makes a mutant without a statement, and one with another in its place.
func (f *finder) instead(n ast.Stmt, other, does string) {
	id := f.add(n, "removed", does)
	f.splice.wrap(n, fmt.Sprintf("if mutant(%d) { %s } else if !mutant(%d) { ", id+1, other, id), " }")
}

// body removes what a case does, where that is more than one statement and does not end the function.
func (f *finder) body(clause ast.Node, body []ast.Stmt) {
	if len(body) < 2 {
		return
	}
	switch last := body[len(body)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return
	case *ast.ExprStmt:
		if call, ok := last.X.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "panic" {
				return
			}
		}
	}
	id := f.add(clause, "does nothing")
	f.splice.wrap(between{body[0].Pos(), body[len(body)-1].End()}, fmt.Sprintf("if !mutant(%d) { ", id), " }")
}

// between is a part of a file.
type between struct{ from, to token.Pos }

func (b between) Pos() token.Pos { return b.from }
func (b between) End() token.Pos { return b.to }

func (f *finder) assign(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE || !slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool {
		name, ok := x.(*ast.Ident)
		return !ok || name.Name != "_"
	}) {
		return
	}
	other := map[token.Token]token.Token{token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN}[n.Tok]
	basic, ok := f.info.Types[n.Lhs[0]].Type.(*types.Basic)
	if other == token.ILLEGAL || ok && basic.Info()&types.IsNumeric == 0 {
		f.remove(n)
		return
	}
	f.instead(n, fmt.Sprintf("%s %s %s", f.splice.source(n.Lhs[0]), other, f.splice.source(n.Rhs[0])), fmt.Sprintf("%s to %s", n.Tok, other))
}

// inLoop says whether break ends what continue goes on with.
func (f *finder) inLoop() bool {
	for _, outer := range slices.Backward(f.stack) {
		switch outer.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.FuncLit:
			return false
		}
	}
	return false
}

// returns returns nothing but zero values, or goes on where nothing is returned.
func (f *finder) returns(n *ast.ReturnStmt) {
	results := f.results()
	if results == nil {
		f.remove(n)
		return
	}
	if len(n.Results) > 0 && !slices.ContainsFunc(n.Results, func(x ast.Expr) bool { return !f.isZero(x) }) {
		return
	}
	if len(n.Results) == 1 && f.info.Types[n.Results[0]].Type != nil {
		if basic, ok := f.info.Types[n.Results[0]].Type.Underlying().(*types.Basic); ok && basic.Info()&types.IsBoolean != 0 {
			return // negated elsewhere
		}
	}
	var zeros []string
	for _, field := range results.List {
		for range max(1, len(field.Names)) {
			zeros = append(zeros, "*new("+f.splice.source(field.Type)+")")
		}
	}
	f.splice.wrap(n, fmt.Sprintf("if mutant(%d) { return %s }; ", f.add(n, "returns zero"), strings.Join(zeros, ", ")), "")
}

// results are those of the function around the node.
func (f *finder) results() *ast.FieldList {
	for _, outer := range slices.Backward(f.stack) {
		switch outer := outer.(type) {
		case *ast.FuncLit:
			return outer.Type.Results
		case *ast.FuncDecl:
			return outer.Type.Results
		}
	}
	return nil
}
