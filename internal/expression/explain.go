package expression

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/suggest"
)

var (
	unknownName  = regexp.MustCompile(`^unknown (?:name|builtin) (\S+)$`)
	unknownField = regexp.MustCompile(`^type (\S+) has no (?:field|method) (\S+)$`)
	arguments    = regexp.MustCompile(`^(?:no matching overload for|.* to call) (\S+?)\s*$`)
	mismatch     = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types? (.+)\)$`)
)

// explain puts the compiler's message into the words of who writes expressions, with what was probably meant.
func explain(message string, o Options) (problem, hint string) {
	if m := unknownName.FindStringSubmatch(message); m != nil {
		names := slices.Concat(builtins, fields(reflect.TypeOf(o.Env)))
		for _, f := range o.Functions {
			names = append(names, f.Name)
		}
		if slices.Contains(o.Elsewhere, m[1]) {
			return fmt.Sprintf("%q is not to be looked at here", m[1]), "there are " + strings.Join(fields(reflect.TypeOf(o.Env)), ", ")
		}
		return fmt.Sprintf("unknown name %q", m[1]), meant(m[1], names, fields(reflect.TypeOf(o.Env)))
	}
	if m := unknownField.FindStringSubmatch(message); m != nil {
		if plain := map[string]string{"float64": "a number", "int": "a number", "string": "text", "bool": "what is true or false"}[m[1]]; plain != "" {
			return fmt.Sprintf("%s has no fields, so no %q", plain, m[2]), ""
		}
		name, t := owner(reflect.TypeOf(o.Env), "", m[1], 0)
		if t != nil {
			return fmt.Sprintf("%s has no %q", name, m[2]), meant(m[2], fields(t), fields(t))
		}
	}
	if m := arguments.FindStringSubmatch(message); m != nil {
		for _, f := range o.Functions {
			if f.Name == m[1] {
				return fmt.Sprintf("the arguments of %s do not fit", f.Name), "it is called as " + f.Usage
			}
		}
	}
	if m := mismatch.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("%s does not go with %s", m[1], plainTypes(m[2])), ""
	}
	if message == "unexpected token EOF" {
		return "the expression ends too early", "a bracket or an operand is missing"
	}
	return strings.ReplaceAll(plainTypes(message), "compilation failed: ", ""), ""
}

// plainTypes replaces the names of Go's types that the compiler may mention.
func plainTypes(text string) string {
	for _, pair := range [][2]string{
		{"float64", "number"}, {"int", "number"}, {"string", "text"}, {"bool", "true or false"}, {"interface {}", "anything"}, {"unknown", "anything"},
	} {
		text = regexp.MustCompile(`\b`+regexp.QuoteMeta(pair[0])+`(?:\b|$)`).ReplaceAllString(text, pair[1])
	}
	return text
}

// meant suggests the nearest name, or lists those that there are.
func meant(written string, names, listed []string) string {
	if best := suggest.Nearest(written, names); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "there are " + strings.Join(listed, ", ")
}

// fields lists the names that expressions know the fields of a struct by, sorted.
func fields(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && !f.Anonymous {
			names = append(names, nameOf(f))
		}
	}
	slices.Sort(names)
	return names
}

func nameOf(f reflect.StructField) string {
	if tag := f.Tag.Get("expr"); tag != "" {
		return tag
	}
	return f.Name
}

// owner finds the struct that the compiler calls by its Go type, and the name of the variable that it is reached by.
func owner(t reflect.Type, name, wanted string, depth int) (string, reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.String() == wanted {
		return name, t
	}
	if t.Kind() != reflect.Struct || depth > 4 {
		return "", nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && !f.Anonymous {
			if found, at := owner(f.Type, nameOf(f), wanted, depth+1); at != nil {
				return found, at
			}
		}
	}
	return "", nil
}
