package strategy

// An Explanation says why a partition is where an answer puts it. It is a value of its own: nothing in it is shared with the group
// or the answer.
type Explanation struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Assignor  string `json:"assignor"` // the name of the one that decided, which need not be the one that was asked

	Before string `json:"before,omitempty"` // who owns it by the members' claims, as [Tabulate] judges them; "" for nobody
	Owner  string `json:"owner,omitempty"`  // who has it by the answer; "" for nobody
	For    string `json:"for,omitempty"`    // for [FateWithheld]: who is to get it in the next round, "" if the assignor does not say
	// With, for [FateWithheld], is another partition of the same unit, if only that one is owned elsewhere.
	With *TopicPartition `json:"with,omitempty"`

	Fate    Fate      `json:"fate"`
	Reason  Reason    `json:"reason,omitempty"` // of a partition that nobody gets
	Decided Objective `json:"decided"`          // what decided where it is, or is to go
	Why     string    `json:"why"`              // the same in a sentence or two
	// Derived says that the assignor itself does not tell: all is concluded from the group and the answer, and Decided is what the answer
	// agrees with.
	Derived bool `json:"derived,omitempty"`
	// Notes are what else there is to know: which assignor failed before this one decided, where the work ended early.
	Notes []string `json:"notes,omitempty"`

	// Loads says what loads are sums of: "partitions", or "weight".
	Loads string `json:"loads"`
	// Weight is what the partition adds to a load, with all that moves along with it.
	Weight float64 `json:"weight"`
	// Together lists the partitions that move along with it, sorted.
	Together []TopicPartition `json:"together,omitempty"`

	Members []Candidate `json:"members"` // every member of the group, in the order of [Member.Compare]
}

// A Candidate is a member with regard to one partition. Loads are those of the answer, in which what is withheld for a member counts as
// its own already.
type Candidate struct {
	Member   string    `json:"member"`
	Barred   Objective `json:"barred,omitempty"` // why it may not have the partition; "" if it may
	Draining bool      `json:"draining,omitempty"`

	Partitions int     `json:"partitions"`
	Load       float64 `json:"load"`
	Capacity   float64 `json:"capacity"` // 0 for a member that drains or can carry nothing
	Ratio      float64 `json:"ratio"`    // Load over Capacity, 0 without capacity
	// LoadThen and RatioThen are what Load and Ratio would be if the partition moved: without it for its owner, with it for any other.
	LoadThen  float64 `json:"load_then"`
	RatioThen float64 `json:"ratio_then"`
	// Effect says how even the group would be if only this partition moved here. "" for the owner, for members that may not have it,
	// and for a partition without owner.
	Effect Effect `json:"effect,omitempty"`

	InTopic int      `json:"in_topic"`         // how many partitions of the topic it has
	Rack    string   `json:"rack,omitempty"`   // where it runs
	Away    bool     `json:"away,omitempty"`   // no replica of the partition is in its rack, as far as both are known
	Prefer  *float64 `json:"prefer,omitempty"` // how much the assignor prefers it for the partition; higher is better. Nil: it has no preferences

	Says string `json:"says"` // why it has the partition, or why not, in a sentence
}

// Find returns the row of a member, nil if the group has none of that id.
func (e *Explanation) Find(member string) *Candidate {
	for i := range e.Members {
		if e.Members[i].Member == member {
			return &e.Members[i]
		}
	}
	return nil
}

// Holder returns the row of who has the partition or is to get it, nil if nobody does.
func (e *Explanation) Holder() *Candidate {
	switch {
	case e.Owner != "":
		return e.Find(e.Owner)
	case e.For != "":
		return e.Find(e.For)
	}
	return nil
}

// A Fate is what an answer does to a partition.
type Fate string

// The fates there are. [Metrics] counts FateMoved as Voluntary, FateForced as Forced and FatePlaced as Placed.
const (
	FateKept       Fate = "kept"       // its owner keeps it
	FatePlaced     Fate = "placed"     // nobody owned it, or two members claimed it, and somebody gets it
	FateMoved      Fate = "moved"      // its owner subscribes to the topic, and another member gets it
	FateForced     Fate = "forced"     // its owner does not subscribe to the topic any more, and another member gets it
	FateWithheld   Fate = "withheld"   // it waits for the next round of a cooperative rebalance
	FateUnassigned Fate = "unassigned" // nobody gets it
)

// An Objective is what decided about a partition, or bars a member from it. Assignors may have others of their own.
type Objective string

// The objectives that assignors of this module name.
const (
	ObjectiveSubscription Objective = "subscription" // who subscribes to the topic
	ObjectiveEligibility  Objective = "eligibility"  // who may have it by the assignor's own rules
	ObjectiveTogether     Objective = "together"     // where that is which moves along with it
	ObjectiveLimit        Objective = "limit"        // how many partitions a member may have at most
	ObjectiveDraining     Objective = "draining"     // draining members get only what nobody else may have
	ObjectiveBalance      Objective = "balance"      // loads as even as can be
	ObjectiveTolerance    Objective = "tolerance"    // loads that differ by so little, or are known so badly, are left as they are
	ObjectiveHosts        Objective = "hosts"        // loads of hosts as even as can be
	ObjectiveMovement     Objective = "movement"     // nothing moves that need not
	ObjectiveMaxMoves     Objective = "max_moves"    // so much may move in one rebalance and no more
	ObjectivePreference   Objective = "preference"   // which member the assignor's rules prefer
	ObjectiveRacks        Objective = "racks"        // near a replica
	ObjectiveSpread       Objective = "spread"       // each topic over many members
	ObjectiveOrder        Objective = "order"        // the order of members, topics and partitions, all else being equal or not looked at
	ObjectivePromise      Objective = "promise"      // it was promised in an earlier round
	ObjectiveDispute      Objective = "dispute"      // two members claim it
	ObjectiveBudget       Objective = "budget"       // the assignor's work ended before it was done
	ObjectiveUnknown      Objective = "unknown"      // it cannot be told
)

// An Effect says how a move would change the sum of load²/capacity, which is least where loads are most even.
type Effect string

// The effects there are.
const (
	EffectWorse  Effect = "worse"  // loads would be less even
	EffectSame   Effect = "same"   // as even as they are
	EffectBetter Effect = "better" // more even
)
