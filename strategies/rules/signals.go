package rules

import (
	"slices"

	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/strategy"
)

// Signals names what the rules look at of what is measured, see [strategy.SignalUser]: partition.lag, partition.rate, partition.active,
// member.uptime and group.uptime, and the entries of partition.signals and member.signals whose names are written out. An entry whose name is
// computed is not among them, so it is there only if something else has it measured.
func (a *Assignor) Signals() []string {
	var names []string
	for _, p := range []*expression.Program{a.eligible, a.weight, a.capacity, a.prefer, a.together, a.limit} {
		if p == nil {
			continue
		}
		for _, v := range []struct{ path, signal string }{
			{"partition.lag", strategy.SignalLag}, {"partition.rate", strategy.SignalRate}, {"partition.active", strategy.SignalActive},
			{"member.uptime", strategy.SignalUptime}, {"group.uptime", strategy.SignalUptime},
		} {
			if p.LooksAt(v.path) {
				names = append(names, v.signal)
			}
		}
		names = append(append(names, p.Entries("partition.signals")...), p.Entries("member.signals")...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Signals names what the rules look at, as [Assignor.Signals] does, by the file as it is now.
func (f *File) Signals() []string { return f.latest().Signals() }

var (
	_ strategy.SignalUser = (*Assignor)(nil)
	_ strategy.SignalUser = (*File)(nil)
)
