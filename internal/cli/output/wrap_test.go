package output

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		columns int
		pieces  []Cell
		want    string
	}{
		{0, []Cell{{Text: "as long as it is"}}, "as long as it is"},
		{16, []Cell{{Text: "as long as it is"}}, "as long as it is"},
		{15, []Cell{{Text: "as long as it is"}}, "as long as it\n  is"},
		{8, []Cell{{Text: "commas,do,not break, spaces do"}}, "commas,do,not\n  break,\n  spaces\n  do"},
		{10, []Cell{{Text: "sticky", Style: Bold}, {Text: ": four moves"}}, "sticky:\n  four\n  moves"},
		{9, []Cell{{Text: "ä ö ü ß ä ö ü"}}, "ä ö ü ß ä\n  ö ü"},
		{80, []Cell{{Text: "  two  spaces"}}, "  two  spaces"},
		{5, []Cell{{}}, ""},
	}
	for _, test := range tests {
		if got := string(Paper{Width: test.columns}.Wrap(nil, test.pieces...)); got != test.want {
			t.Errorf("%v in %d columns: %q, not %q", test.pieces, test.columns, got, test.want)
		}
	}
	// Colour takes no room, and none is left behind at the end of a line.
	got := string(Paper{Width: 7, Color: true}.Wrap(nil, Cell{Text: "a "}, Cell{Text: "good end", Style: Good}))
	if want := "a \x1b[32mgood\x1b[m\n  \x1b[32mend\x1b[m"; got != want {
		t.Errorf("in colour: %q, not %q", got, want)
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string][]string{
		"one two":          {"one", "two"},
		"longer, and more": {"longer,", "and", "more"},
		"a, b":             {"a, b"},
		"longer, ":         {"longer,"},
		"":                 {""},
	} {
		if got := fold(text, 4); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestNamesWithinText(t *testing.T) {
	one, two := "billing-1-f6de9958-f25e-4196", "billing-1-f6de9958-f25e-4196~2"
	names := ShortNames([]string{"a", one, two}, 80)
	for text, want := range map[string]string{
		"leave " + one:             "leave " + names.Show(one),
		"join " + two + ", " + one: "join " + names.Show(two) + ", " + names.Show(one),
		"leave a\n":                `leave a\n`,
	} {
		if got := names.Within(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
		if got := FullNames().Within(text); got != Clean(text) {
			t.Errorf("%q in full: %q", text, got)
		}
	}
}
