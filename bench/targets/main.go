// Command targets measures what the project promises about speed and memory and prints docs/benchmarks.md: run it from the
// top of the module as
//
//	go run ./bench/targets > docs/benchmarks.md
//
// It is the only place that times anything; a target that is missed is named in what it prints, and makes it exit with 1.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missed, err := run(ctx, os.Stdout)
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
