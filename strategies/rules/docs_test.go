package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/internal/golden"
)

// docs/rules.md has the variables, the functions and some errors as the code has them, and its examples are good ones.
func TestDocs(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "rules.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for name, content := range map[string]string{"variables": variablesTable(), "functions": functionsList(), "errors": errorsShown(t)} {
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
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	for _, b := range blocks {
		if _, err := Parse("docs/rules.md", []byte(b[1])); err != nil {
			t.Error(err)
		}
	}
	if len(blocks) < 2 {
		t.Error("there are no examples")
	}
}

func variablesTable() string {
	var b strings.Builder
	b.WriteString("| variable | type | what it is |\n|---|---|---|\n")
	env := reflect.TypeFor[onPair]()
	for i := range env.NumField() {
		variable := env.Field(i)
		if variable.Anonymous {
			continue
		}
		of := variable.Type.Elem()
		for k := range of.NumField() {
			f := of.Field(k)
			fmt.Fprintf(&b, "| `%s.%s` | %s | %s |\n", variable.Tag.Get("expr"), f.Tag.Get("expr"), kindName(f.Type), f.Tag.Get("doc"))
		}
	}
	return b.String()
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Int:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list of texts"
	case reflect.Bool:
		return "true or false"
	case reflect.Map:
		if t.Elem().Kind() == reflect.Float64 {
			return "numbers by name"
		}
		return "texts by name"
	}
	return t.String()
}

func functionsList() string {
	names := append([]string{number.Name}, expression.Builtins()...)
	slices.Sort(names)
	return "`" + strings.Join(names, "`, `") + "`.\n"
}

func errorsShown(t *testing.T) string {
	_, err := Parse("gold.yaml", []byte("name: gold-first\neligible: membr.rack == \"a\"\nweight: partition.log + 1\ncapacity: member.labels.cpu\n"))
	if err == nil {
		t.Fatal("taken")
	}
	return "```text\n" + err.Error() + "\n```\n"
}

// Every variable is explained.
func TestVariablesAreExplained(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[memberVariables](), reflect.TypeFor[partitionVariables](), reflect.TypeFor[groupVariables]()} {
		for i := range of.NumField() {
			if f := of.Field(i); f.Tag.Get("expr") == "" || f.Tag.Get("doc") == "" {
				t.Errorf("%s.%s has no name or no explanation", of, f.Name)
			}
		}
	}
}
