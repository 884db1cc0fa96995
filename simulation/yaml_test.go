package simulation

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/ast"
	library "github.com/goccy/go-yaml/parser"
)

// render writes a node in one line, whatever style it was written in.
func render(b *strings.Builder, n *node) {
	switch n.kind {
	case null:
		b.WriteString("null")
	case scalar:
		fmt.Fprintf(b, "%q", n.text)
	case list:
		b.WriteString("[")
		for _, item := range n.items {
			render(b, item)
			b.WriteString(" ")
		}
		b.WriteString("]")
	case mapping:
		b.WriteString("{")
		for _, p := range n.pairs {
			render(b, p.key)
			b.WriteString(":")
			render(b, p.value)
			b.WriteString(" ")
		}
		b.WriteString("}")
	}
}

// reference writes what the library's own parser makes of a text in the form of render.
func reference(b *strings.Builder, n ast.Node) {
	pairs := func(list []*ast.MappingValueNode) {
		b.WriteString("{")
		for _, p := range list {
			reference(b, p.Key)
			b.WriteString(":")
			reference(b, p.Value)
			b.WriteString(" ")
		}
		b.WriteString("}")
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		pairs(n.Values)
	case *ast.MappingValueNode:
		pairs([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		b.WriteString("[")
		for _, v := range n.Values {
			reference(b, v)
			b.WriteString(" ")
		}
		b.WriteString("]")
	case *ast.NullNode:
		b.WriteString("null")
	case *ast.LiteralNode:
		fmt.Fprintf(b, "%q", n.Value.Value)
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprintf(b, "%q", n.GetToken().Value)
	}
}

// compare checks that a text which parse understands means the same to the library's parser.
func compare(t *testing.T, text string) {
	src, err := load("x", strings.NewReader(text))
	if err != nil {
		return
	}
	root, err := src.parse()
	if err != nil || root == nil {
		return
	}
	var ours, theirs strings.Builder
	render(&ours, root)
	file, err := library.ParseBytes([]byte(src.text), 0)
	if err != nil {
		t.Skipf("the library refuses %q: %v", text, err)
	}
	for _, d := range file.Docs {
		if d.Body != nil {
			reference(&theirs, d.Body)
		}
	}
	if ours.String() != theirs.String() {
		if emptyItem.MatchString(text) {
			return
		}
		t.Errorf("%q\nwe read      %s\nthe library  %s", text, ours.String(), theirs.String())
	}
}

var documents = []string{
	"a: 1\nb:\n- x\n- y: 2\n  z: 'q'\nc:\n  d: |\n    abc\n    def\n  e: \"x\\ny\"\nf: {g: [1, 2.5, ~], h: , \"i\": true}\nj: foo bar\n  baz\nk:\n# c\nl: # c\n  - m\nn: ''\n",
	"- - a\n  - b\n- c\n-\n  - d\n-\n- e: f\n",
	"--- \na: b\n...\n",
	"a: >-\n x\n y\n\nb: 1",
	"a: \"b\n  c\"\nd: 'e\n\n f'",
	"a: [1\n, 2]\nb: {\nc: 1}\nd: [{e: f}, [g], {}, []]\n",
	"a:b: c",
	"a: |\nb: 1",
	"a:\n  - b:\n      c: 1\n    d:\n    - e\n  - f\ng: h",
	"a: [b, c, ]\nd: {e: 1, }",
	"events:\n  - deploy: {members: \"billing-*\", surge: 1}  # rolling\n  - set: {member: b, capacity: 0}\n",
	"a: b c: d", "a:\n  b: 1\n c: 2", "a: 'x' y", "a: 1\n  b: 2", "a: - b", "- a\nb: c", "a:\n- b\nc", "a: [b: c]", "{a, b: 1}", "a: @b", "[a]: b", "a: b\n- c",
}

func TestParseAsTheLibraryDoes(t *testing.T) {
	for _, text := range documents {
		compare(t, text)
	}
}

func FuzzYAML(f *testing.F) {
	for _, text := range documents {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 500 { // the library takes its time
			return
		}
		compare(t, text)
	})
}

// TestParseTakesNoTime holds texts against the parser that others have choked on. Each takes a moment here, and minutes where time or
// depth grow with the size.
func TestParseTakesNoTime(t *testing.T) {
	const n = 30_000
	for name, text := range map[string]string{
		"brackets":      strings.Repeat("[", n),
		"braces":        strings.Repeat("{a: ", n),
		"dashes":        strings.Repeat("- ", n),
		"question":      strings.Repeat("? ", n),
		"colons":        strings.Repeat("a: ", n),
		"quotes":        strings.Repeat(`"`, n),
		"open quote":    `"` + strings.Repeat("a", n),
		"tags":          strings.Repeat("! ", n),
		"anchors":       strings.Repeat("&a ", n),
		"documents":     strings.Repeat("---\n", n),
		"plain":         strings.Repeat("a\n", n),
		"pairs":         strings.Repeat("a: 1\n", n),
		"items":         strings.Repeat("- a\n", n),
		"flow items":    "[" + strings.Repeat("a, ", n) + "]",
		"literal":       "a: |\n" + strings.Repeat("  x\n", n),
		"folded":        "a: >\n" + strings.Repeat("  x\n", n),
		"closing":       strings.Repeat("]", n),
		"commas":        strings.Repeat(",", n),
		"spaces":        strings.Repeat(" ", n),
		"line ends":     strings.Repeat("\n", n),
		"comments":      strings.Repeat("# c\n", n),
		"indents":       indents(1000),
		"keys":          manyKeys(n),
		"carriage":      strings.Repeat("\r", n),
		"backslashes":   `"` + strings.Repeat(`\`, n) + `"`,
		"directives":    strings.Repeat("%a\n", n),
		"mixed nesting": strings.Repeat("- {a: [", n),
	} {
		start := time.Now()
		src, err := load("x", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = src.parse()
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: %v (%v)", name, d, err)
		}
	}
}

func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d: 1\n", i)
	}
	return b.String()
}

func TestEveryKindOfScalar(t *testing.T) {
	for _, text := range []string{"a", "'a'", `"a"`, "1", "-1", "0b11", "0o17", "017", "0x1F", "1.5", ".inf", "-.Inf", ".nan", "true", "~", "null", "2001-01-01", "1e3"} {
		src := &source{text: "k: " + text}
		root, err := src.parse()
		if err != nil || len(root.pairs) != 1 || root.pairs[0].value.kind > null {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// emptyItem finds items without a value, which the library takes the next pair of the mapping around for.
var emptyItem = regexp.MustCompile(`-[ \t]*(#.*)?(\n|$)`)
