package rules_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// writer returns what writes a file of rules anew.
func writer(t *testing.T, path string) func(text string) {
	return func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What replaces a file counts from the next assignment on, if it is right. Else the old rules stay, and that is told once.
func TestFileIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.yaml")
	write := writer(t, path)
	var told strings.Builder
	write("name: r\nlimit: 1\n")
	f, err := rules.Open(path, slog.New(slog.NewTextHandler(&told, nil)))
	if err != nil {
		t.Fatal(err)
	}
	g := group(map[string]string{"a": "1", "b": "2"}, 1, 1, 1)
	for _, step := range []struct {
		change    func()
		want, say string
	}{
		{func() {}, "a[2] b[1] limit[0]", ""},
		{func() { write("name: r\neligible: member.id == \"b\"\n") }, "a[] b[0 1 2]", "rules have changed"},
		{func() { write("name: r\neligible: member.idd == \"a\"\n") }, "a[] b[0 1 2]", `member has no \"idd\"`},
		{func() {}, "a[] b[0 1 2]", ""},
		{func() { write("name: r\nwire: other\n") }, "a[] b[0 1 2]", `the wire name is \"other\" now`},
		{func() { _ = os.Remove(path) }, "a[] b[0 1 2]", "so the old ones stay"},
		{func() {}, "a[] b[0 1 2]", ""},
		{func() { write("name: r\ntogether: partition.topic\neligible: member.id == \"a\"") }, "a[0 1 2] b[]", "rules have changed"},
	} {
		step.change()
		told.Reset()
		answer, err := f.Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if got := render(g, &answer); got != step.want || !strings.Contains(told.String(), step.say) || step.say == "" && told.Len() > 0 {
			t.Errorf("got %s, told %q, want %s, %q", got, told.String(), step.want, step.say)
		}
	}
	if f.Name() != "r" || f.Unit(g, &g.Topics[0], 0) != "text t" {
		t.Error(f.Name(), f.Unit(g, &g.Topics[0], 0))
	}
	if _, err := rules.Open(path+"x", nil); err == nil {
		t.Error("a file that is not there is opened")
	}
}

// Units are those of the last answer, although the file has been replaced and looked at since.
func TestUnitsOfTheAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.yaml")
	write := writer(t, path)
	write("name: r\ntogether: partition.topic\n")
	f, err := rules.Open(path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	g := group(map[string]string{"a": "1"}, 1)
	for _, want := range []string{"text t", "0"} {
		if _, err := f.Assign(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		write("name: r\ntogether: partition.number\nweight: partition.lag + 1\n")
		if got := strategy.SignalsOf(f); len(got) != 1 {
			t.Fatalf("it looks at %q", got)
		}
		if got := f.Unit(g, &g.Topics[0], 0); got != want {
			t.Errorf("the unit is %q, want %q", got, want)
		}
	}
}
