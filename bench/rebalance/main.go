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
	"slices"
	"strings"
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
	times            int    // how often each scenario runs with each client; 0: as often as it says itself
	brokers          string // 1, 3, both, or nothing: ours on both
	quick            bool
	records          int
	settings         settings
	deploys          settings // of scenarios that restart many members
	json             bool
	markdown, chart  string
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
	o := options{
		records:  3_000_000,
		settings: settings{Partitions: 12, Every: 10 * time.Millisecond, Slow: 3 * time.Second, Patience: 90 * time.Second},
		deploys:  settings{Partitions: 200, Every: 50 * time.Millisecond, Members: 10, Quiet: time.Second, Patience: 2 * time.Minute},
	}
	f := flag.NewFlagSet("rebalance", flag.ContinueOnError)
	f.SetOutput(stderr)
	scenario := f.String("scenario", "", "run what matches this `regex`: "+scenarioNames()+"; default: all")
	chosen := f.String("client", "", "measure clients that match this `regex`, such as assignkit or 'sarama/coop|java'; default: all")
	f.IntVar(&o.times, "n", 0, "`number` of runs of each scenario with each client; 0: as many as each scenario needs, fewer with other clients than ours")
	f.StringVar(&o.brokers, "brokers", "", "`1, 3 or both`: on how many; default: assignkit on both, others on 1")
	f.BoolVar(&o.quick, "quick", false, "one run, few records, fast heartbeats, and unless told otherwise assignkit only, on one broker, without "+strings.Join(tooLong, " and ")+": a minute, to see that everything works")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	f.StringVar(&o.markdown, "markdown", "", "also write a page of Markdown to this `file`")
	f.StringVar(&o.chart, "chart", "", "also draw how long partitions are silent in joins, as SVG, to this `file`")
	f.BoolVar(&o.check, "check", false, "exit with 1 if a target is missed")
	f.BoolVar(&o.requireJava, "require-java", false, "fail if Java's client cannot be run, instead of leaving it out")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q: only flags are taken", f.Arg(0))
	}
	if o.quick {
		o.records = 80_000
		o.settings.Heartbeat, o.settings.Slow = 300*time.Millisecond, time.Second
		o.deploys.Heartbeat, o.deploys.Partitions, o.deploys.Members, o.deploys.Quiet = 300*time.Millisecond, 16, 2, 0
		if *chosen == "" {
			*chosen = "^" + ours + "$"
		}
	}
	if o.times < 0 {
		return o, errors.New("-n must not be negative")
	}
	if !slices.Contains([]string{"", "1", "3", "both"}, o.brokers) {
		return o, fmt.Errorf("-brokers %s: there are 1, 3 and both", o.brokers)
	}
	var err error
	if o.scenario, err = regexp.Compile(*scenario); err != nil {
		return o, fmt.Errorf("-scenario: %w", err)
	}
	if o.client, err = regexp.Compile(*chosen); err != nil {
		return o, fmt.Errorf("-client: %w", err)
	}
	if o.chart != "" && !o.scenario.MatchString(charted) {
		return o, fmt.Errorf("-chart draws scenario %s, which -scenario leaves out", charted)
	}
	return o, nil
}

// write prints what was measured, and writes the files that were asked for. One that cannot be written does not keep the others away.
func write(o *options, r *Report, stdout io.Writer) error {
	var errs []error
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		errs = append(errs, e.Encode(r))
	} else {
		errs = append(errs, r.writeText(stdout))
	}
	if o.chart != "" {
		errs = append(errs, writeFile(o.chart, r.writeChart))
	}
	if o.markdown != "" {
		errs = append(errs, writeFile(o.markdown, func(w io.Writer) error { return r.writeMarkdown(w, o.picture()) }))
	}
	return errors.Join(errs...)
}

// picture is the chart's file as the page refers to it, "" if there is none.
func (o *options) picture() string {
	if o.chart == "" {
		return ""
	}
	if near, err := filepath.Rel(filepath.Dir(o.markdown), o.chart); err == nil {
		return filepath.ToSlash(near)
	}
	return o.chart
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Clean(name))
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
