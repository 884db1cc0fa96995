package balance

// DefaultBudget is the work allowed if Options.Budget is 0: about a tenth of a second.
const DefaultBudget = 100_000_000

const unlimited = int64(1) << 62

// A Stage is an objective that the solver works on, in this order.
type Stage uint8

// The stages; Complete is none of them but the end.
const (
	Complete Stage = iota // every stage came to its end
	Balance               // least sum of load²/capacity, and of the hosts' loads
	Moves                 // fewest partitions that a subscribed owner loses
	Racks                 // fewest partitions at a member of another rack
	Spread                // each topic's partitions evenly over its members
)

func (s Stage) String() string {
	switch s {
	case Complete:
		return "complete"
	case Balance:
		return "balance"
	case Moves:
		return "moves"
	case Racks:
		return "racks"
	case Spread:
		return "spread"
	}
	return "unknown stage"
}

// A meter counts work. Work is what the algorithm does, never time, so that the answer is the same on every machine.
type meter struct {
	left int64
}

func newMeter(budget int64) *meter {
	switch {
	case budget == 0:
		budget = DefaultBudget
	case budget < 0:
		budget = unlimited
	}
	return &meter{left: budget}
}

func (b *meter) spend(work int) { b.left -= int64(work) }

func (b *meter) empty() bool { return b.left < 0 }
