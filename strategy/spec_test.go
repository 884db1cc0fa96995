package strategy

import (
	"errors"
	"strings"
	"testing"
)

type configured struct {
	answers
	spec Spec
}

func init() {
	Register("test-spec", Definition{
		Summary: "for tests", Argument: "FILE",
		Parameters: []Parameter{
			{Name: "number", Kind: KindInt, Default: "0"}, {Name: "flag", Kind: KindBool},
			{Name: "mode", Kind: KindChoice, Values: []string{"fast", "slow"}}, {Name: "label", Kind: KindText},
		},
		New: func(s Spec) (Assignor, error) {
			if s.Argument == "broken" {
				return nil, errBroken
			}
			return configured{spec: s}, nil
		},
	})
	Register("test-plain", Definition{New: func(Spec) (Assignor, error) { return answers{}, nil }})
}

func TestParse(t *testing.T) {
	a, err := Parse("test-spec:dir/a:b.yaml?number=7&flag&mode=slow&label=a%26b%3dc+d")
	if err != nil {
		t.Fatal(err)
	}
	s := a.(configured).spec
	if s.Name != "test-spec" || s.Argument != "dir/a:b.yaml" || s.Int("number", 1) != 7 || !s.Bool("flag") ||
		s.Value("mode", "") != "slow" || s.Value("label", "") != "a&b=c+d" {
		t.Errorf("%+v", s)
	}
	if a, err = Parse("test-spec:x"); err != nil {
		t.Fatal(err)
	}
	if s := a.(configured).spec; s.Int("number", 1) != 1 || s.Bool("flag") || s.Value("mode", "fast") != "fast" || s.Value("label", "none") != "none" {
		t.Errorf("not set: %+v", s)
	}
	for spec, name := range map[string]string{
		"test-plain?cooperative": "cooperative-fixed", "test-plain?cooperative=true": "cooperative-fixed",
		"test-plain?cooperative=false": "fixed", "test-plain?": "fixed",
	} {
		if a, err := Parse(spec); err != nil || a.Name() != name {
			t.Errorf("%s: %v, %v", spec, a, err)
		}
	}
}

// An empty pair between two is passed over, and an assignor sees its specification as it was written.
func TestParseEmptyPairs(t *testing.T) {
	const text = "test-spec:x?&number=08&&flag"
	a, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if s := a.(configured).spec; s.Text != text || s.Int("number", 1) != 8 || !s.Bool("flag") {
		t.Errorf("%+v", s)
	}
	if a, err = Parse("test-spec:x?number=2147483647&label=no+number"); err != nil || a.(configured).spec.Int("label", 5) != 5 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err = Parse("test-spec:x?number=2147483648"); !errors.Is(err, ErrSpec) {
		t.Error(err)
	}
}

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                              `strategy "": has no name; there are test-plain, test-spec`,
		"test-spek:x":                   `unknown strategy "test-spek"; did you mean "test-spec"?`,
		"zzzzzzzzzzzz":                  `unknown strategy "zzzzzzzzzzzz"; there are test-plain, test-spec`,
		"test-plain:x":                  `strategy "test-plain:x": test-plain takes nothing behind a colon`,
		"test-spec":                     `strategy "test-spec": test-spec needs an argument: test-spec:FILE`,
		"test-spec:":                    `strategy "test-spec:": test-spec needs an argument: test-spec:FILE`,
		"test-spec:x?nummber=1":         `strategy "test-spec:x?nummber=1": unknown parameter "nummber"; did you mean "number"?`,
		"test-plain?qqqqqqqqqq=1":       `strategy "test-plain?qqqqqqqqqq=1": unknown parameter "qqqqqqqqqq"; there are cooperative`,
		"test-spec:x?number=-1":         `strategy "test-spec:x?number=-1": parameter number=-1: a whole number from 0 to 2147483647 is wanted`,
		"test-spec:x?number=4294967296": `strategy "test-spec:x?number=4294967296": parameter number=4294967296: a whole number from 0 to 2147483647 is wanted`,
		"test-spec:x?number":            `strategy "test-spec:x?number": parameter number=: a whole number from 0 to 2147483647 is wanted`,
		"test-spec:x?flag=yes":          `strategy "test-spec:x?flag=yes": parameter flag=yes: true or false is wanted`,
		"test-spec:x?mode=mid":          `strategy "test-spec:x?mode=mid": parameter mode=mid: one of fast, slow is wanted`,
		"test-spec:x?label=":            `strategy "test-spec:x?label=": parameter label has no value`,
		"test-spec:x?label=%zz":         `strategy "test-spec:x?label=%zz": parameter label: "%zz" is not percent-encoded right`,
		"test-spec:x?flag&flag":         `strategy "test-spec:x?flag&flag": parameter flag is set twice`,
		"test-spec:broken":              `strategy "test-spec:broken": broken`,
	} {
		_, err := Parse(spec)
		var se *SpecError
		if !errors.As(err, &se) || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", spec, err, want)
		}
	}
	if _, err := Parse("nothing-like-it"); !errors.Is(err, ErrUnknownStrategy) {
		t.Error(err)
	}
	if _, err := Parse("test-plain?x=1"); !errors.Is(err, ErrSpec) {
		t.Error(err)
	}
	if _, err := Parse("test-spec:broken"); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	for n, want := range map[int]error{maxSpec: ErrUnknownStrategy, maxSpec + 1: ErrSpec} {
		if _, err := Parse(strings.Repeat("x", n)); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for n, want := range map[int]string{80: `"` + strings.Repeat("?", 80) + `": has`, 81: `"` + strings.Repeat("?", 80) + `...": has`} {
		if _, err := Parse(strings.Repeat("?", n)); !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestRegisterPanics(t *testing.T) {
	noop := func(Spec) (Assignor, error) { return answers{}, nil }
	for want, f := range map[string]func(){
		`"test-plain" is registered already`: func() { Register("test-plain", Definition{New: noop}) },
		`"" is no name`:                      func() { Register("", Definition{New: noop}) },
		`"Upper" is no name`:                 func() { Register("Upper", Definition{New: noop}) },
		`"a?b" is no name`:                   func() { Register("a?b", Definition{New: noop}) },
		`"-a" is no name`:                    func() { Register("-a", Definition{New: noop}) },
		`parameter "a" is nameless, reserved or listed twice`: func() {
			Register("test-new", Definition{New: noop, Parameters: []Parameter{{Name: "a"}, {Name: "a"}}})
		},
		`"test-new" has no New`: func() { Register("test-new", Definition{}) },
		`parameter "cooperative" is nameless, reserved or listed twice`: func() {
			Register("test-new", Definition{New: noop, Parameters: []Parameter{{Name: "cooperative"}}})
		},
	} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, want) {
					t.Errorf("panic %q, want %q", v, want)
				}
			}()
			f()
		}()
	}
	for name, want := range map[string]bool{"0.9-z_a": true, "z": true, "9": true, "a-": false, ".a": false, "a{": false, "a`": false, "a/b": false, "a:": false} {
		if validName(name) != want {
			t.Errorf("%q is a name: %t", name, !want)
		}
	}
	for kind, want := range map[Kind]string{KindInt: "number", KindBool: "bool", KindChoice: "choice", KindText: "text"} {
		if kind.String() != want {
			t.Errorf("kind %d is %q, want %s", kind, kind, want)
		}
	}
	if _, ok := Lookup("test-new"); ok {
		t.Error("registered in spite of the panic")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"test-plain", "test-spec:x?number=1&flag", "a:b?c=d&e", "?&=%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if (a == nil) == (err == nil) {
			t.Fatalf("%q: %v, %v", s, a, err)
		}
	})
}
