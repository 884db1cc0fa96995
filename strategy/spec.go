package strategy

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/suggest"
)

// A Spec names an assignor and configures it, in one string: name[:argument][?key=value&...], as in "range", "sticky?tolerance=2"
// or "rules:weights.yaml". Values are percent-decoded; the argument is taken as it stands, up to the first "?".
//
// Every assignor takes the parameter "cooperative", which wraps it in [Cooperative].
type Spec struct {
	Text     string // as it was written
	Name     string
	Argument string
	values   map[string]string
}

// ErrSpec is found in the error of [Parse] for a specification that is malformed or sets what the assignor does not take.
var ErrSpec = errors.New("malformed specification")

// SpecError says what is wrong with a specification. It unwraps to [ErrUnknownStrategy], [ErrSpec], or what New returned.
type SpecError struct {
	Spec    string
	Problem string
	Err     error
}

func (e *SpecError) Error() string {
	if errors.Is(e.Err, ErrUnknownStrategy) {
		return e.Problem // names it
	}
	return fmt.Sprintf("strategy %q: %s", e.Spec, e.Problem)
}

func (e *SpecError) Unwrap() error { return e.Err }

var cooperativeParameter = Parameter{Name: "cooperative", Kind: KindBool, Default: "false", Summary: "what another member still owns waits for a second round"}

// maxSpec is the longest specification that is read, in bytes.
const maxSpec = 4096

// Parse makes the assignor that a specification of at most 4096 bytes stands for. The caller closes it with [Close]. An error is
// a [*SpecError].
func Parse(text string) (Assignor, error) {
	s, d, err := parseSpec(text)
	if err != nil {
		return nil, err
	}
	a, err := d.New(s)
	if err != nil {
		return nil, &SpecError{Spec: text, Problem: err.Error(), Err: err}
	}
	if s.Bool(cooperativeParameter.Name) {
		return Cooperative(a), nil
	}
	return a, nil
}

func parseSpec(text string) (Spec, Definition, error) {
	fail := func(cause error, format string, args ...any) error {
		shown := text
		if len(shown) > 80 {
			shown = shown[:80] + "..."
		}
		return &SpecError{Spec: shown, Problem: fmt.Sprintf(format, args...), Err: cause}
	}
	if len(text) > maxSpec {
		return Spec{}, Definition{}, fail(ErrSpec, "longer than %d bytes", maxSpec)
	}
	head, query, _ := strings.Cut(text, "?")
	name, argument, hasArgument := strings.Cut(head, ":")
	s := Spec{Text: text, Name: name, Argument: argument, values: map[string]string{}}
	if name == "" {
		return Spec{}, Definition{}, fail(ErrSpec, "has no name; there are %s", strings.Join(Names(), ", "))
	}
	d, ok := Lookup(name)
	if !ok {
		return Spec{}, Definition{}, fail(ErrUnknownStrategy, "unknown strategy %q%s", name, hint(name, Names()))
	}
	switch {
	case hasArgument && d.Argument == "":
		return Spec{}, Definition{}, fail(ErrSpec, "%s takes nothing behind a colon", name)
	case argument == "" && d.Argument != "":
		return Spec{}, Definition{}, fail(ErrSpec, "%s needs an argument: %s:%s", name, name, d.Argument)
	}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		if err := s.set(pair, d); err != nil {
			return Spec{}, Definition{}, fail(ErrSpec, "%s", err)
		}
	}
	return s, d, nil
}

// set enters one key=value.
func (s *Spec) set(pair string, d Definition) error {
	key, raw, hasValue := strings.Cut(pair, "=")
	value, err := url.PathUnescape(raw)
	if err != nil {
		return fmt.Errorf("parameter %s: %q is not percent-encoded right", key, raw)
	}
	i := slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == key })
	if i < 0 {
		names := make([]string, len(d.Parameters))
		for i, p := range d.Parameters {
			names[i] = p.Name
		}
		slices.Sort(names)
		return fmt.Errorf("unknown parameter %q%s", key, hint(key, names))
	}
	if _, twice := s.values[key]; twice {
		return fmt.Errorf("parameter %s is set twice", key)
	}
	p := d.Parameters[i]
	if p.Kind == KindBool && !hasValue {
		value = "true"
	}
	if err := p.check(value); err != nil {
		return err
	}
	s.values[key] = value
	return nil
}

func (p *Parameter) check(value string) error {
	switch p.Kind {
	case KindInt:
		if n, err := strconv.ParseInt(value, 10, 32); err != nil || n < 0 {
			return fmt.Errorf("parameter %s=%s: a whole number from 0 to 2147483647 is wanted", p.Name, value)
		}
	case KindBool:
		if value != "true" && value != "false" {
			return fmt.Errorf("parameter %s=%s: true or false is wanted", p.Name, value)
		}
	case KindChoice:
		if !slices.Contains(p.Values, value) {
			return fmt.Errorf("parameter %s=%s: one of %s is wanted", p.Name, value, strings.Join(p.Values, ", "))
		}
	default:
		if value == "" {
			return fmt.Errorf("parameter %s has no value", p.Name)
		}
	}
	return nil
}

// Value returns a parameter's value, or otherwise what it is without.
func (s Spec) Value(parameter, otherwise string) string {
	if v, ok := s.values[parameter]; ok {
		return v
	}
	return otherwise
}

// Int returns a parameter of kind [KindInt], or otherwise what it is without.
func (s Spec) Int(parameter string, otherwise int) int {
	v, ok := s.values[parameter]
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return otherwise
	}
	return n
}

// Bool returns a parameter of kind [KindBool], false without.
func (s Spec) Bool(parameter string) bool { return s.values[parameter] == "true" }

// hint lists the names there are, or the one that was probably meant.
func hint(name string, names []string) string {
	if best := suggest.Nearest(name, names); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	if len(names) == 0 {
		return "; none is registered"
	}
	return "; there are " + strings.Join(names, ", ")
}
