package cli

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	_ "github.com/assignkit/assignkit/strategies/standard"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts that expect it")

// TestMain lets the test binary play the program, and plugins.
func TestMain(m *testing.M) {
	playPlugin()
	testscript.Main(m, map[string]func(){
		"assignctl": func() { os.Exit(Main(context.Background(), os.Args[1:], OS())) },
	})
}

// TestScripts runs testdata/COMMAND_WHAT.txtar. Beside what testscript has, they may use
//
//	exits CODE COMMAND...   run a command that has to end with this code
//	examples COMMAND...     run every example in the help of a command
//	executable FOLDER NAME [BUILD]
//	                        put a plugin into a folder, one of the names that playPlugin knows
//	nothingleft             fail if something is left of a plugin that has run
//	documented PAGE...      run every command that a page of the project shows, and compare what it prints
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			project, err := filepath.Abs("..")
			env.Setenv("PROJECT", project)
			for _, name := range []string{"COLUMNS", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR"} {
				env.Setenv(name, "")
			}
			goEnvironment(env)
			return errors.Join(err, shortTemp(env))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "examples": examples, "documented": documented, "executable": executable, "nothingleft": nothingleft,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, not %d", got, want)
	}
}

// continued is a line that goes on below.
var continued = regexp.MustCompile(`\\\n\s+`)

func examples(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: examples COMMAND...")
	}
	ts.Check(ts.Exec("assignctl", append(append([]string(nil), args...), "--help")...))
	_, block, ok := strings.Cut(ts.ReadFile("stdout"), "\nExamples:\n")
	if !ok {
		ts.Fatalf("%s has no examples", strings.Join(args, " "))
	}
	block, _, _ = strings.Cut(block, "\n\n")
	for line := range strings.SplitSeq(continued.ReplaceAllString(block, ""), "\n") {
		ts.Logf("example: %s", strings.TrimSpace(line))
		ts.Check(ts.Exec("sh", "-c", line))
	}
}
