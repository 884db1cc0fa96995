package main

import (
	"fmt"
	"slices"
)

// What is asked of this project's consumer when the coordinator dies, and where it reads.
const (
	mostFailover  = 200.0 // ms that a partition may be silent when the coordinator dies, unless it waits for a commit
	mostOfFranz   = 1.0   // processor time of the batch handler, relative to franz-go
	mostOfSaramas = 0.8   // processor time of the record handler, relative to Sarama's ConsumerGroup
)

// A Verdict says whether a target was reached.
type Verdict struct {
	Target   string `json:"target"`
	Outcome  string `json:"outcome"`
	Measured string `json:"measured"`
}

const (
	reached     = "reached"
	missed      = "missed"
	notMeasured = "not measured"
	tooBusy     = "not measured: the machine was too busy, as the control reader shows"
)

func verdict(target string, ok bool, format string, args ...any) Verdict {
	outcome, measured := judged(ok, format, args...)
	return Verdict{target, outcome, measured}
}

// judge says what was reached.
func judge(r *Report) []Verdict {
	list := append(r.judgeTargets(1), r.judgeTargets(3)...)
	list = append(list,
		r.judgeLoad("batch handler", "assignkit batches", "franz-go group", mostOfFranz),
		r.judgeLoad("record handler", "assignkit records", "sarama ConsumerGroup", mostOfSaramas))
	for _, how := range []commits{commitAuto, commitAsync, commitSync} {
		list = append(list, r.judgeFailover(how))
	}
	return list
}

// row finds what was measured of ours; a problem of it is a verdict already.
func (r *Report) row(target, scenario string, brokers int, how commits) (*Row, *Verdict) {
	i := slices.IndexFunc(r.Rows, func(row Row) bool {
		return row.Client == ours && row.Scenario == scenario && row.Brokers == brokers && row.Commits == how
	})
	switch {
	case i < 0:
		return nil, &Verdict{target, notMeasured, "not in this run"}
	case r.Rows[i].Problem != "":
		return nil, &Verdict{target, missed, r.Rows[i].Problem}
	}
	return &r.Rows[i], nil
}

func (r *Report) judgeLoad(what, of, against string, most float64) Verdict {
	target := fmt.Sprintf("%s: processor time of at most %.1f × %s", what, most, against)
	i := slices.IndexFunc(r.Loads, func(l Load) bool { return l.Client == of })
	if i >= 0 && r.Loads[i].Problem != "" {
		return Verdict{target, missed, r.Loads[i].Problem}
	}
	ratio, ok := r.ratio(of, against)
	if !ok {
		return Verdict{target, notMeasured, "not in this run"}
	}
	return verdict(target, ratio <= most, "%.2f ×, median of %d", ratio, len(r.Loads[i].CPU))
}

// ratio is the median of the ratios of two readers' processor times, each in the same round.
func (r *Report) ratio(of, against string) (float64, bool) {
	var a, b []float64
	for _, l := range r.Loads {
		switch l.Client {
		case of:
			a = l.CPU
		case against:
			b = l.CPU
		}
	}
	if of == against {
		b = a
	}
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios), true
}

func (r *Report) judgeFailover(how commits) Verdict {
	target := fmt.Sprintf("coordinator killed, %s commits: others silent for at most %.0f ms, every commit succeeds in the end, no callback, same generation", how, mostFailover)
	row, v := r.row(target, failoverName, failoverBrokers, how)
	if v != nil {
		return *v
	}
	silent := slices.Max(slices.Concat(row.collect(ofKept), row.collect(ofMoved)))
	failed, called, changed := 0, 0, 0
	for _, run := range row.Runs {
		failed += run.Coordinator.Failed + run.Uncommitted
		called += run.Coordinator.Callbacks
		if run.Coordinator.Before != run.Coordinator.After {
			changed++
		}
	}
	ok := silent <= mostFailover && failed+called+changed == 0
	result := verdict(target, ok, "%.0f ms (control %.0f ms), %d commits failed or missing, %d callbacks, generation changed in %d of %d runs",
		silent, slices.Max(row.collect(ofControl)), failed, called, changed, len(row.Runs))
	if excess := slices.Max(row.each(func(r *Run) float64 { return r.Excess })); !ok && failed+called+changed == 0 && excess <= mostExcess {
		result.Outcome = tooBusy // no client could have been faster
	}
	return result
}
