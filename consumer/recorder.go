package consumer

import (
	"io"

	"github.com/assignkit/assignkit/internal/trace"
)

// A recorder writes a line for each rebalance to [Config.Trace].
type recorder struct {
	driver *driver
	out    *trace.Writer // nil: none is wanted
}

func newRecorder(d *driver, out io.Writer) *recorder {
	if out == nil {
		return &recorder{driver: d}
	}
	return &recorder{driver: d, out: trace.NewWriter(out)}
}

// record writes a line, on the goroutine of the observer: where it goes to may be slow.
func (r *recorder) record(e *RebalanceEnded, calls []CallbackReturned, p *plan) {
	if r.out == nil {
		return
	}
	line := &trace.Rebalance{
		Time: e.Began.UTC(), Group: r.driver.cfg.Group, Generation: e.Generation, Assignor: e.Assignor, Mode: r.driver.machine.Protocol().String(),
		Reason: e.Reason, Member: e.MemberID, Instance: r.driver.cfg.InstanceID, Leader: e.Leader, LeaderID: e.LeaderID, JoinedMS: trace.Milliseconds(e.Joined), TookMS: trace.Milliseconds(e.Took),
		Assigned: e.Assigned, Added: e.Added, Removed: e.Removed,
	}
	for _, c := range calls {
		call := trace.Callback{Callback: c.Callback, Partitions: c.Partitions, MS: trace.Milliseconds(c.Took)}
		if c.Err != nil {
			call.Error = c.Err.Error()
		}
		line.Callbacks = append(line.Callbacks, call)
	}
	r.driver.events.add(func() {
		if p != nil {
			line.SetPlan(p.group, &p.assignment, p.took)
			line.Spec = p.decided
			for _, f := range p.failures {
				line.Failures = append(line.Failures, trace.Failure{Assignor: f.Assignor, Cause: string(f.Cause), Error: f.Err.Error()})
			}
		}
		if err := r.out.Write(line); err != nil {
			r.driver.log.Error("a rebalance is not recorded", "error", err)
		}
	})
}
