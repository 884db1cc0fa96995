// Package standard registers the assignors that come with the project, for programs that find assignors by name:
//
//	import _ "github.com/assignkit/assignkit/strategies/standard"
//
// What belongs here: imports. A program that needs one assignor imports that one instead.
package standard

import (
	_ "github.com/assignkit/assignkit/strategies/range"      // range, range-even
	_ "github.com/assignkit/assignkit/strategies/roundrobin" // roundrobin
	_ "github.com/assignkit/assignkit/strategies/rules"      // rules
	_ "github.com/assignkit/assignkit/strategies/sticky"     // sticky
)
