package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/golden"
)

// docs/bench.md has the workloads and the figures as the code has them.
func TestDocs(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "bench.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for name, content := range map[string]string{"profiles": profilesTable(), "grid": gridTable(), "figures": figuresTable()} {
		part := regexp.MustCompile(`(?s)(<!-- ` + name + `[^>]*-->\n).*?(<!-- end -->)`)
		if len(part.FindAllString(page, -1)) != 1 {
			t.Fatalf("%s has no place for %s", file, name)
		}
		page = part.ReplaceAllStringFunc(page, func(old string) string {
			m := part.FindStringSubmatch(old)
			return m[1] + "\n" + content + "\n" + m[2]
		})
	}
	golden.Check(t, file, page)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[bench.Step]()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && !strings.Contains(page, "`"+name+"`") {
			t.Errorf("%s does not explain the field %s of a step", file, name)
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[bench.Total]()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && !strings.Contains(page, "`"+name+"`") {
			t.Errorf("%s does not explain the field %s of a total", file, name)
		}
	}
}

func profilesTable() string {
	var b strings.Builder
	b.WriteString("| workload | what happens | figures from |\n|---|---|---|\n")
	for _, w := range bench.Profiles() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", w.Name, w.Summary, w.Source)
	}
	return b.String()
}

// gridTable counts the shapes of each kind of subscription.
func gridTable() string {
	type count struct{ all, skewed, racks int }
	counts := map[bench.Subscriptions]*count{}
	var order []bench.Subscriptions
	for _, s := range bench.Grid() {
		c := counts[s.Subscriptions]
		if c == nil {
			c = &count{}
			counts[s.Subscriptions] = c
			order = append(order, s.Subscriptions)
		}
		c.all++
		if s.Skewed {
			c.skewed++
		}
		if s.Racks > 0 {
			c.racks++
		}
	}
	var b strings.Builder
	b.WriteString("| subscriptions | groups | of these with topics of unequal size | with racks |\n|---|---|---|---|\n")
	for _, name := range order {
		c := counts[name]
		fmt.Fprintf(&b, "| `grid/%s` | %d | %d | %d |\n", name, c.all, c.skewed, c.racks)
	}
	return b.String()
}

func figuresTable() string {
	var b strings.Builder
	b.WriteString("| column | field | what it is | better | shown |\n|---|---|---|---|---|\n")
	for _, f := range figures {
		better := "–"
		switch {
		case f.lower:
			better = "less"
		case f.higher:
			better = "more"
		}
		shown := map[kind]string{always: "always", wide: "`-o wide`, unless 0 throughout", cost: "`--time`"}[f.kind]
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", f.title, f.name, strings.ReplaceAll(f.help, "\n", " "), better, shown)
	}
	return b.String()
}
