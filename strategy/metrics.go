package strategy

// Metrics is what [Measure] says of an answer. A member's load is the number of its partitions, or the sum of their weights where
// any topic has weights; it is counted relative to the member's capacity. Draining members are left out of all loads.
type Metrics struct {
	Members    int `json:"members"`
	Partitions int `json:"partitions"` // of topics that somebody subscribes to
	Unassigned int `json:"unassigned"` // of those, the ones that nobody gets

	// Loads over capacity.
	Max  float64 `json:"max"`
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Skew float64 `json:"skew"` // Max - Min
	CV   float64 `json:"cv"`   // standard deviation / Mean
	Jain float64 `json:"jain"` // 1/(1+CV²): 1 is even, 1/Members is all on one

	// Regret is how far Σ load²/capacity lies above the least there is: 0 is optimal, by every convex measure of skew.
	Regret      float64 `json:"regret"`
	RegretRatio float64 `json:"regret_ratio"` // over the optimum
	// Bound says that Regret and VoluntaryMinimum are against a lower bound, as the optimum is NP-hard (weights) or took too long.
	Bound bool `json:"bound,omitempty"`

	// TopicSkew is the largest difference of one topic's partitions between two members that subscribe to it.
	TopicSkew int `json:"topic_skew"`

	// Movement against what the members owned.
	Voluntary        int `json:"voluntary"`         // a subscribed owner loses it
	VoluntaryMinimum int `json:"voluntary_minimum"` // the fewest that reach the least Regret
	Excess           int `json:"excess"`            // Voluntary above that, 0 where it is below
	Forced           int `json:"forced"`            // the owner no longer subscribes, and somebody else gets it
	Placed           int `json:"placed"`            // nobody owned it before, and somebody gets it

	RackMisses int `json:"rack_misses"`         // partitions away from all their known racks
	Misplaced  int `json:"misplaced,omitempty"` // on draining members, though another could have them
}
