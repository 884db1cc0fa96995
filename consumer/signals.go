package consumer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Signals is how it is measured what assignors look at, see [strategy.SignalUser]. The member that leads the group measures, and only
// what the assignor looks at that the group uses; where it looks at nothing, nothing is done. The consumer measures by itself, of partitions,
//
//   - [strategy.SignalLag]: offsets from what the group has committed to the end of the log, of which only committed records count where only
//     these are read. Of a partition of which nothing is committed, from where [Config.Start] has it begin: the whole log by default;
//   - [strategy.SignalRate]: offsets that came in a second, since the measurement before.
//
// Members tell [strategy.SignalUptime] by themselves, where one of their own assignors looks at it.
//
// No plan waits for a measurement longer than Timeout. What is not known by then the assignor does not see, and decides without, which is told
// as [SignalMissing]. The rounds of one rebalance see the same numbers, while these are not older than MaxAge.
//
// While the group is at peace, the leader tries after each measurement what the assignor would answer now. If that moves a partition, two
// times in a row, it asks the group for a rebalance; so what is worth a rebalance is up to the assignor. A change of
// [strategy.SignalActive] need not show twice. For each try, Assign is called with the group as it is by then, and nobody is told the answer. If
// it does not return in its time, nothing more is tried until the group is assigned anew.
type Signals struct {
	// Measure has the application's own signals. One with the name "lag" or "rate" is measured in place of the consumer's.
	Measure []Signal
	// Interval is the time between two measurements. 0: 30 s
	Interval time.Duration
	// Timeout is how long a plan waits for a measurement at most, if what was measured before does not do. 0: 1 s, or a sixth of
	// RebalanceTimeout if that is less.
	Timeout time.Duration
	// MaxAge is how old a measurement may be to be used. 0: twice Interval
	MaxAge time.Duration
	// HoldDown is the least time between two rebalances that this member asks for because of signals. 0: 5 min. Negative: it asks for none, and
	// signals only count when the group rebalances anyway. After each that is not followed by a try that moves nothing it is twice as long as
	// before, up to 64 times.
	HoldDown time.Duration
}

// A Signal is one that the application measures, by one of two functions. The member that leads calls it, and never concurrently with itself, on
// a goroutine of its own, when a plan needs it and after each Interval. ctx ends when the answer would come too late, or is not needed
// any more; a function that does not return then is not called again until it does. Errors, panics and answers that make no sense
// are told as [SignalTrouble], and the last good answer is used as long as it is not too old. Members of one process that share a function may
// call it at the same time.
type Signal struct {
	Name string // as assignors know it, such as [strategy.SignalActive]

	// Partitions returns a number for each partition, by topic. Topics that are left out go without the signal. Numbers are finite.
	Partitions func(ctx context.Context, topics []strategy.Topic) (map[string][]float64, error)
	// Members returns a number for each member, by its ID. Members that are left out go without the signal. Numbers are finite.
	Members func(ctx context.Context, members []strategy.Member) (map[string]float64, error)
}

// measureTime is how long a measurement may take at most.
const measureTime = 10 * time.Second

// validate fills defaults in, for a group whose members wait for a plan for so long.
func (s *Signals) validate(rebalance time.Duration) error {
	var errs []error
	seen := map[string]bool{}
	for i, m := range s.Measure {
		switch {
		case m.Name == "":
			errs = append(errs, fmt.Errorf("consumer: Signals.Measure[%d] has no name", i))
		case seen[m.Name]:
			errs = append(errs, fmt.Errorf("consumer: Signals.Measure has two signals with the name %q", m.Name))
		case m.Name == strategy.SignalUptime:
			errs = append(errs, fmt.Errorf("consumer: Signals.Measure: members tell %q by themselves; give the signal another name", m.Name))
		case (m.Partitions == nil) == (m.Members == nil):
			errs = append(errs, fmt.Errorf("consumer: Signals.Measure: %q needs one of Partitions and Members", m.Name))
		case m.Members != nil && (m.Name == strategy.SignalLag || m.Name == strategy.SignalRate || m.Name == strategy.SignalActive):
			errs = append(errs, fmt.Errorf("consumer: Signals.Measure: %q is of partitions, and would not be measured of them; give the signal of members another name", m.Name))
		}
		seen[m.Name] = true
	}
	if s.Interval == 0 {
		s.Interval = 30 * time.Second
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{{"Interval", &s.Interval, 0}, {"Timeout", &s.Timeout, max(time.Millisecond, min(time.Second, rebalance/6))}, {"MaxAge", &s.MaxAge, s.Interval + min(s.Interval, math.MaxInt64-s.Interval)}} {
		if *d.value == 0 {
			*d.value = d.zero
		}
		if *d.value < time.Millisecond {
			errs = append(errs, fmt.Errorf("consumer: Signals.%s is %v; the least is %v", d.name, *d.value, time.Millisecond))
		}
	}
	if s.HoldDown == 0 {
		s.HoldDown = 5 * time.Minute
	}
	return errors.Join(errs...)
}

// patience is how long a measurement may take: one at a time.
func (s *Signals) patience() time.Duration { return max(s.Timeout, min(s.Interval, measureTime)) }
