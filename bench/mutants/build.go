package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	chosenVariable  = "MUTANT"
	reachedVariable = "MUTANTS_REACHED"
)

// suite is a package's tests, and how they are run.
type suite struct {
	path  string
	flags []string
	skip  []string // tests that find nothing which others do not
}

var (
	histories = suite{path: "internal/histories", flags: []string{"-histories=60"}}
	machine   = suite{path: "internal/membership", skip: []string{"TestHistoriesFindFaults"}}
	// Properties begin with the same numbers each time, so that figures can be compared, and do not look for a smaller failure.
	rapid = []string{"-rapid.seed=1", "-rapid.shrinktime=0s", "-rapid.nofailfile"}
	// suites has the tests that each package is measured by: its own, and quick ones of those that use it.
	suites = map[string][]suite{
		"strategies/sticky": {{path: "strategies/sticky", flags: rapid}},
		"strategy": {
			{path: "strategy", flags: rapid},
			{path: "strategies/sticky", flags: rapid, skip: []string{"TestAgainstBruteForce"}},
			{path: "strategies/range", skip: []string{"TestConformance"}},
			{path: "strategies/roundrobin", skip: []string{"TestConformance", "TestConformanceCooperative"}},
		},
		"internal/membership":      {machine, histories},
		"internal/membership/wire": {{path: "internal/membership/wire"}, machine, histories},
	}
)

// built is test programs with all mutants in them.
type built struct {
	dir      string
	patience time.Duration // beyond five times what tests take without a mutant
	tests    []*test       // of all suites
}

// test is a test function, or several of one program.
type test struct {
	suite   *suite
	program string
	name    string // "A|B" is two
	took    time.Duration
	reaches map[int]bool // ids of mutants
}

// build compiles the programs and has each test say which mutants it comes by.
func build(ctx context.Context, dir, path string, files map[string][]byte) (*built, error) {
	b := &built{dir: dir, patience: 15 * time.Second}
	list := suites[path]
	if list == nil {
		return nil, errors.New("no tests are named for it in bench/mutants/build.go")
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range files {
		copied := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return nil, err
		}
		overlay.Replace[file] = copied
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, data, 0o644); err != nil {
		return nil, err
	}
	for i := range list {
		program := filepath.Join(dir, "tests"+strconv.Itoa(i))
		if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlayFile, "-o", program, "./"+list[i].path).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("with mutants, %s does not compile: %w\n%s", list[i].path, err, out)
		}
		if err := b.list(ctx, &list[i], program); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// list runs each test by itself.
func (b *built) list(ctx context.Context, s *suite, program string) error {
	list := exec.CommandContext(ctx, program, "-test.list", "^(Test|Example)")
	list.Dir = s.path
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the tests of %s: %w", s.path, err)
	}
	for _, name := range strings.Fields(string(out)) {
		if slices.Contains(s.skip, name) {
			continue
		}
		t := &test{suite: s, program: program, name: name, reaches: map[int]bool{}}
		reached := filepath.Join(b.dir, "reached")
		if err := os.RemoveAll(reached); err != nil {
			return err
		}
		start := time.Now()
		if out, err := t.command(ctx, reachedVariable+"="+reached).CombinedOutput(); err != nil {
			return fmt.Errorf("%s of %s fails without a mutant: %w\n%s", name, s.path, err, out)
		}
		t.took = time.Since(start)
		data, err := os.ReadFile(reached)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, line := range strings.Fields(string(data)) {
			id, err := strconv.Atoi(line)
			if err != nil {
				return err
			}
			t.reaches[id] = true
		}
		b.tests = append(b.tests, t)
	}
	return nil
}

// command runs the test in at most 8 GiB, as some mutants never have enough.
func (t *test) command(ctx context.Context, env string) *exec.Cmd {
	args := append([]string{"-c", `ulimit -v 8388608; exec "$0" "$@"`, t.program, "-test.run", "^(" + t.name + ")$", "-test.failfast"}, t.suite.flags...)
	c := exec.CommandContext(ctx, "sh", args...)
	c.Dir = t.suite.path
	c.Env = append(os.Environ(), env)
	c.WaitDelay = time.Second
	return c
}
