package expression_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/expression"
)

type member struct {
	ID     string            `expr:"id"`
	Rack   string            `expr:"rack"`
	Load   float64           `expr:"load"`
	Count  int               `expr:"count"`
	Labels map[string]string `expr:"labels"`
	Topics []string          `expr:"topics"`
}

type env struct {
	expression.Env
	Member  *member  `expr:"member"`
	Members []member `expr:"members"`
	Big     []int    `expr:"big"`
}

var double = expression.Function{
	Name: "double", Usage: "double(number)",
	Call:  func(_ any, a ...any) (any, error) { return a[0].(float64) * 2, nil },
	Types: []any{(func(float64) float64)(nil)},
}

func compile(source string, want expression.Kind) (*expression.Program, error) {
	return expression.Compile(source, expression.Options{
		Env: &env{}, Want: want, At: expression.Position{File: "rules.yaml", Line: 3, Column: 11, What: "rule"}, Functions: []expression.Function{double},
	})
}

func sample() *env {
	e := &env{Members: []member{{ID: "a", Rack: "r1", Load: 3}, {ID: "b", Load: 4.5}}, Big: make([]int, 200)}
	e.Members[0].Labels = map[string]string{"tier": "gold"}
	e.Members[0].Topics = []string{"t.eu.acme", "u"}
	e.Member = &e.Members[0]
	return e
}

func TestResults(t *testing.T) {
	on := sample()
	run := expression.NewEvaluator(t.Context(), 0)
	defer run.Close()
	run.Attach(&on.Env)
	for source, want := range map[string]any{
		`member.rack == "r1"`:                      true,
		`member.labels.tier == "gold"`:             true,
		`member.labels.none == ""`:                 true,
		`"u" in member.topics`:                     true,
		`member.count in 0..9`:                     true,
		`member.count not in 3..9`:                 true,
		`member.id matches "^[a-c]$"`:              true,
		`all(members, .load <= 4.5)`:               true,
		`any(members, .load <= 1)`:                 false,
		`member.count in {"a": [0, 1]}[member.id]`: true,
		`member.load`:                              3.0,
		`member.count`:                             0.0,
		`sum(members, .load)`:                      7.5,
		`max(map(members, .load))`:                 4.5,
		`member.load > 1 ? 1 : 0.5`:                1.0,
		`{"a": 5}[member.id] ?? 1`:                 5.0,
		`{"b": 5}[member.id] ?? 1.5`:               1.5,
		`len(filter(members, .load > 3))`:          1.0,
		`double(member.load) + 1`:                  7.0,
		`let x = member.load; x * x`:               9.0,
		`len(members) / 4`:                         0.5,
	} {
		kind := expression.Number
		if _, ok := want.(bool); ok {
			kind = expression.Bool
		}
		p, err := compile(source, kind)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		var got any
		if kind == expression.Bool {
			got, err = run.Bool(p, on)
		} else {
			got, err = run.Number(p, on)
		}
		if err != nil || got != want {
			t.Errorf("%s gives %v, %v, want %v", source, got, err, want)
		}
	}
	for source, want := range map[string]string{
		`split(member.topics[0], ".")[2]`: "text acme", `member.id + "-" + string(member.count)`: "text a-0", `member.count`: "0", `-0.0 * 1`: "0", `true`: "true", `"0"`: "text 0",
	} {
		p, err := compile(source, expression.Key)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, err := run.Key(p, on); err != nil || got != want {
			t.Errorf("%s gives %q, %v, want %q", source, got, err, want)
		}
	}
}

var update = flag.Bool("update", false, "write the errors as they are now")

// The errors are in testdata as they look, for reviews of what they say.
func TestErrors(t *testing.T) {
	on := sample()
	run := expression.NewEvaluator(t.Context(), 0)
	defer run.Close()
	run.Attach(&on.Env)
	var b strings.Builder
	for _, c := range []struct {
		kind   expression.Kind
		source string
	}{
		{expression.Bool, `membr.rack == "a"`},
		{expression.Bool, `member.rak == "a"`},
		{expression.Bool, `any(members, .laod > 1)`},
		{expression.Bool, `member.quux`},
		{expression.Bool, `member.id.quux == "a"`},
		{expression.Bool, `double(member.load).quux == 1`},
		{expression.Bool, `(1 == 1).quux`},
		{expression.Bool, `member.load`},
		{expression.Bool, `member.rack`},
		{expression.Number, `member.rack`},
		{expression.Number, `member.load > 1`},
		{expression.Number, `member.topics`},
		{expression.Number, `member.load > 1 ? 1 : "a"`},
		{expression.Number, `member.load > 1 ? 1 : (member.load > 2 ? 2.5 : member.rack)`},
		{expression.Number, `{"a": "b"}[member.id]`},
		{expression.Bool, `{"a": 1}[member.id] ?? 2`},
		{expression.Bool, `nil`},
		{expression.Number, `member.rack * 2`},
		{expression.Number, "member.load +\n  member.lod"},
		{expression.Number, `double("a")`},
		{expression.Number, `duble(1)`},
		{expression.Number, `1 +`},
		{expression.Number, `(1`},
		{expression.Number, `"a`},
		{expression.Number, ``},
		{expression.Number, "\xff"},
		{expression.Number, `now()`},
		{expression.Number, `len(1..10)`},
		{expression.Bool, `1 in 1..1000000000`},
		{expression.Bool, `member.id matches member.rack`},
		{expression.Bool, `member.id matches "("`},
		{expression.Bool, `member.id matches ".{900}.{900}"`},
		{expression.Bool, `[[member.count]] == [[1]]`},
		{expression.Number, `len(map(members, .labels))`},
		{expression.Number, `len(repeat("a", 1000))`},
		{expression.Number, `$env.member.load`},
		{expression.Number, strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100)},
		{expression.Number, strings.Repeat("1+", 3000) + "1"},
		{expression.Number, strings.Repeat("1+", 1000) + "1"},
		{expression.Number, `1 / member.count`},
		{expression.Number, `member.count / member.count`},
		{expression.Number, `10 % member.count`},
		{expression.Number, `len(member.topics[5])`},
		{expression.Number, `int(member.id)`},
		{expression.Number, `count(big, any(big, # == 1))`},
		{expression.Key, `let a = member.id + "0123456789012345"; let b=a+a+a+a+a+a+a+a; let c=b+b+b+b+b+b+b+b; let d=c+c+c+c+c+c+c+c; d`},
	} {
		p, err := compile(c.source, c.kind)
		if err == nil {
			on := sample()
			run := expression.NewEvaluator(t.Context(), 10_000)
			defer run.Close()
			run.Attach(&on.Env)
			switch c.kind {
			case expression.Bool:
				_, err = run.Bool(p, on)
			case expression.Number:
				_, err = run.Number(p, on)
			case expression.Key:
				_, err = run.Key(p, on)
			}
		}
		var known *expression.Error
		if !errors.As(err, &known) {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		fmt.Fprintf(&b, "%.80q\n%v\n\n", c.source, err)
	}
	file := filepath.Join("testdata", "errors.txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || b.String() != string(want) {
		t.Errorf("%v; errors are now (-update writes them):\n%s", err, b.String())
	}
}

func TestLooksAt(t *testing.T) {
	for source, want := range map[string][4]bool{ // member, member.rack, member.load, members
		`member.rack == "a"`:                     {true, true, false, false},
		`member["rack"] == "a"`:                  {true, true, false, false},
		`member?.rack == "a"`:                    {true, true, false, false},
		`let m = member; m.rack == "a"`:          {true, true, true, false},
		`any([member.rack], # == "")`:            {true, true, false, false},
		`any(members, .rack == "")`:              {false, false, false, true},
		`any(members, .load > 1 && true)`:        {false, false, false, true},
		`member.rack == "" || member != nil`:     {true, true, true, false},
		`len(members) > 0 && member.load > 1.5`:  {true, false, true, true},
		`all(members, .load > member.load / 10)`: {true, false, true, true},
		`true`:                                   {},
	} {
		p, err := compile(source, expression.Bool)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got := [4]bool{p.LooksAt("member"), p.LooksAt("member.rack"), p.LooksAt("member.load"), p.LooksAt("members")}
		if got != want {
			t.Errorf("%s looks at %v, want %v", source, got, want)
		}
	}
}

// Values of mappings are told apart, unless the mapping as a whole is used.
func TestLooksAtLabels(t *testing.T) {
	for source, want := range map[string][2]bool{
		`member.labels.tier == ""`:                       {true, false},
		`member.labels["tier"] == ""`:                    {true, false},
		`len(member.labels) > 0`:                         {true, true},
		`member.labels[member.rack] == ""`:               {true, true},
		`member.rack == ""`:                              {false, false},
		`"tier" in member.labels`:                        {true, true},
		`member.labels.tier == member.labels["a." + ""]`: {true, true},
	} {
		p, err := compile(source, expression.Bool)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := [2]bool{p.LooksAt("member.labels.tier"), p.LooksAt("member.labels.zone")}; got != want {
			t.Errorf("%s looks at %v, want %v", source, got, want)
		}
	}
}

// What is looked at by its name is told, and whether it can be done without.
func TestEntries(t *testing.T) {
	either := expression.Function{
		Name: "either", Usage: "either(labels, name, otherwise)", Entry: true,
		Call:  func(_ any, a ...any) (any, error) { return a[2], nil },
		Types: []any{(func(map[string]string, string, string) string)(nil)},
	}
	for _, c := range []struct{ source, entries, needs, looks string }{
		{`member.labels.tier == ""`, "tier", "tier", "tier"},
		{`member?.labels["tier"] == member.labels["a.b"]`, "a.b tier", "a.b tier", "a.b tier"},
		{`either(member.labels, "tier", "") == ""`, "tier", "", "tier"},
		{`either(member.labels, "tier", member.labels.zone) == ""`, "tier zone", "zone", "tier zone"},
		{`either(member.labels, "tier", "") == member.labels.tier`, "tier", "tier", "tier"},
		{`either(member.labels, member.id, "") == member.labels.zone`, "zone", "zone", "a.b tier zone"},
		{`either(member.labels, "tier", "") == "" && len(member.labels) > 0`, "tier", "", "a.b tier zone"},
		{`let l = member.labels; either(l, "tier", "") == ""`, "", "", "a.b tier zone"},
		{`any(members, either(.labels, "tier", "") == "")`, "", "", ""},
	} {
		p, err := expression.Compile(c.source, expression.Options{Env: &env{}, Want: expression.Bool, Functions: []expression.Function{either}})
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		var needs, looks []string
		for _, name := range []string{"a.b", "tier", "zone"} {
			if p.Needs("member.labels." + name) {
				needs = append(needs, name)
			}
			if p.LooksAt("member.labels." + name) {
				looks = append(looks, name)
			}
		}
		if got := [3]string{strings.Join(p.Entries("member.labels"), " "), strings.Join(needs, " "), strings.Join(looks, " ")}; got != [3]string{c.entries, c.needs, c.looks} {
			t.Errorf("%s: entries, needed, looked at: %q", c.source, got)
		}
	}
}

// A loop over loops ends with its context, long before it would by itself.
func TestAbandon(t *testing.T) {
	p, err := compile(`count(big, count(big, count(big, # > 1) > 1) > 1)`, expression.Number)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	on := sample()
	run := expression.NewEvaluator(ctx, 1<<60)
	defer run.Close()
	run.Attach(&on.Env)
	if _, err := run.Number(p, on); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
	if _, err := run.Number(p, on); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("started after the end: %v", err)
	}
	endless := expression.NewEvaluator(t.Context(), 1<<60)
	defer endless.Close()
	endless.Attach(&on.Env)
	if _, err := endless.Number(p, on); !errors.Is(err, expression.ErrBudget) {
		t.Errorf("beyond what one evaluation may take: %v", err)
	}
	short := expression.NewEvaluator(t.Context(), 1000)
	defer short.Close()
	short.Attach(&on.Env)
	if _, err := short.Number(p, on); !errors.Is(err, expression.ErrBudget) {
		t.Errorf("beyond the budget: %v", err)
	}
}

// A pattern is refused before anybody expands it: what its compilation would take is more than all else that expressions may take.
func TestPatternsAreRefusedEarly(t *testing.T) {
	source := `member.id matches "` + strings.Repeat(".{1000}", 570) + `"`
	took := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := compile(source, expression.Bool); err == nil {
				b.Fatal("taken")
			}
		}
	})
	if took.AllocedBytesPerOp() > 10<<20 {
		t.Errorf("%d bytes to refuse a pattern", took.AllocedBytesPerOp())
	}
}

// A program is never run on another type, where field numbers would mean other fields.
func TestOtherType(t *testing.T) {
	p, err := compile(`member.load`, expression.Number)
	if err != nil {
		t.Fatal(err)
	}
	run := expression.NewEvaluator(t.Context(), 0)
	defer run.Close()
	other := &struct {
		expression.Env
		Member *member `expr:"member"`
	}{Member: &member{}}
	run.Attach(&other.Env)
	if _, err := run.Number(p, other); err == nil {
		t.Error("taken")
	}
}

// Whatever the source is: compiling and running it ends soon, and an error is one of ours.
func FuzzExpression(f *testing.F) {
	for _, s := range hostile {
		f.Add(s[:min(len(s), 600)]) // long ones make for slow mutations
	}
	f.Fuzz(func(t *testing.T, source string) { tryHostile(t, source) })
}

func TestHostile(t *testing.T) {
	for _, s := range hostile {
		tryHostile(t, s)
	}
}

var hostile = []string{
	strings.Repeat("(", 500_000), strings.Repeat("(", 4000), strings.Repeat("[", 4000), strings.Repeat("-", 4000) + "1", strings.Repeat("not ", 1000) + "true",
	strings.Repeat("true?", 800), strings.Repeat("map(", 300) + `["x"]` + strings.Repeat(", # + #)", 300), strings.Repeat("map(", 40) + `["x"]` + strings.Repeat(", # + #)", 40),
	strings.Repeat("map(", 40) + `[1]` + strings.Repeat(", [#, #])", 40), `len(1..1000000000)`, `1 in 1..1000000000`, `repeat("a", 1000000000)`,
	`reduce(1..1000000, #acc + "aaaaaaaa", "")`, `count(big, count(big, count(big, count(big, true) > 0) > 0) > 0)`, "let a = member.id; " + strings.Repeat("let b = a + a; ", 3),
	`let a=[1]; let b=[a,a]; let c=[b,b]; c == c`, `member.id matches "(.{1000}){1000}"`, `member.id matches "((a*)*)*b"`, `all(members, all(members, .load > 1))`, `1/0`, `0/0 > 1`, `1 % 0`,
	`member.topics[99]`, `member.nil.nil`, `members[-1].id`, `$env`, `Env`, `now()`, `date("x", "y", "z")`, `"\u0000"`, "`", `{"a": {"b": {"c": [1]}}}.a.b.c`, `-9223372036854775808 / -1`, `1 ?? 2`, `double(double(1))`,
	`map(big, map(big, #))`, `let a = map(members, 1); let b = map(members, a); let c = map(members, b); c == c`, `filter(big, true) == filter(big, true)`, `split(member.id, "")`, `nil`, `#`, `.a`, `a:b`, `1..2`, `2 ** 1e300`,
	`sum(filter(big, sum(big) > 0))`,
	`member.id matches "` + strings.Repeat(".{1000}", 570) + `"`, `member.id matches "` + strings.Repeat("(", 60) + "a{0,9}" + strings.Repeat("){0,9}", 60) + `"`, `"a" matches "(?i)\\p{L}{300}"`,
}

func tryHostile(t *testing.T, source string) {
	t.Helper()
	for _, kind := range []expression.Kind{expression.Bool, expression.Number, expression.Key} {
		p, err := compile(source, kind)
		if err == nil {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			on := sample()
			run := expression.NewEvaluator(ctx, 2000)
			run.Attach(&on.Env)
			switch kind {
			case expression.Bool:
				_, err = run.Bool(p, on)
			case expression.Number:
				_, err = run.Number(p, on)
			case expression.Key:
				_, err = run.Key(p, on)
			}
			run.Close()
			cancel()
		}
		var known *expression.Error
		if err != nil && !errors.As(err, &known) {
			t.Fatalf("%.200q: %T %v", source, err, err)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	for _, source := range []string{`member.labels.tier == "gold"`, `member.labels.tier == "gold" || member.rack == "r1" && member.load > 3 && member.count < 4 && member.id != "x"`} {
		b.Run(fmt.Sprint("bytes=", len(source)), func(b *testing.B) {
			p, err := compile(source, expression.Bool)
			if err != nil {
				b.Fatal(err)
			}
			on := sample()
			run := expression.NewEvaluator(b.Context(), 1<<60)
			defer run.Close()
			run.Attach(&on.Env)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := run.Bool(p, on); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
