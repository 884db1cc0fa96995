package simulate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/cli/fault"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/simulation"
)

// importTrace reads a group out of a trace: as its leader's assignor was asked last.
func (o *options) importTrace(file string, text io.Reader) ([]subject, error) {
	last := map[string]*trace.Rebalance{}
	for r, err := range trace.Read(file, text) {
		if err != nil {
			return nil, err
		}
		if len(r.Asked) > 0 && (last[r.Group] == nil || r.Generation >= last[r.Group].Generation) {
			last[r.Group] = r
		}
	}
	names := slices.Sorted(maps.Keys(last))
	name := o.group
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: there is no line of a group's leader in it", file)
	case name == "" && len(names) > 1:
		return nil, fault.Usage("%s has several groups: %s; choose one with --group", file, output.CleanText(strings.Join(names, ", ")))
	case name == "":
		name = names[0]
	}
	r := last[name]
	if r == nil {
		return nil, fmt.Errorf("%s: there is no group %q in it; there are %s", file, name, output.CleanText(strings.Join(names, ", ")))
	}
	g, err := r.Strategy()
	if err != nil {
		return nil, fmt.Errorf("%s: generation %d of group %s: %w", file, r.Generation, output.Clean(name), err)
	}
	fmt.Fprintf(o.io.Err, "%s: group %s as it was asked for at %s, generation %d\n", o.io.Name, output.Clean(name), r.Time.Format(time.RFC3339), r.Generation)
	return []subject{{scenario: simulation.Scenario{Group: *g}}}, nil
}
