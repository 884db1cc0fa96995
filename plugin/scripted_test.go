package plugin

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A script is a plugin that does as told. It is a small file of its own, which says that and then runs the test binary.
type script struct {
	version string // "1" if it is not said
	name    string // on the wire, "sticky" if it is not said
	fault   string // see playScripted
	gate    string // a file: Assign waits until it is there
	log     string // a file that gets a line "started VERSION" and "asked VERSION"
	out     string // a file that gets its environment
}

// put makes the script the executable of a plugin, and returns its entry.
func (s script) put(t testing.TB, dir, name string) Locked {
	t.Helper()
	bins := filepath.Join(filepath.Dir(dir), "bin")
	bin := filepath.Join(bins, FilePrefix+"scripted")
	if err := os.Mkdir(bins, 0o755); err == nil {
		executable(t, bins, "scripted")
	}
	if s.version == "" {
		s.version = "1"
	}
	if s.name == "" {
		s.name = "sticky"
	}
	text := fmt.Sprintf("#!/bin/sh\nPLAY_VERSION=%q PLAY_NAME=%q PLAY_FAULT=%q PLAY_GATE=%q PLAY_LOG=%q PLAY_OUT=%q exec %q\n",
		s.version, s.name, s.fault, s.gate, s.log, s.out, bin)
	path := filepath.Join(dir, FilePrefix+name)
	// As an installer does it, so that nobody sees half of it.
	write(t, path+".new", text, 0o755)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	_, sum, err := Sum(path)
	if err != nil {
		t.Fatal(err)
	}
	p := anEntry(name)
	p.Version, p.Assignor, p.SHA256 = s.version, s.name, map[string]string{AnyPlatform: sum}
	return p
}

// lockScript locks a script that is put into the folder.
func lockScript(t testing.TB, cfg Config, name string, s script) {
	t.Helper()
	relock(t, cfg, &Lock{Plugins: []Locked{s.put(t, cfg.Folders[0], name)}})
}

// playScripted is what a script runs.
func playScripted() {
	note("started")
	if out := os.Getenv("PLAY_OUT"); out != "" {
		_ = os.WriteFile(out, []byte(strings.Join(os.Environ(), "\x00")), 0o600)
	}
	switch os.Getenv("PLAY_FAULT") {
	case "crash at start":
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
	case "hang at start":
		time.Sleep(time.Hour)
	}
	Serve(scripted{})
}

func note(what string) {
	f, err := os.OpenFile(os.Getenv("PLAY_LOG"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, _ = fmt.Fprintf(f, "%s %s\n", what, os.Getenv("PLAY_VERSION"))
		_ = f.Close()
	}
}

type scripted struct{ sticky.Assignor }

func (scripted) Name() string    { return os.Getenv("PLAY_NAME") }
func (scripted) Version() string { return os.Getenv("PLAY_VERSION") }
func (s scripted) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	note("asked")
	for gate := os.Getenv("PLAY_GATE"); gate != ""; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(gate); err == nil {
			break
		}
	}
	switch os.Getenv("PLAY_FAULT") {
	case "crash":
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(4)
	case "hang":
		time.Sleep(time.Hour)
	case "error":
		return strategy.Assignment{}, fmt.Errorf("no such tenant")
	case "nothing":
		return strategy.Assignment{}, nil
	}
	return s.Assignor.Assign(ctx, g)
}

// playHost opens a catalog of the folder and private folder in its environment, asks its plugin, says so, and waits for the end of its input.
func playHost() {
	cfg := Config{Lock: filepath.Join(os.Getenv("PLAY_FOLDER"), DefaultLock), Private: os.Getenv("PLAY_PRIVATE")}
	c, err := Open(cfg)
	if err == nil {
		defer c.Close()
		var a *Assignor
		if a, err = c.Load("sticky"); err == nil {
			_, err = a.Assign(context.Background(), testGroups()[0])
		}
	}
	fmt.Println("answered:", err)
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// hostProcess starts a host of its own process, and returns when its plugin has answered. end lets it end in order.
func hostProcess(t testing.TB, cfg Config) (cmd *exec.Cmd, end func()) {
	t.Helper()
	cmd = exec.Command(executable(t, folder(t), "host"))
	cmd.Env = []string{"PLAY_FOLDER=" + cfg.Folders[0], "PLAY_PRIVATE=" + cfg.Private}
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if line != "answered: <nil>\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd, func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// open opens a catalog, which is closed at the end of the test. Nothing may be left in the private folder then.
func open(t testing.TB, cfg Config) *Catalog {
	t.Helper()
	c, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func load(t testing.TB, c *Catalog, name string) *Assignor {
	t.Helper()
	a, err := c.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(a *Assignor) error {
	_, err := a.Assign(context.Background(), testGroups()[0])
	return err
}

// until waits for a condition.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatal("never: ", what)
		}
	}
}

func lines(path string) []string {
	text, _ := os.ReadFile(path)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// count is how many lines of a log are this.
func count(log, line string) int {
	n := 0
	for _, l := range lines(log) {
		if l == line {
			n++
		}
	}
	return n
}

// inFolder has the names of what is in a folder.
func inFolder(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names
}
