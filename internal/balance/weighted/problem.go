package weighted

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assignkit/assignkit/internal/balance"
)

// None is the owner of a partition that nobody owns.
const None = balance.None

// MaxWeight is more than all partitions of a problem may weigh together: up to it a float64 counts exactly.
const MaxWeight = int64(1) << 53

// A Problem says who may take which partitions, what they weigh and who has them now. Solve only reads it. The partitions of
// all topics stand in one row, as in Owner.
type Problem struct {
	// Problem has topics, members, capacities, subscriptions and owners. Racks and hosts count only where internal/balance
	// decides: where all partitions weigh the same and nothing below is asked for.
	balance.Problem
	// Weight of each partition, 0 or more, in sum below MaxWeight. Nil or all 0: each weighs 1.
	Weight []int64
	// Eligible has Words() words for each partition: bit m%64 of word m/64 says that member m may have it, if it subscribes to the
	// topic too. Bits beyond the members are not looked at. Nil: subscriptions alone decide.
	Eligible []uint64
	// Together has a key for each partition: those with equal keys go to one member. Negative: alone. Nil: all alone.
	Together []int32
	// Limit is how many partitions a member may have at most. 0: any number.
	Limit int32
	// Limits is the same for each member, where 0 is none. Nil: Limit for each.
	Limits []int32
	// Prefer has a score for each class of partitions and each member, a row of Members scores for each class, within ±MaxScore:
	// higher is better. PreferClass is the class of each partition; nil: the number of its topic. Prefer nil: no preference.
	Prefer      []int32
	PreferClass []int32
}

// MaxScore is the largest score that Prefer may have.
const MaxScore = 1 << 20

// Words is how many words a row of Eligible has.
func (p *Problem) Words() int { return (p.Members + 63) / 64 }

// Options say how eager Solve is to move partitions and how long it works. The zero value is the tolerant mode with its defaults.
type Options struct {
	// Strict balances as well as it can, whatever moves: Tolerance, Gain and Noise count as none.
	Strict bool
	// Tolerance: a member within this many thousandths of its target gives nothing up. 0: 20; negative: none.
	Tolerance int32
	// Gain: a member more than this many thousandths above its target gives something up, if its load falls by more than as many
	// thousandths of the target. 0: 50; negative: none.
	Gain int32
	// Noise: weights are known no better than to this many thousandths, each by itself. Both the excess and the gain have to stand
	// out of what that makes of them. 0: 200, or none if all partitions weigh the same; negative: none.
	Noise int32
	// MaxMoves and MaxWeight bound the moves that are not forced, in partitions and in weight. 0: no bound; negative: none allowed.
	MaxMoves  int32
	MaxWeight int64
	// Budget bounds the work in steps (about a nanosecond each), so that it ends at the same place on every machine.
	// 0: DefaultBudget; negative: no bound.
	Budget int64
	// Even is for partitions that all weigh the same, where internal/balance decides: its tolerance in partitions, its budget.
	Even balance.Options
}

// Defaults of Options, in thousandths and in steps.
const (
	DefaultTolerance = 20
	DefaultGain      = 50
	DefaultNoise     = 200
	DefaultBudget    = 400_000_000
)

// Result is an assignment.
type Result struct {
	// Owner of each partition, or None.
	Owner []int32
	// Unassigned says for each partition without owner why, ascending.
	Unassigned []Unassigned
	// Loads is the weight, Counts the number of partitions of each member.
	Loads  []int64
	Counts []int32
	// Targets is the weight that each member would have if partitions could be divided. Nil where internal/balance decided.
	Targets []float64
	// Moves are the partitions whose owner changed, ascending. Those without owner now are in Unassigned instead.
	Moves []Move
	// Voluntary and VoluntaryWeight sum up the moves that are not forced.
	Voluntary       int64
	VoluntaryWeight int64
	// Split has the keys of Together that no member may have as a whole, in the order of their first partitions. Their
	// partitions were assigned one by one.
	Split []int32
	// Stopped names what was going on when the budget ended; "" if it did not end.
	Stopped string
}

// Unassigned is a partition without owner.
type Unassigned struct {
	Partition int32
	Lack      Lack
}

// Lack is why nobody has a partition.
type Lack uint8

// What a partition lacks.
const (
	Ineligible Lack = iota + 1 // no member may have it
	Full                       // every member that may have it has as many as the limit allows
)

func (l Lack) String() string {
	switch l {
	case Ineligible:
		return "ineligible"
	case Full:
		return "limit"
	}
	return "unknown"
}

// Move is a partition that has another owner than before.
type Move struct {
	Partition int32
	From, To  int32 // From is as the problem says, if that is a member; else None
	// Forced: the owner could not keep it, as there was none or it may not have it, drains, has more than the limit, or as what is
	// together with it is elsewhere.
	Forced bool
	Reason Reason
	// Step numbers what was decided together, in order: both sides of a swap, the moves of a chain.
	Step int32
	// Member is on whose account it was decided: the one with too much, or with too little for Pulled; else the new owner.
	Member int32
	// Giver had the partition before that step. It differs from From if the partition moved more than once; None for Placed.
	Giver int32
	// Loads of Giver and To before and after the step.
	GiverLoad, ToLoad [2]int64
}

// Reason is the objective that decided a move.
type Reason uint8

// The reasons.
const (
	Placed   Reason = iota + 1 // it had no owner that could keep it
	Joined                     // what is together with it is there
	Made                       // it made room for another one that only fits there within the limit
	Shed                       // Member had more than its share
	Swapped                    // the same, and Member got something lighter for it
	Chained                    // the same, and the receiver passed something on in turn
	Divided                    // the same, and all that the two have was divided anew
	Pulled                     // Member had less than its share
	Returned                   // it made room for one that returned to Member, which had it before
	Evened                     // internal/balance: as many for each member as its capacity allows
)

var reasons = [...]string{"unknown", "placed", "joined", "made room", "shed", "swapped", "chained", "divided", "pulled", "returned", "evened"}

func (r Reason) String() string {
	if int(r) >= len(reasons) {
		r = 0
	}
	return reasons[r]
}

// errProblem is wrapped by every error about a malformed problem that internal/balance does not find.
var errProblem = errors.New("weighted: malformed problem")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errProblem, fmt.Sprintf(format, args...))
}

// validate checks every index and sum that the solver relies on.
func (p *Problem) validate() error {
	if err := p.Validate(); err != nil {
		return err
	}
	total := p.Base(len(p.Partitions))
	if p.Limit < 0 {
		return malformed("limit %d is negative", p.Limit)
	}
	if p.Limits != nil && len(p.Limits) != p.Members {
		return malformed("%d limits of %d members", len(p.Limits), p.Members)
	}
	for m, n := range p.Limits {
		if n < 0 {
			return malformed("member %d has limit %d", m, n)
		}
	}
	if p.Together != nil && len(p.Together) != total {
		return malformed("%d keys of %d partitions", len(p.Together), total)
	}
	if p.Eligible != nil && len(p.Eligible) != total*p.Words() {
		return malformed("%d words of eligibility, %d partitions of %d", len(p.Eligible), total, p.Words())
	}
	if err := p.validateWeights(total); err != nil {
		return err
	}
	return p.validatePreference(total)
}

func (p *Problem) validateWeights(total int) error {
	if p.Weight == nil {
		return nil
	}
	if len(p.Weight) != total {
		return malformed("%d weights of %d partitions", len(p.Weight), total)
	}
	sum := int64(0)
	for i, w := range p.Weight {
		if w < 0 || w >= MaxWeight-sum {
			return malformed("partition %d weighs %d after %d in sum", i, w, sum)
		}
		sum += w
	}
	return nil
}

func (p *Problem) validatePreference(total int) error {
	if p.Prefer == nil {
		return nil
	}
	classes := len(p.Partitions)
	if p.PreferClass != nil {
		if len(p.PreferClass) != total {
			return malformed("%d classes of preference of %d partitions", len(p.PreferClass), total)
		}
		classes = 0
		for i, k := range p.PreferClass {
			if k < 0 || k >= math.MaxInt32/8 {
				return malformed("partition %d is of class %d of preference", i, k)
			}
			classes = max(classes, int(k)+1)
		}
	}
	if len(p.Prefer) < classes*p.Members {
		return malformed("%d scores, %d classes of %d members", len(p.Prefer), classes, p.Members)
	}
	for i, x := range p.Prefer {
		if x < -MaxScore || x > MaxScore {
			return malformed("score %d is %d", i, x)
		}
	}
	return nil
}

// weight of partition i.
func (p *Problem) weight(i int32) int64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[i]
}

// weighty is the problem without its weights if they are all 0.
func (p *Problem) weighty() *Problem {
	if len(p.Weight) == 0 || p.Weight[0] != 0 || !p.uniform() {
		return p
	}
	q := *p
	q.Weight = nil
	return &q
}

// limits is how many partitions each member may have, and whether that is a limit for anybody.
func (p *Problem) limits() (list []int32, limited bool) {
	if p.Limits != nil {
		return p.Limits, true
	}
	each := p.Limit
	if each == 0 {
		each = math.MaxInt32
	}
	return slices.Repeat([]int32{each}, p.Members), each < math.MaxInt32
}

// shares are the capacities, 0 also for who may have nothing. Nil: each is 1.
func (p *Problem) shares() []int32 {
	if !slices.Contains(p.Limits, 0) {
		return p.Capacity
	}
	list := slices.Clone(p.Capacity)
	if list == nil {
		list = slices.Repeat([]int32{1}, p.Members)
	}
	for m, most := range p.Limits {
		if most == 0 {
			list[m] = 0
		}
	}
	return list
}

// uniform tells whether all partitions weigh the same.
func (p *Problem) uniform() bool {
	for _, w := range p.Weight {
		if w != p.Weight[0] {
			return false
		}
	}
	return true
}

// owner of partition i as the problem says, None if that is no member.
func (p *Problem) owner(i int32) int32 {
	if p.Owner == nil || uint32(p.Owner[i]) >= uint32(p.Members) {
		return None
	}
	return p.Owner[i]
}
