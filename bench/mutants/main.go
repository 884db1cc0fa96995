// Command mutants measures how strong tests are: it changes a package in many small ways, one at a time, and runs the tests that come by
// the change. A mutant that no test finds is printed, and shows either a test that is missing or code that is not needed. It is run from
// the top of the module:
//
//	go run ./bench/mutants strategies/sticky strategy internal/membership internal/membership/wire
//
// With -only EXPR, mutants whose FILE:LINE or description does not match are left out; with -v, those that are found are printed, too, each with the
// test that found it. It exits with 1 if fewer than -least per cent are found.
//
// Survivors that cannot be found, as they do the same, are in accepted.txt with the reason of each. They count as survivors. An entry that
// no survivor answers to any more is printed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	only := flag.String("only", "", "only mutants whose FILE:LINE or description this regular expression matches")
	verbose := flag.Bool("v", false, "print also what is found, and by which test")
	least := flag.Float64("least", 90, "exit with 1 if fewer per cent are found")
	flag.Parse()
	weak, err := measureAll(flag.Args(), *only, *verbose, *least)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if weak || err != nil {
		os.Exit(1)
	}
}

// measureAll measures packages and says whether any is below the least percentage.
func measureAll(paths []string, only string, verbose bool, least float64) (weak bool, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, path := range paths {
		found, err := measure(ctx, path, only, verbose)
		if err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		weak = weak || found < least
	}
	return weak, nil
}

// measure mutates one package, prints what happens, and returns how many per cent of the mutants are found.
func measure(ctx context.Context, path, only string, verbose bool) (float64, error) {
	expr, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	accepted, err := readAccepted("bench/mutants/accepted.txt", path)
	if err != nil {
		return 0, err
	}
	s, err := load(path)
	if err != nil {
		return 0, err
	}
	all, files := find(s)
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b, err := build(ctx, dir, path, files)
	if err != nil {
		return 0, err
	}
	var chosen []*mutant
	for _, m := range all {
		if expr.MatchString(fmt.Sprintf("%s:%d %s", m.file, m.line, m)) {
			chosen = append(chosen, m)
		}
	}
	r := report{path: path, verbose: verbose, accepted: accepted}
	b.runAll(ctx, chosen, r.add)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return r.end(only == ""), nil
}
