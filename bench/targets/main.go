// Command targets measures what the project promises about speed and memory and prints it as the first part of docs/benchmarks.md;
// the script bench/report writes all of that page. It is run from the top of the module:
//
//	go run ./bench/targets
//	go run ./bench/targets weights rules    # some parts of it: simulate, assign, leader, weights, rules, plugin
//
// It is the only place that times anything; a target that is missed is named in what it prints, and makes it exit with 1.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategies/sticky"
)

func main() {
	if filepath.Base(os.Args[0]) == pluginFile {
		plugin.Serve(sticky.Assignor{})
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missed, err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(1)
	case missed > 0:
		fmt.Fprintln(os.Stderr, "targets:", missed, "missed")
		os.Exit(1)
	}
}
