// Command peers gives the same groups to the assignors of other libraries and of this project, checks every answer with
// [strategy.Validate], measures it with [strategy.Measure], and prints who is how fast, how even and how sticky. From the top of the
// repository:
//
//	go -C bench/peers run .
//
// Peers written in Go run in a child process each, since one that hangs or eats all memory can only be killed; Java's run in a
// Java process. README.md says what the columns mean and how a peer is added.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	if isChild() {
		os.Exit(child(os.Stdin, os.Stdout, all(nil)))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// options is what the command line says.
type options struct {
	shapes, peers *regexp.Regexp
	quick, grid   bool
	output        string
	limits        limits
	requireJava   bool
	check         bool
}

// run is the whole program but for signals and the exit.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return exitUsage
	}
	missed, err := compare(ctx, o, stdout)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "peers:", err)
		return exitFailed
	case o.check && missed > 0:
		fmt.Fprintln(stderr, "peers:", missed, "targets missed; the last section names them")
		return exitFailed
	}
	return exitOK
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(stderr)
	shapes := f.String("shapes", "", "measure the cases that match this `regex`, such as ^nested or step=join; default: all")
	peers := f.String("peers", "", "ask the assignors that match this `regex`, such as franz-go or 'java/.*sticky'; ours is always asked")
	f.BoolVar(&o.quick, "quick", false, "measure small groups only, with few calls")
	f.BoolVar(&o.grid, "grid", false, "measure the grid of package bench: hundreds of groups, with 5 calls and a limit of 2s unless others are asked for")
	f.StringVar(&o.output, "o", "markdown", "print as `markdown` or json")
	f.DurationVar(&o.limits.Time, "limit", 20*time.Second, "`time` for one call; a peer that takes longer is ended")
	f.IntVar(&o.limits.Calls, "calls", 10, "`number` of calls of each peer on each group, as long as they and what prepares them take no more than half the limit")
	f.IntVar(&o.limits.Megabytes, "memory", 4096, "`megabytes` that a peer may use; one that takes more is ended")
	f.BoolVar(&o.requireJava, "require-java", false, "fail if Java's assignors cannot be run, instead of leaving them out")
	f.BoolVar(&o.check, "check", false, "exit with 1 if a target is missed")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q: only flags are taken", f.Arg(0))
	}
	if o.output != "markdown" && o.output != "json" {
		return o, fmt.Errorf("-o %s: it is markdown or json", o.output)
	}
	if o.limits.Time <= 0 || o.limits.Calls < 1 || o.limits.Megabytes < 1 {
		return o, errors.New("-limit, -calls and -memory must be more than 0")
	}
	if o.quick && o.grid {
		return o, errors.New("-quick and -grid are groups of their own: choose one")
	}
	o.hasten(f)
	var err error
	if o.shapes, err = regexp.Compile(*shapes); err != nil {
		return o, fmt.Errorf("-shapes: %w", err)
	}
	if o.peers, err = regexp.Compile(*peers); err != nil {
		return o, fmt.Errorf("-peers: %w", err)
	}
	return o, nil
}

// hasten takes less time for each group, where that was not asked for.
func (o *options) hasten(f *flag.FlagSet) {
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.limits.Warm = time.Second
	if o.quick {
		o.limits.Warm = 50 * time.Millisecond
		o.limits.Calls = min(o.limits.Calls, 5)
	}
	if o.grid {
		o.limits.Warm = 20 * time.Millisecond // warmUp has done it
		if !given["calls"] {
			o.limits.Calls = 5
		}
		if !given["limit"] {
			o.limits.Time = 2 * time.Second
		}
	}
}

// selection is what -shapes selects of.
func (o *options) selection() selection {
	switch {
	case o.quick:
		return quickCases
	case o.grid:
		return gridCases
	}
	return cases
}

// compare measures and prints, and returns how many targets were missed.
func compare(ctx context.Context, o options, w io.Writer) (missed int, err error) {
	cases := o.selection().match(o.shapes)
	if len(cases) == 0 {
		return 0, fmt.Errorf("-shapes %s: no such case; there are\n%s", o.shapes, names(o.selection()()))
	}
	java := &javaLibrary{megabytes: o.limits.Megabytes}
	defer java.close()
	peers := choose(all(java), o.peers)
	if len(peers) == len(ourPeers()) {
		return 0, fmt.Errorf("-peers %s: no such assignor; there are\n%s", o.peers, names(all(java)))
	}
	if wantsJava(peers) {
		if err := java.open(ctx); err != nil && (o.requireJava || ctx.Err() != nil) {
			return 0, fmt.Errorf("java: %w", err)
		}
	}
	if o.grid {
		if err := warmUp(ctx, cases, peers, o.limits); err != nil {
			return 0, err
		}
	}
	p := printer(&o, w)
	p.start(o.limits)
	r := report{Limits: o.limits, grid: o.grid}
	for _, c := range cases {
		t, err := r.measure(ctx, c, peers)
		if err != nil {
			return 0, err
		}
		p.table(&t)
		r.Tables = append(r.Tables, t)
	}
	if o.grid {
		r.Summary = r.summarize()
	}
	r.Verdicts = judge(&r)
	for _, v := range r.Verdicts {
		if v.Outcome == outcomeMissed {
			missed++
		}
	}
	return missed, p.end(&r)
}

// measure asks every peer on one case, ours first, but those that a smaller group was too much for.
func (r *report) measure(ctx context.Context, c Case, peers []Peer) (table, error) {
	t := table{Case: c}
	for i := range peers {
		if result, ok := r.presume(&peers[i], c); ok {
			t.Results = append(t.Results, result)
			continue
		}
		result, err := ask(ctx, &peers[i], c, r.Limits)
		if err == nil && r.grid && result.Status == Late { // the machine may have been busy, and larger groups depend on it
			result, err = ask(ctx, &peers[i], c, r.Limits)
		}
		if err != nil {
			return t, err
		}
		t.Results = append(t.Results, result)
	}
	return t, nil
}

// ask has one peer examined: here if it runs in a process of its own anyway, else in a child.
func ask(ctx context.Context, p *Peer, c Case, l limits) (Result, error) {
	var result Result
	if p.Outside {
		g, err := c.Group(ctx)
		if err != nil {
			return result, err
		}
		result = examine(ctx, p, g, l, nil)
	} else {
		var err error
		if result, err = isolate(ctx, p, c, l); err != nil {
			return result, err
		}
	}
	return result, ctx.Err() // an answer that was interrupted says nothing
}
