package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// broken is an output that does not take anything.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestMainReportsOutputErrors(t *testing.T) {
	tests := []struct {
		err  error
		code int
		says string
	}{
		{syscall.EPIPE, exitClosedPipe, ""},
		{io.ErrClosedPipe, exitClosedPipe, ""},
		{syscall.ENOSPC, exitError, "assignctl: writing output: " + syscall.ENOSPC.Error() + "\n"},
	}
	for _, args := range [][]string{{"strategies"}, {"--help"}, {"simulate", "--topics", "t=3", "--members", "2", "-o", "json"}, {"version", "-o", "yaml"}} {
		for _, test := range tests {
			var errs bytes.Buffer
			code := Main(context.Background(), args, Streams{In: strings.NewReader(""), Out: broken{test.err}, Err: &errs})
			if code != test.code || errs.String() != test.says {
				t.Errorf("%v: output fails with %v: exit %d, %q", args, test.err, code, errs.String())
			}
		}
	}
}

// never is an input that never comes.
type never struct{ stop chan struct{} }

func (n never) Read([]byte) (int, error) { <-n.stop; return 0, io.EOF }

// TestMainInterrupted interrupts commands that wait for input or for an assignor that does not look at its context.
func TestMainInterrupted(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	strategy.Register("stuck", strategy.Definition{New: func(strategy.Spec) (strategy.Assignor, error) { return stuck{stop}, nil }})
	for _, args := range [][]string{
		{"assign", "-s", "stuck"},
		{"simulate", "-"},
		{"simulate", "--topics", "t=3", "--members", "2", "-s", "stuck"},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		var out, errs bytes.Buffer
		began := time.Now()
		code := Main(ctx, args, Streams{In: never{stop}, Out: &out, Err: &errs})
		if code != exitInterrupted || out.Len() > 0 || errs.String() != "assignctl: interrupted\n" {
			t.Errorf("%v: exit %d, printed %q and %q", args, code, out.String(), errs.String())
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%v: ended after %v", args, took)
		}
	}
}

type stuck struct{ stop chan struct{} }

func (stuck) Name() string { return "stuck" }

func (s stuck) Assign(context.Context, *strategy.Group) (strategy.Assignment, error) {
	<-s.stop
	return strategy.Assignment{}, nil
}

// TestMainSurvivesPanics has an assignor panic: an error, and nothing on the output.
func TestMainSurvivesPanics(t *testing.T) {
	strategy.Register("panics", strategy.Definition{New: func(strategy.Spec) (strategy.Assignor, error) { panic("out of ideas") }})
	var out, errs bytes.Buffer
	code := Main(context.Background(), []string{"simulate", "--topics", "t=3", "--members", "2", "-s", "panics"},
		Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != exitError || out.Len() > 0 || !strings.Contains(errs.String(), "panic: out of ideas") {
		t.Errorf("exit %d, printed %q and %q", code, out.String(), errs.String())
	}
}

// TestProgramName runs the program under a name of its own: that of whoever built it on Main.
func TestProgramName(t *testing.T) {
	for path, want := range map[string]string{"/usr/bin/mine": "mine", "mine.exe": "mine", "": "assignctl"} {
		for args, says := range map[string]string{
			"simulat":                    "NAME: unknown command \"simulat\"; did you mean \"simulate\"?\nSee 'NAME --help'.\n",
			"simulate":                   "See 'NAME simulate --help'.\n",
			"assign":                     "NAME: --strategy is missing; see 'NAME strategies'\n",
			"simulate missing.yaml":      "NAME: cannot read missing.yaml: ",
			"--version":                  "NAME devel",
			"version":                    "NAME devel",
			"simulate --help":            "| \\\n    NAME simulate --import -",
			"assign --help":              "  NAME assign --strategy range groups.jsonl",
			"help":                       "NAME shows which member",
			"completion bash":            "__start_NAME",
			"simulate --import - --join": "NAME: ",
		} {
			var out bytes.Buffer
			Main(context.Background(), strings.Fields(args), Streams{Name: programName([]string{path}), In: strings.NewReader(""), Out: &out, Err: &out})
			if !strings.Contains(out.String(), strings.ReplaceAll(says, "NAME", want)) || want != "assignctl" && strings.Contains(out.String(), "assignctl") {
				t.Errorf("%s as %q: %s", args, path, out.String())
			}
		}
	}
}

func TestTerminalFacts(t *testing.T) {
	tests := []struct {
		terminal bool
		width    int
		env      string
		color    bool
		columns  int
	}{
		{true, 120, "", true, 120},
		{false, 0, "", false, 80},
		{true, 120, "COLUMNS=100", true, 100},
		{true, 120, "COLUMNS=wide", true, 120},
		{false, 0, "COLUMNS=160", false, 160},
		{true, 80, "NO_COLOR=1", false, 80},
		{true, 80, "CLICOLOR=0", false, 80},
		{true, 80, "TERM=dumb", false, 80},
		{false, 0, "CLICOLOR_FORCE=1", true, 80},
		{false, 0, "CLICOLOR_FORCE=0", false, 80},
		{true, 80, "CLICOLOR_FORCE=1 NO_COLOR=1", false, 80},
	}
	for _, test := range tests {
		env := map[string]string{}
		for pair := range strings.FieldsSeq(test.env) {
			key, value, _ := strings.Cut(pair, "=")
			env[key] = value
		}
		s := Streams{OutTerminal: test.terminal, Width: test.width, Getenv: func(key string) string { return env[key] }}
		if got := s.internal(); got.Color != test.color || got.Width != test.columns {
			t.Errorf("terminal %v of %d columns, %q: colour %v, %d columns", test.terminal, test.width, test.env, got.Color, got.Width)
		}
	}
	if s := new(Streams).internal(); s.Color || s.Width != 80 {
		t.Errorf("nothing known: colour %v, %d columns", s.Color, s.Width)
	}
}

// Nothing from outside reaches a terminal as it is: it could colour the screen, or move the cursor.
func TestErrorsAreClean(t *testing.T) {
	for _, args := range [][]string{
		{"simulate", "x\x1b[31m"}, {"assign", "--strategy", "sticky", "x\x1b[31m"}, {"--x\x1b[31m"}, {"simulate", "--strategy", "x\x1b[31m\u009b", "--topics", "t=1", "--members", "1"},
	} {
		var out, errs bytes.Buffer
		if code := Main(context.Background(), args, Streams{In: bytes.NewReader(nil), Out: &out, Err: &errs}); code == 0 {
			t.Errorf("%q: exit code 0", args)
		}
		if strings.ContainsAny(errs.String(), "\x1b\u009b") {
			t.Errorf("%q: %q", args, errs.String())
		}
	}
}
