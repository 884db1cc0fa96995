package cli

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
)

// Streams are where the program reads and writes, with the facts that it would otherwise have to look up itself. [OS] returns those of
// the process.
type Streams struct {
	Name string // what the program calls itself; "" is assignctl

	In       io.Reader
	Out, Err io.Writer

	InTerminal  bool // In is a terminal
	OutTerminal bool // Out is a terminal
	ErrTerminal bool // Err is a terminal: progress of what takes long is shown there
	Width       int  // columns of that terminal, 0 if it is none

	// Getenv looks up COLUMNS, which goes before Width; NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM, which say whether to use colour.
	// Nil is an environment without any of them.
	Getenv func(string) string
}

// OS returns the streams, the terminal and the environment of the process.
func OS() Streams {
	s := Streams{Name: programName(os.Args), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
	s.InTerminal = term.IsTerminal(os.Stdin.Fd())
	s.OutTerminal = term.IsTerminal(os.Stdout.Fd())
	s.ErrTerminal = term.IsTerminal(os.Stderr.Fd())
	if s.OutTerminal {
		s.Width, _, _ = term.GetSize(os.Stdout.Fd())
	}
	return s
}

// programName is what the program was started as, without its folder.
func programName(args []string) string {
	if len(args) == 0 || args[0] == "" {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(args[0]), ".exe")
}

func (s *Streams) name() string { return cmp.Or(s.Name, "assignctl") }

// internal returns the streams as commands use them, with what follows from the facts.
func (s *Streams) internal() *iostreams.Streams {
	getenv := s.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	return &iostreams.Streams{
		Name: s.name(), In: s.In, Out: iostreams.NewWriter(s.Out), Err: s.Err,
		InTerminal: s.InTerminal, OutTerminal: s.OutTerminal, ErrTerminal: s.ErrTerminal,
		Width: columns(s.Width, getenv), Color: wantsColor(s.OutTerminal, getenv),
	}
}

// defaultWidth applies where nothing is known: files and pipes then look the same everywhere.
const defaultWidth = 80

func columns(terminal int, getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if terminal > 0 {
		return terminal
	}
	return defaultWidth
}

// wantsColor follows no-color.org and bixense.com/clicolors.
func wantsColor(terminal bool, getenv func(string) string) bool {
	switch force := getenv("CLICOLOR_FORCE"); {
	case getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	case !terminal || getenv("TERM") == "dumb":
		return false
	}
	return getenv("CLICOLOR") != "0"
}
