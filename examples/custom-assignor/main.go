// Command custom-assignor is assignctl with one assignor more: pinned, which keeps each topic on one member. It shows that an assignor of one's
// own needs nothing but a name to be simulated and compared (pinned.go), and that a consumer is given it as a value (member.go):
//
//	go run . simulate scenario.yaml
//	go run . member
package main

import (
	"context"
	"log"
	"os"

	"github.com/assignkit/assignkit/cli"
	_ "github.com/assignkit/assignkit/strategies/standard"
)

func main() {
	ctx := context.Background()
	if len(os.Args) > 1 && os.Args[1] == "member" {
		if err := member(ctx, os.Args[2:], os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(cli.Main(ctx, os.Args[1:], cli.OS()))
}
