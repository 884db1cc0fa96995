package main

import (
	"slices"
	"time"
)

// A Run is what one run of a scenario has shown. Silences are in milliseconds, each the longest of one partition in one window.
type Run struct {
	Kept    []float64 `json:"kept"`              // of partitions that stayed where they were
	Moved   []float64 `json:"moved,omitempty"`   // of those that did not
	Apart   []float64 `json:"apart,omitempty"`   // of those that moved away from members that the scenario sets apart; not in Moved
	Waiting []float64 `json:"waiting,omitempty"` // of the one whose handler waits for its commits
	Control []float64 `json:"control"`           // of the reader outside the group: the longest of any partition in each window
	// Excess and MovedExcess are by how much the longest in Kept, and in Moved, is above that of the reader in the same window, at worst.
	Excess      float64 `json:"excess"`
	MovedExcess float64 `json:"moved_excess"`

	// Ownerless is for how long partitions were without deliveries for longer than any was for the reader in the same window, in
	// partition-seconds: only what is longer counts, of all partitions and windows.
	Ownerless float64 `json:"ownerless"`
	Rounds    int     `json:"rounds"` // generations that began in the windows

	Repeated    int `json:"repeated"`    // deliveries of records that had been delivered before
	Lost        int `json:"lost"`        // records that were never delivered
	Uncommitted int `json:"uncommitted"` // records whose offsets were not committed when all members had left

	Coordinator *Failover `json:"coordinator,omitempty"` // where it was killed
}

// A Failover is what members noticed of their coordinator's end, from then until they had settled.
type Failover struct {
	Failed    int           `json:"failed_commits"`
	Failures  []string      `json:"failures,omitempty"` // different ones, the first few
	Callbacks int           `json:"callbacks"`
	Before    int32         `json:"generation_before"`
	After     int32         `json:"generation_after"`
	Away      time.Duration `json:"away"` // until commits were accepted again
}

// roles are what is special about some of a scenario's members.
type roles struct {
	waits bool     // the handler of one partition waits for its commits
	apart []string // members whose partitions are counted apart when they move
}

// add adds a window. What was delivered to members and to the control reader is by partition.
func (r *Run) add(w window, members, control [][]delivery, special roles) {
	noise := longest(silences(control, w))
	var kept, moved float64
	for p, s := range silences(members, w) {
		switch {
		case special.waits && p == syncPartition:
			r.Waiting = append(r.Waiting, ms(s.longest))
		case s.moved && slices.Contains(special.apart, s.from):
			r.Apart = append(r.Apart, ms(s.longest))
		case s.moved:
			r.Moved = append(r.Moved, ms(s.longest))
			moved = max(moved, ms(s.longest))
		default:
			r.Kept = append(r.Kept, ms(s.longest))
			kept = max(kept, ms(s.longest))
		}
		r.Ownerless += beyond(members[p], w, noise).Seconds()
	}
	first := len(r.Control) == 0
	if excess := kept - ms(noise); first || excess > r.Excess {
		r.Excess = excess
	}
	if excess := moved - ms(noise); first || excess > r.MovedExcess {
		r.MovedExcess = excess
	}
	r.Control = append(r.Control, ms(noise))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// A Row is a scenario with one client.
type Row struct {
	Scenario string  `json:"scenario"`
	Brokers  int     `json:"brokers"`
	Client   string  `json:"client"`
	Commits  commits `json:"commits"`
	Runs     []Run   `json:"runs"`
	Problem  string  `json:"problem,omitempty"` // why there are no more runs
}

// collect puts a list of each run together.
func (r *Row) collect(of func(*Run) []float64) []float64 {
	var all []float64
	for i := range r.Runs {
		all = append(all, of(&r.Runs[i])...)
	}
	return all
}

// Lists of a run to collect.
func ofKept(r *Run) []float64    { return r.Kept }
func ofMoved(r *Run) []float64   { return r.Moved }
func ofApart(r *Run) []float64   { return r.Apart }
func ofControl(r *Run) []float64 { return r.Control }

// above collects a list of each run, with what the control reader waited for taken off. It is for scenarios of one window.
func (r *Row) above(of func(*Run) []float64) []float64 {
	return r.collect(func(run *Run) []float64 {
		var list []float64
		for _, silent := range of(run) {
			list = append(list, silent-run.Control[0])
		}
		return list
	})
}

// each returns a number of each run.
func (r *Row) each(of func(*Run) float64) []float64 {
	list := make([]float64, len(r.Runs))
	for i := range r.Runs {
		list[i] = of(&r.Runs[i])
	}
	return list
}

// sum adds up a number of each run.
func (r *Row) sum(of func(*Run) int) int {
	total := 0
	for i := range r.Runs {
		total += of(&r.Runs[i])
	}
	return total
}

// A Load is one way to read many records.
type Load struct {
	Client  string    `json:"client"`
	CPU     []float64 `json:"cpu"`  // nanoseconds a record, a number for each repeat
	Rate    []float64 `json:"rate"` // records a second
	Problem string    `json:"problem,omitempty"`
}

// A Report is all that was measured.
type Report struct {
	Settings settings  `json:"settings"`
	Deploys  settings  `json:"deploys"` // those of deploys
	Records  int       `json:"records"` // of a load
	Rows     []Row     `json:"rows"`
	Loads    []Load    `json:"loads"`
	Verdicts []Verdict `json:"verdicts"`
}

// median of a list that is not empty.
func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
