package histories

import (
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// callbackChecker checks that callbacks are serial, never empty, and paired: each Assign of a partition with one Revoke or Lost.
type callbackChecker struct {
	procs map[*Process]*paired
}

type paired struct {
	running bool
	state   map[strategy.TopicPartition]membership.Kind // Assign: had one; Revoke or Lost: in one that runs; none: not announced
}

func (c *callbackChecker) of(p *Process) *paired {
	if c.procs == nil {
		c.procs = map[*Process]*paired{}
	}
	if c.procs[p] == nil {
		c.procs[p] = &paired{state: map[strategy.TopicPartition]membership.Kind{}}
	}
	return c.procs[p]
}

func (c *callbackChecker) begun(p *Process, call *membership.Callback) error {
	s := c.of(p)
	if s.running {
		return fmt.Errorf("%s: %v while another callback runs", p.Name, call.Kind)
	}
	s.running = true
	if call.Kind == membership.Lost && p.w.opts.Strict {
		return fmt.Errorf("%s: lost %s, though nothing went wrong", p.Name, membership.DescribePartitions(call.Partitions))
	}
	if call.Kind == membership.Lost && call.Generation == strategy.NoGeneration {
		return fmt.Errorf("%s: lost %s, and in no generation", p.Name, membership.DescribePartitions(call.Partitions))
	}
	for _, tp := range call.Gone {
		if !slices.Contains(call.Partitions, tp) {
			return fmt.Errorf("%s: %s-%d is gone, and not among %s", p.Name, tp.Topic, tp.Partition, membership.DescribePartitions(call.Partitions))
		}
	}
	if len(call.Partitions) == 0 {
		return fmt.Errorf("%s: %v of nothing", p.Name, call.Kind)
	}
	for _, tp := range call.Partitions {
		was := s.state[tp]
		if call.Kind == membership.Assign && was != 0 || call.Kind != membership.Assign && was != membership.Assign {
			return fmt.Errorf("%s: %v of %s-%d after %v", p.Name, call.Kind, tp.Topic, tp.Partition, was)
		}
		if p.app.delivered[tp] {
			return fmt.Errorf("%s: %v of %s-%d, which is still delivered", p.Name, call.Kind, tp.Topic, tp.Partition)
		}
		s.state[tp] = call.Kind
	}
	return nil
}

func (c *callbackChecker) ended(p *Process, call *membership.Callback) error {
	s := c.of(p)
	s.running = false
	for _, tp := range call.Partitions {
		if call.Kind != membership.Assign {
			delete(s.state, tp)
		}
	}
	return nil
}

func (c *callbackChecker) started(p *Process, tp strategy.TopicPartition) error {
	s := c.of(p)
	if s.state[tp] != membership.Assign {
		return fmt.Errorf("%s: %s-%d is delivered after %v", p.Name, tp.Topic, tp.Partition, s.state[tp])
	}
	return nil
}

func (c *callbackChecker) after(*World) error {
	for p, s := range c.procs {
		if p.ended != nil && (s.running || len(s.state) > 0) {
			return fmt.Errorf("%s ended, and %d partitions had neither Revoke nor Lost", p.Name, len(s.state))
		}
		if !p.alive {
			delete(c.procs, p)
		}
	}
	return nil
}
