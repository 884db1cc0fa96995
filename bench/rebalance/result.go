package main

import (
	"slices"
	"time"
)

// A Run is what one run of a scenario has shown. Silences are in milliseconds, each the longest of one partition in one window.
type Run struct {
	Kept    []float64 `json:"kept"`              // of partitions that stayed where they were
	Moved   []float64 `json:"moved,omitempty"`   // of those that did not
	Waiting []float64 `json:"waiting,omitempty"` // of the one whose handler waits for its commits
	Control []float64 `json:"control"`           // of the reader outside the group: the longest of any partition in each window
	Excess  float64   `json:"excess"`            // the longest in Kept above that of the reader in the same window, at worst

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

// add adds a window. With waits, one partition waits for its commits.
func (r *Run) add(members, control []silence, waits bool) {
	noise := ms(longest(control))
	var kept float64
	for p, s := range members {
		switch {
		case waits && p == syncPartition:
			r.Waiting = append(r.Waiting, ms(s.longest))
		case s.moved:
			r.Moved = append(r.Moved, ms(s.longest))
		default:
			r.Kept = append(r.Kept, ms(s.longest))
			kept = max(kept, ms(s.longest))
		}
	}
	excess := kept - noise
	if len(r.Control) == 0 || excess > r.Excess {
		r.Excess = excess
	}
	r.Control = append(r.Control, noise)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// A Row is a scenario with one client.
type Row struct {
	Scenario string  `json:"scenario"`
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

// sum adds up a number of each run.
func (r *Row) sum(of func(*Run) int) int {
	total := 0
	for i := range r.Runs {
		total += of(&r.Runs[i])
	}
	return total
}

// worst is the greatest of a number of each run.
func (r *Row) worst(of func(*Run) float64) float64 {
	var list []float64
	for i := range r.Runs {
		list = append(list, of(&r.Runs[i]))
	}
	return slices.Max(list)
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
	Repeats  int       `json:"repeats"`
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
