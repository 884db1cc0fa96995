package plugin

import (
	"fmt"
	"os"

	"github.com/assignkit/assignkit/strategies/sticky"
)

// play is what a plugin of a name does.
func play(name string) {
	switch name {
	case "sticky":
		Serve(sticky.Assignor{})
	case "prints":
		fmt.Println("hello from before the handshake")
		fmt.Print("and no end of line")
		Serve(sticky.Assignor{})
	case "scripted":
		playScripted()
	case "host":
		playHost()
	default:
		fmt.Fprintf(os.Stderr, "nobody plays %q\n", name)
		os.Exit(3)
	}
}
