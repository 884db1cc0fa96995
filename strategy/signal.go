package strategy

import "slices"

// Signals that hosts know by themselves, see [Topic.Signals] and [Member.Uptime]. All others are the application's.
const (
	SignalLag    = "lag"    // of a partition: records that the group has not committed yet
	SignalRate   = "rate"   // of a partition: records written in a second
	SignalActive = "active" // of a partition: 0 where there is nothing to be read and will not be soon; the application says so
	SignalUptime = "uptime" // of a member: Uptime
)

// SignalUser is an optional interface of an [Assignor] that looks at what is measured while a group runs. Without it, nothing is
// measured for it.
type SignalUser interface {
	// Signals names what the assignor looks at, such as [SignalLag]. It is asked anew before each measurement, may be called
	// concurrently with Assign, and must not block.
	Signals() []string
}

// SignalsOf returns the names of the signals that a looks at, sorted, none twice. A [*FallbackAssignor] looks at those of all its
// assignors.
func SignalsOf(a Assignor) []string {
	var names []string
	if u, ok := As[SignalUser](a); ok {
		names = slices.Clone(u.Signals())
	}
	if f, ok := As[*FallbackAssignor](a); ok {
		names = append(names, SignalsOf(f.First)...) // which may be one that asks several itself
		for _, next := range f.Then {
			names = append(names, SignalsOf(next)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
