// Command guard tells whether assignors have become slower or take more memory than they did when figures.json was written, on any machine and
// beside any other load. From the top of the repository:
//
//	go run ./bench/guard           # exits with 1 if they have
//	go run ./bench/guard -update   # writes what they take now
//
// Times are in relation to that of a fixed computation, which is timed in turns with the assignor, the fastest of many runs of both: what else the
// machine does, and how fast it is, concerns both alike. A time may be a good half above its figure, as processors and what goes on beside them
// differ in what they slow down; memory is counted, and may be a tenth above. A cell that is above is measured again before it counts as slower.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for signals and the exit.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("guard", flag.ContinueOnError)
	f.SetOutput(stderr)
	file := f.String("figures", "bench/guard/figures.json", "`file` with the figures to compare with")
	update := f.Bool("update", false, "write the figures instead of comparing with them")
	rounds := f.Int("rounds", 200, "`number` of runs of each assignor and of the computation that it is compared with")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case f.NArg() > 0 || *rounds < 1:
		fmt.Fprintln(stderr, "guard: only flags are taken, and -rounds must be more than 0")
		return exitUsage
	}
	var err error
	if *update {
		err = write(ctx, *file, *rounds, stdout)
	} else {
		err = check(ctx, *file, *rounds, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "guard:", err)
		return exitFailed
	}
	return exitOK
}

// write measures all cells and writes their figures.
func write(ctx context.Context, file string, rounds int, w io.Writer) error {
	now := figures{}
	for _, c := range cells() {
		m, err := newMeasuring(ctx, c)
		if err != nil {
			return err
		}
		if err := m.measure(ctx, 2*rounds); err != nil {
			return err
		}
		now[c.String()] = m.figure()
		fmt.Fprintf(w, "%v  %s\n", m.figure(), c)
	}
	return now.write(file)
}

// retries is how often a cell that is slower than its figure is measured again, twice as long each time.
const retries = 3

// check measures all cells and compares them with their figures.
func check(ctx context.Context, file string, rounds int, w io.Writer) error {
	was, err := readFigures(file)
	if err != nil {
		return err
	}
	worse := 0
	for _, c := range cells() {
		figure, known := was[c.String()]
		if !known {
			return fmt.Errorf("%s has no figure for %s; -update writes it", file, c)
		}
		delete(was, c.String())
		m, err := newMeasuring(ctx, c)
		if err != nil {
			return err
		}
		problem := ""
		for try, n := 0, rounds; try <= retries && (try == 0 || problem != ""); try, n = try+1, 2*n {
			if err := m.measure(ctx, n); err != nil {
				return err
			}
			problem = m.figure().problem(figure)
		}
		verdict := "ok"
		if problem != "" {
			worse++
			verdict = problem
		}
		fmt.Fprintf(w, "%v  was %v  %s: %s\n", m.figure(), figure, c, verdict)
	}
	switch {
	case worse > 0:
		return fmt.Errorf("%d cells are worse than their figures in %s; if that is meant, -update writes new ones", worse, file)
	case len(was) > 0:
		return fmt.Errorf("%s has figures of %d cells that are not measured any more; -update leaves them out", file, len(was))
	}
	return nil
}
