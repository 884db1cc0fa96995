package simulation

import (
	"fmt"
	"strings"
	"testing"
)

// TestParseIsBounded holds texts against the parser that others have choked on: deep, wide and never ending ones. Where time or depth
// grew with more than the size, this would take minutes, or end the process.
func TestParseIsBounded(t *testing.T) {
	const n = 100_000
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
		src, err := load("x", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		root, err := src.parse()
		if err == nil && root != nil && depth(root) > maxNesting {
			t.Errorf("%s: nested %d deep", name, depth(root))
		}
	}
}

func depth(n *node) int {
	most := 0
	for _, item := range n.items {
		most = max(most, depth(item))
	}
	for _, p := range n.pairs {
		most = max(most, depth(p.value))
	}
	return most + 1
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
	for _, text := range []string{"a", "'a'", `"a"`, "1", "-1", "0b11", "0o17", "017", "0x1F", "1.5", ".inf", "-.Inf", ".nan", "true", "~", "null", "2001-01-01", "1e3", "|\n  a"} {
		src := &source{text: "k: " + text}
		root, err := src.parse()
		if err != nil || len(root.pairs) != 1 || root.pairs[0].value.kind > null {
			t.Errorf("%s: %v", text, err)
		}
	}
}
