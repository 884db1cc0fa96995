// Command assignctl shows what a partition assignor would do before it does it. Run it without arguments to see its commands.
package main

import (
	"context"
	"os"

	"github.com/assignkit/assignkit/cli"
	_ "github.com/assignkit/assignkit/strategies/standard"
)

func main() { os.Exit(cli.Main(context.Background(), os.Args[1:], cli.OS())) }
