package output

import (
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
)

func TestNumbers(t *testing.T) {
	tests := []struct {
		in   []int32
		want string
	}{
		{nil, ""},
		{[]int32{3}, "3"},
		{[]int32{3, 4}, "3,4"},
		{[]int32{3, 4, 5}, "3-5"},
		{[]int32{0, 2, 3, 4, 7, 8, 10}, "0,2-4,7,8,10"},
	}
	for _, test := range tests {
		if got := Numbers(test.in); got != test.want {
			t.Errorf("%v: %s, not %s", test.in, got, test.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 4: "4", 1.5: "1.5", 1.0 / 3: "0.33", 100: "100", 2.999: "3"} {
		if got := Number(x); got != want {
			t.Errorf("%v: %s, not %s", x, got, want)
		}
	}
}

func TestCompareNames(t *testing.T) {
	want := []string{"a", "member-1", "member-01", "member-2", "member-2~2", "member-10", "member-10a", "z"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareNames)
	if slices.Index(got, "member-2") > slices.Index(got, "member-10") || got[0] != "a" || got[len(got)-1] != "z" {
		t.Errorf("sorted as %v", got)
	}
	for _, a := range want {
		for _, b := range want {
			if x, y := CompareNames(a, b), CompareNames(b, a); x != -y || (x == 0) != (a == b) {
				t.Errorf("%s, %s: %d and %d", a, b, x, y)
			}
		}
	}
}

func TestShortNames(t *testing.T) {
	names := []string{"a", "billing-1-f6de9958-f25e-4196", "billing-1-f6de9958-f25e-4197", "billing-1-f6de9958-0000-xx-f25e-4197"}
	short := ShortNames(names, 80)
	seen := map[string]bool{}
	for _, name := range names {
		s := short.Show(name)
		if seen[s] || width(s) > 40 {
			t.Errorf("%s is shown as %s", name, s)
		}
		seen[s] = true
	}
	if short.Show("a") != "a" || FullNames().Show(names[1]) != names[1] {
		t.Error("a short name is not shown as it is")
	}
	if got := shorten("日本語日本語日本語日本語", 12); width(got) > 12 || !strings.Contains(got, ellipsis) {
		t.Errorf("shortened to %s", got)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"orders": "orders", "": `""`, "a\x1b[31mb": `a\x1b[31mb`, "é": "é", "a\nb": `a\nb`, "\xff": `\xff`} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %s, not %s", in, got, want)
		}
	}
}

func TestYAML(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"a":1,"b":[1,2],"c":{}}`, "a: 1\nb: [1, 2]\nc: {}\n"},
		{`{"a":{"b":{"c":[]}}}`, "a:\n  b:\n    c: []\n"},
		{`[{"a":1,"b":2},{"a":3}]`, "- a: 1\n  b: 2\n- a: 3\n"},
		{`{"list":[{"a":[{"b":1}]},"x"]}`, "list:\n- a:\n  - b: 1\n- x\n"},
		{`{"yes":"no","1":"2","a b":"c: d","e":"-1","f":"x.y/z-1","g":"é\n\"","":null}`,
			"\"yes\": \"no\"\n\"1\": \"2\"\n\"a b\": \"c: d\"\ne: \"-1\"\nf: x.y/z-1\ng: \"é\\n\\\"\"\n\"\": null\n"},
		{` { "a" : [ 1 , 2 ] , "b" : true } `, "a: [1, 2]\nb: true\n"},
		{`"x"`, "x\n"},
	}
	for _, test := range tests {
		got, err := AppendYAML(nil, []byte(test.in))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n%s", test.in, err, got)
		}
	}
	for _, in := range []string{"", "{", `{"a"}`, `{"a":}`, `[1`, `{"a":1}{}`, `{a:1}`, `["x`} {
		if got, err := AppendYAML(nil, []byte(in)); err == nil {
			t.Errorf("%s became %s", in, got)
		}
	}
}

// Names are as long as who sends them likes: time must not grow with the square of that.
func TestShortNamesLong(t *testing.T) {
	long := strings.Repeat("é", 1<<14)
	names := []string{long, long + "2", long + "a" + long, long + "b" + long}
	for _, pair := range [][]string{names[:2], names[2:]} {
		short := ShortNames(pair, 80)
		if a, b := short.Show(pair[0]), short.Show(pair[1]); a == b {
			t.Errorf("two names are shown as %.100s", a)
		}
	}
	if got := ShortNames(names[:1], 80).Show(long); width(got) != 20 || !strings.HasPrefix(got, "ééé") || !strings.HasSuffix(got, "é") {
		t.Errorf("shown as %.100s", got)
	}
}

// TestGrid looks at one table with everything in it, in colour and without, wide and narrow.
func TestGrid(t *testing.T) {
	g := Grid{Columns: []Column{{Title: "NAME"}, {Title: "MAX", Right: true, Group: "range"}, {Title: "MIN", Right: true, Group: "range"},
		{Title: "PARTITIONS", Fold: true}}}
	g.Row(Cell{Text: "member-1"}, Cell{Text: "12"}, Cell{Text: "3", Style: Bad}, Cell{Text: "orders:0,2,4,6,8,10,12,14,16 payments:1,3,5"})
	g.Heading("a line across")
	g.Row(Cell{Text: "日本"}, Cell{}, Cell{Text: "-", Style: Faint})
	var text []byte
	for _, p := range []Paper{{}, {Width: 40}, {Width: 40, Color: true}, {Width: 10}} {
		text = append(g.Append(text, p), '\n')
	}
	golden.Check(t, "testdata/grid.txt", text)
}
