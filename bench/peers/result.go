package main

import (
	"cmp"
	"fmt"
	"time"
)

// Status says what became of a peer on a group.
type Status string

// The statuses there are.
const (
	Valid    Status = "valid"     // every answer was right
	Invalid  Status = "invalid"   // an answer broke a rule
	Failed   Status = "failed"    // it returned an error
	Panicked Status = "panicked"  // it panicked, or took its process down
	Late     Status = "late"      // it did not answer in its time and was ended
	Memory   Status = "memory"    // it took more memory than it may and was ended
	Missing  Status = "missing"   // it could not be run here at all
	Unending Status = "unsettled" // cooperative: it went on withholding partitions
)

// A Result is what became of a peer on a group.
type Result struct {
	Library  string `json:"library"`
	Assignor string `json:"assignor"`
	Status   Status `json:"status"`
	Detail   string `json:"detail,omitempty"` // the first violation, the error, the reason

	// Of the calls that were timed.
	Calls    int           `json:"calls"`
	Distinct int           `json:"distinct"` // answers that differ, of one and the same group
	Took     time.Duration `json:"took_ns"`  // median
	Fastest  time.Duration `json:"fastest_ns"`
	Presumed bool          `json:"presumed,omitempty"` // late or out of memory on a smaller group, so not asked

	// Over all answers, those of cooperative peers after their last round.
	Min     float64 `json:"min"` // loads
	Max     float64 `json:"max"`
	Best    Quality `json:"best"`
	Worst   Quality `json:"worst"`
	Minimum int     `json:"voluntary_minimum"`
	Rounds  int     `json:"rounds"` // cooperative: until everything was handed out
}

// String names the peer.
func (r Result) String() string { return r.Library + "/" + r.Assignor }

// answered says whether there is an answer to speak about.
func (r *Result) answered() bool { return r.Calls > 0 }

// Quality is what this project minimizes, in this order.
type Quality struct {
	Regret    float64 `json:"regret"`    // Σ load² above the least there is
	Voluntary int     `json:"voluntary"` // partitions that a live owner, still subscribed, loses
}

func (q Quality) String() string {
	return fmt.Sprintf("ΣL² %s above the optimum with %d moves", number(q.Regret), q.Voluntary)
}

// compare is negative if q is better.
func (q Quality) compare(other Quality) int {
	return cmp.Or(cmp.Compare(q.Regret, other.Regret), cmp.Compare(q.Voluntary, other.Voluntary))
}

// A table is all results on one case, ours first.
type table struct {
	Case    Case     `json:"case"`
	Results []Result `json:"results"`
}

// report is the whole outcome.
type report struct {
	Limits   limits     `json:"limits"`
	Tables   []table    `json:"tables"`
	Summary  []standing `json:"grid,omitempty"` // of each peer, if the run was about the grid
	Verdicts []verdict  `json:"targets"`

	grid bool
}
