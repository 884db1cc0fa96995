package simulate

import (
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
)

// many is from how many rows on a table is summarised.
const many = 40

// appendReport writes one case for people: all steps with their measures, who has what before and after, and what there is to say
// about each strategy.
func (o *options) appendReport(dst []byte, c *outcomes) []byte {
	paper := o.paper()
	if c.name != "" {
		dst = paper.Wrap(dst, output.Cell{Text: "case " + output.Clean(c.name), Style: output.Bold})
		dst = append(dst, "\n\n"...)
	}
	names := o.names(c.results[0], paper)
	dst = o.appendSteps(dst, c.results, names, paper)
	dst = append(dst, '\n')
	dst = o.appendChanges(dst, c.results, names, paper)
	for _, r := range c.results {
		dst = appendSummary(dst, r, paper)
	}
	return o.appendExplained(dst, c, paper)
}

// names decides how to show the members that there are at any time.
func (o *options) names(r *simulation.Result, paper output.Paper) *output.Names {
	if o.format == output.Wide {
		return output.FullNames()
	}
	ids := map[string]bool{}
	for i := range r.Steps {
		for id := range r.Steps[i].Assignment.Members {
			ids[id] = true
		}
	}
	return output.ShortNames(slices.Collect(maps.Keys(ids)), paper.Width)
}

// eventText is what happened in a step. A start that moves something is the first rebalance under another strategy than the one
// that members' claims come from.
func eventText(results []*simulation.Result, i int, names *output.Names) string {
	if i == 0 && slices.ContainsFunc(results, func(r *simulation.Result) bool { return len(r.Steps[0].Moved) > 0 }) {
		return "start: takes over from the assignment found"
	}
	return names.Within(results[0].Steps[i].Event)
}
