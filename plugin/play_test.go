package plugin

import (
	"fmt"
	"os"

	"github.com/assignkit/assignkit/strategies/sticky"
)

// faulty are plugins with one fault each, by name, which other files add.
var faulty = map[string]func(){}

// play is what a plugin of a name does.
func play(name string) {
	switch name {
	case "sticky":
		Serve(sticky.Assignor{})
	case "echo":
		Serve(echo{})
	case "prints":
		fmt.Println("hello from before the handshake")
		fmt.Print("and no end of line")
		Serve(sticky.Assignor{})
	case "scripted":
		playScripted()
	case "host":
		playHost()
	default:
		if f, ok := faulty[name]; ok {
			f()
			return
		}
		fmt.Fprintf(os.Stderr, "nobody plays %q\n", name)
		os.Exit(3)
	}
}
