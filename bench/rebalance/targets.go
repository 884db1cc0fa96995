package main

import (
	"fmt"
	"slices"
)

// What is asked of this project's consumer when members come and go, in milliseconds but for the last.
const (
	mostExcess  = 20.0  // that a partition that stays may be silent for longer than the control reader
	midMoved    = 20.0  // the same of those that move, median
	mostMoved   = 100.0 // and at worst
	mostSlow    = 100.0 // that one may be silent for longer than its owner's callback takes
	mostBeside  = 150.0 // that one that moves may be silent for longer than the control reader, beside members of Java's
	mostOfPeers = 0.1   // partition-seconds without an owner in a deploy, relative to the best of the others
)

// A target is what is asked of ours in a scenario. The row that it judges has runs and no problem.
type target struct {
	says  string
	judge func(r *Report, row *Row) (outcome, measured string)
}

var staysFlow = target{
	fmt.Sprintf("partitions that stay are silent for at most %.0f ms longer than the control reader", mostExcess),
	func(_ *Report, row *Row) (string, string) {
		excess := slices.Max(row.each(func(r *Run) float64 { return r.Excess }))
		return judged(excess <= mostExcess, "%.0f ms, at worst of %s", excess, row.runs())
	},
}

var movesFlow = target{
	fmt.Sprintf("partitions that move are silent for at most %.0f ms longer than the control reader, median, and %.0f ms at worst", midMoved, mostMoved),
	func(_ *Report, row *Row) (string, string) {
		excess := row.above(ofMoved)
		if len(excess) == 0 {
			return missed, "nothing has moved"
		}
		mid, worst := median(excess), slices.Max(excess)
		return judged(mid <= midMoved && worst <= mostMoved, "%.0f ms, at worst %.0f ms, of %d in %s", mid, worst, len(excess), row.runs())
	},
}

var slowInTime = target{
	fmt.Sprintf("partitions of the slow one that move are silent for at most %.0f ms longer than its callback takes", mostSlow),
	func(r *Report, row *Row) (string, string) {
		silent := row.collect(ofApart)
		if len(silent) == 0 {
			return missed, "nothing of it has moved"
		}
		excess := slices.Max(silent) - float64(r.Settings.Slow.Milliseconds())
		return judged(excess <= mostSlow, "%.0f ms, at worst of %d in %s", excess, len(silent), row.runs())
	},
}

var besideFlow = target{
	fmt.Sprintf("partitions that move are silent for at most %.0f ms longer than the control reader", mostBeside),
	func(_ *Report, row *Row) (string, string) {
		mine, theirs := row.above(ofMoved), row.above(ofApart)
		all := slices.Concat(mine, theirs)
		if len(all) == 0 {
			return missed, "nothing has moved"
		}
		return judged(slices.Max(all) <= mostBeside, "from ours %s ms, from Java %s ms, median / worst, in %s", spread(mine), spread(theirs), row.runs())
	},
}

var deploysFlow = target{
	fmt.Sprintf("partition-seconds without an owner are at most %.1f × those of the best of the others", mostOfPeers),
	func(r *Report, row *Row) (string, string) {
		mine := slices.Max(row.each(ownerless))
		best, least := r.leastOwnerless(row.Scenario, row.Brokers)
		if best == nil {
			return notMeasured, fmt.Sprintf("%.1f; others are not in this run", mine)
		}
		where := ""
		if best.Brokers != row.Brokers {
			where = " on " + brokersText(best.Brokers)
		}
		return judged(mine <= mostOfPeers*least, "%.1f; %s has %.1f%s", mine, best.Client, least, where)
	},
}

var allOnce = target{
	"no record is delivered twice, none is lost",
	func(_ *Report, row *Row) (string, string) {
		again, never := row.sum(func(r *Run) int { return r.Repeated }), row.sum(func(r *Run) int { return r.Lost })
		return judged(again+never == 0, "%d twice, %d lost, in %s", again, never, row.runs())
	},
}

func judged(ok bool, format string, args ...any) (outcome, measured string) {
	if ok {
		return reached, fmt.Sprintf(format, args...)
	}
	return missed, fmt.Sprintf(format, args...)
}

func ownerless(r *Run) float64 { return r.Ownerless }

// leastOwnerless finds the other client that left partitions alone for the shortest time, on as many brokers, or on one where others were
// measured only there.
func (r *Report) leastOwnerless(scenario string, brokers int) (best *Row, least float64) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Client == ours || row.Scenario != scenario || row.Brokers != brokers || row.Problem != "" || len(row.Runs) == 0 {
			continue
		}
		if mine := slices.Min(row.each(ownerless)); best == nil || mine < least {
			best, least = row, mine
		}
	}
	if best == nil && brokers != 1 {
		return r.leastOwnerless(scenario, 1)
	}
	return best, least
}

// runs says how many there are.
func (r *Row) runs() string {
	if len(r.Runs) == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", len(r.Runs))
}

func brokersText(n int) string {
	if n == 1 {
		return "one broker"
	}
	return "three brokers"
}

// judgeTargets judges all targets of the scenarios on this many brokers. One of which something is missing in this run is not measured,
// unless a run has failed.
func (r *Report) judgeTargets(brokers int) []Verdict {
	var list []Verdict
	for i := range scenarios {
		sc := &scenarios[i]
		where := sc.name
		if brokers > 1 {
			where += ", " + brokersText(brokers)
		}
		for _, t := range sc.targets {
			v := Verdict{Target: where + ": " + t.says}
			row, problem := r.row(v.Target, sc.name, brokers, commitAuto)
			if problem != nil {
				v = *problem
			} else {
				v.Outcome, v.Measured = t.judge(r, row)
			}
			list = append(list, v)
		}
	}
	return list
}
