package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategies/rules"
	_ "github.com/assignkit/assignkit/strategies/standard"
	"github.com/assignkit/assignkit/strategy"
)

// page reads one of the project's own pages.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every scenario in the docs is one, and what it asserts is so. Rules beside them, which have a name, are rules.
func TestScenariosInDocs(t *testing.T) {
	standard, err := strategy.Parse("sticky")
	if err != nil {
		t.Fatal(err)
	}
	asserted := false
	for _, name := range []string{"README.md", "docs/scenarios.md"} {
		blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page(t, name), -1)
		if len(blocks) == 0 {
			t.Fatalf("there is no scenario in %s", name)
		}
		for _, b := range blocks {
			if regexp.MustCompile("(?m)^name: ").MatchString(b[1]) {
				if _, err := rules.Parse(name, []byte(b[1])); err != nil {
					t.Error(err)
				}
				continue
			}
			s, err := simulation.Read(name, strings.NewReader(b[1]))
			if err != nil {
				t.Error(err)
				continue
			}
			r, err := simulation.Run(t.Context(), s, "sticky", standard)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			failures, err := simulation.Assert(t.Context(), r, s.Assertions)
			if err != nil || len(failures) > 0 {
				t.Errorf("%s: %v, %+v", name, err, failures)
			}
			asserted = asserted || len(s.Assertions) > 0
		}
	}
	if !asserted {
		t.Error("no scenario asserts anything")
	}
}

// documented runs the blocks with commands of the program, as they are written, but for lines that need brokers of one's own; a clone in the working
// directory is this one. Blocks of the console have their output below each command.
func documented(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: documented PAGE...")
	}
	brokers := regexp.MustCompile("(?m)^assignctl consume --brokers localhost.*$")
	for _, name := range args {
		text := strings.NewReplacer("go run ./cmd/assignctl", "assignctl", "--replace .", `--replace "$PROJECT"`).
			Replace(ts.ReadFile(filepath.Join(ts.Getenv("PROJECT"), name)))
		ran := 0
		for _, b := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(text, -1) {
			if strings.Contains(b[1], "assignctl ") {
				ran++
				ts.Check(ts.Exec("sh", "-ec", brokers.ReplaceAllString(b[1], "")))
			}
		}
		for _, b := range regexp.MustCompile("(?ms)^```console\n\\$ (.*?\n)((?:> .*?\n)*)(.*?)^```").FindAllStringSubmatch(text, -1) {
			ran++
			ts.Check(ts.Exec("sh", "-ec", b[1]+strings.ReplaceAll(b[2], "> ", "")))
			if got := ts.ReadFile("stdout"); got != b[3] {
				ts.Fatalf("%s: %sprints\n%s", name, b[1], got)
			}
		}
		if ran == 0 {
			ts.Fatalf("%s shows no commands", name)
		}
	}
}

// Every metric has a name in JSON, and docs/scenarios.md says what it means.
func TestMetricsInDocs(t *testing.T) {
	text := page(t, "docs/scenarios.md")
	for _, field := range reflect.VisibleFields(reflect.TypeFor[strategy.Metrics]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" || !strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s: docs/scenarios.md does not explain %q", field.Name, name)
		}
	}
}

// Every strategy is in the README's table.
func TestStrategiesInREADME(t *testing.T) {
	for _, name := range strategy.Names() {
		if !strings.Contains(page(t, "README.md"), "\n| `"+name+"` |") {
			t.Errorf("README.md has no row about %s", name)
		}
	}
}

// Every objective has its row in docs/explain.md.
func TestObjectivesInDocs(t *testing.T) {
	text := page(t, "docs/explain.md")
	source := page(t, "strategy/explanation.go")
	names := regexp.MustCompile(`(?m)^\tObjective\w+ +Objective = "(\w+)"`).FindAllStringSubmatch(source, -1)
	if len(names) < 10 {
		t.Fatalf("found %d objectives", len(names))
	}
	for _, name := range names {
		if !strings.Contains(text, "`"+name[1]+"`") {
			t.Errorf("docs/explain.md does not tell of %s", name[1])
		}
	}
}
