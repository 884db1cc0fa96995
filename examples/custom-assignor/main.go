// Command custom-assignor is assignctl with one assignor more: pinned, which keeps each topic on one member.
package main

import (
	"context"
	"os"

	"github.com/assignkit/assignkit/cli"
	_ "github.com/assignkit/assignkit/strategies/standard"
)

func main() { os.Exit(cli.Main(context.Background(), os.Args[1:], cli.OS())) }
