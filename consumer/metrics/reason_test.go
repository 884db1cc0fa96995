package metrics_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/consumer/metrics"
)

func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"joining for the first time":                            "first_join",
		"commit refused: the group is in another generation":    "other_generation",
		"heartbeat refused: the group does not know the member": "unknown_member",
		"prices changed": "other",
		"":               "other",
	} {
		if got := metrics.Reason(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	values := metrics.Reasons()
	if sorted := slices.Compact(slices.Sorted(slices.Values(values))); len(sorted) != len(values) {
		t.Errorf("values twice: %q", values)
	}
}

// TestReasonsOfMembers looks for all reasons that a member's state machine may give: each has a value of its own.
func TestReasonsOfMembers(t *testing.T) {
	files, err := filepath.Glob("../../internal/membership/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			texts = append(texts, reasonsIn(n)...)
			return true
		})
	}
	if len(texts) < 10 {
		t.Fatalf("only %q were found: look for them where they are now", texts)
	}
	for _, text := range texts {
		if metrics.Reason(text) == "other" {
			t.Errorf("%q, for which a member joins, is counted as other: it wants a line in reason.go, and in docs/metrics.md", text)
		}
	}
}

// reasonsIn returns texts that a node gives as a reason: to a function that has the member join again, or to a field that is kept for that.
func reasonsIn(n ast.Node) (texts []string) {
	switch n := n.(type) {
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if ok && len(n.Args) > 0 && slices.Contains([]string{"becomeRevoking", "forget", "startOver"}, f.Sel.Name) {
			texts = textsIn(n.Args[0])
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			f, ok := left.(*ast.SelectorExpr)
			if ok && i < len(n.Rhs) && (f.Sel.Name == "again" || f.Sel.Name == "reason") {
				texts = append(texts, textsIn(n.Rhs[i])...)
			}
		}
	}
	return texts
}

// textsIn returns the text that an expression is or ends in, if that is not empty.
func textsIn(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && text != "" {
			return []string{text}
		}
	case *ast.BinaryExpr: // what + ": the group ..."
		var texts []string
		for _, text := range textsIn(e.Y) {
			texts = append(texts, "it"+text)
		}
		return texts
	}
	return nil
}
