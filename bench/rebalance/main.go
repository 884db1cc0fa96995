// Command rebalance runs consumer groups of this project and of other libraries on real brokers and measures what their members
// notice: how long partitions are silent when members come, leave and restart, and when the group's coordinator dies; what is delivered
// twice or never; and what reading costs. From the top of the repository:
//
//	go -C bench/rebalance run .
//
// README.md says how it is measured and how a client is added.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	if text := os.Getenv(childVariable); text != "" {
		os.Exit(child(text, os.Stdout, os.Stderr))
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
	scenario, client *regexp.Regexp
	repeats          int
	records          int
	commits          int // how many ways to commit when coordinators are killed
	settings         settings
	json             bool
	markdown         string
	check            bool
	requireJava      bool
}

// run is the whole program but for signals and the exit.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "rebalance:", err)
		return exitUsage
	}
	r, err := measure(ctx, o, stderr)
	if err == nil {
		err = write(&o, r, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "rebalance:", err)
		return exitFailed
	}
	for _, v := range r.Verdicts {
		if o.check && v.Outcome == missed {
			fmt.Fprintln(stderr, "rebalance: missed:", v.Target)
			return exitFailed
		}
	}
	return exitOK
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{settings: settings{Partitions: 12, Slow: 3 * time.Second, Patience: 90 * time.Second}}
	f := flag.NewFlagSet("rebalance", flag.ContinueOnError)
	f.SetOutput(stderr)
	scenario := f.String("scenario", "", "run what matches this `regex`: join, leave, slow, rolling, coordinator, throughput; default: all")
	chosen := f.String("client", "", "measure clients that match this `regex`, such as assignkit or 'sarama/coop|java'; default: all")
	f.IntVar(&o.repeats, "n", 3, "`number` of runs of each scenario with each client")
	quick := f.Bool("quick", false, "one run, few records, fast heartbeats, and unless -client says otherwise assignkit only: seconds, to see that everything works")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	f.StringVar(&o.markdown, "markdown", "", "also write a page of Markdown to this `file`")
	f.BoolVar(&o.check, "check", false, "exit with 1 if a target is missed")
	f.BoolVar(&o.requireJava, "require-java", false, "fail if Java's client cannot be run, instead of leaving it out")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q: only flags are taken", f.Arg(0))
	}
	o.records, o.commits = 3_000_000, 3
	if *quick {
		o.repeats, o.records, o.commits = 1, 80_000, 1
		o.settings.Heartbeat, o.settings.Slow = 300*time.Millisecond, time.Second
		if *chosen == "" {
			*chosen = ours
		}
	}
	if o.repeats < 1 {
		return o, errors.New("-n must be more than 0")
	}
	var err error
	if o.scenario, err = regexp.Compile(*scenario); err != nil {
		return o, fmt.Errorf("-scenario: %w", err)
	}
	if o.client, err = regexp.Compile(*chosen); err != nil {
		return o, fmt.Errorf("-client: %w", err)
	}
	return o, nil
}

// write prints what was measured, and writes the page.
func write(o *options, r *Report, stdout io.Writer) error {
	if o.markdown != "" {
		f, err := os.Create(filepath.Clean(o.markdown))
		if err != nil {
			return err
		}
		if err := errors.Join(r.writeMarkdown(f), f.Close()); err != nil {
			return err
		}
	}
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.writeText(stdout)
}
