// Package trace is the record of rebalances that a consumer writes and other commands read: JSON, one object a line, versioned.
// docs/traces.md has the format, field by field.
//
// Every member writes a line for every generation that it was part of. The line of the generation's leader has the group as its assignor was
// asked and what it answered, in the notation of groupjson, so that it can be asked again. User data is not recorded; labels are.
//
// What belongs here: the lines, writing and reading them. What they make together, the history of a group, is for package replay.
package trace

import (
	"errors"
	"slices"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Version is that of the lines that are written. Readers take it and no other; they pass over fields that they do not know.
const Version = 1

// kind is of lines about rebalances.
const kind = "rebalance"

// A Rebalance is a line: what one member saw of one rebalance.
type Rebalance struct {
	Version int    `json:"v"` // set by Writer
	Kind    string `json:"kind"`

	Time       time.Time `json:"time"` // of its beginning
	Group      string    `json:"group"`
	Generation int32     `json:"generation"`
	Assignor   string    `json:"assignor"`       // the name on the wire
	Mode       string    `json:"mode,omitempty"` // eager or cooperative, "" if it is not known
	Reason     string    `json:"reason"`         // as far as the member knew
	Member     string    `json:"member"`         // who wrote the line
	Instance   string    `json:"instance,omitempty"`
	Leader     bool      `json:"leader"`              // the member's assignor decided
	LeaderID   string    `json:"leader_id,omitempty"` // whose did, "" if it is not known

	JoinedMS float64 `json:"joined_ms"` // until the assignment was received
	TookMS   float64 `json:"took_ms"`   // until the callbacks had returned

	Assigned  Partitions `json:"assigned"`
	Added     Partitions `json:"added"`
	Removed   Partitions `json:"removed"` // revoked and lost
	Kept      Partitions `json:"kept"`    // set by Writer: assigned and not added
	Lost      Partitions `json:"lost"`    // set by Writer: those of the callbacks of that name
	Callbacks []Callback `json:"callbacks,omitempty"`

	// Of the leader only.
	Spec     string    `json:"strategy,omitempty"` // what decided, as it was specified, or its name; "" if the name on the wire says it
	AssignMS float64   `json:"assign_ms,omitempty"`
	Failures []Failure `json:"failures,omitempty"`

	// Asked is the group as the leader's assignor was asked, without user data; nil in a line of another member. Answer is what
	// it said; nil if it failed.
	Asked  *strategy.Group      `json:"-"`
	Answer *strategy.Assignment `json:"-"`
}

// A Callback is one call of the application.
type Callback struct {
	Callback   string     `json:"callback"` // assign, revoke, lost
	Partitions Partitions `json:"partitions"`
	MS         float64    `json:"ms"`
	Error      string     `json:"error,omitempty"`
}

// A Failure is an assignor whose answer was not used, see [strategy.Failure].
type Failure struct {
	Assignor string `json:"assignor"`
	Cause    string `json:"cause"`
	Error    string `json:"error,omitempty"`
}

// Milliseconds is a time as lines have it.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// SetPlan records what the leader's assignor was asked and what it answered, which must not change until the line is written.
func (r *Rebalance) SetPlan(g *strategy.Group, a *strategy.Assignment, took time.Duration) {
	r.Asked, r.Answer, r.AssignMS = g, a, Milliseconds(took)
}

// ErrNotLeader is of a line that does not have the group, as another member's assignor was asked.
var ErrNotLeader = errors.New("only the line of the leader has the group")

// Strategy returns the group as it was when the leader's assignor was asked, or [ErrNotLeader].
func (r *Rebalance) Strategy() (*strategy.Group, error) {
	if r.Asked == nil {
		return nil, ErrNotLeader
	}
	return r.Asked, nil
}

// kept returns what is assigned and has not been added.
func (r *Rebalance) kept() Partitions {
	type partition = strategy.TopicPartition
	added := map[partition]bool{}
	for _, tp := range r.Added {
		for _, p := range tp.Partitions {
			added[partition{Topic: tp.Topic, Partition: p}] = true
		}
	}
	var kept Partitions
	for _, tp := range r.Assigned {
		numbers := slices.DeleteFunc(slices.Clone(tp.Partitions), func(p int32) bool { return added[partition{Topic: tp.Topic, Partition: p}] })
		if len(numbers) > 0 {
			kept = append(kept, strategy.TopicPartitions{Topic: tp.Topic, Partitions: numbers})
		}
	}
	return kept
}

// lost returns what callbacks were told is lost.
func (r *Rebalance) lost() Partitions {
	var lost Partitions
	for i := range r.Callbacks {
		if c := &r.Callbacks[i]; c.Callback == "lost" {
			lost = append(lost, c.Partitions...)
		}
	}
	return lost
}
