// Command labels is an assignor as a plugin: a whole program, which hosts start. Its executable is called "assignor-" and the plugin's name:
//
//	go build -o bin/assignor-labels ./examples/plugins/labels
package main

import (
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
)

// version is set by who builds a release: -ldflags "-X main.version=1.2.0".
var version = "1.0.0"

func main() {
	plugin.Serve(strategy.Cooperative(labels{})) // cooperative: what stays is read through every rebalance
}
