package histories

import (
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// ownerChecker looks for two members that work on one partition and may both commit. In a strict world, for two that work on it at all.
type ownerChecker struct {
	silent
	owner map[strategy.TopicPartition]*Process
}

func (c *ownerChecker) after(w *World) error {
	if c.owner == nil {
		c.owner = map[strategy.TopicPartition]*Process{}
	}
	clear(c.owner)
	for _, p := range w.procs {
		if !p.alive || w.now < p.paused {
			continue
		}
		if !w.opts.Strict {
			id, generation, may := p.Machine.Identity()
			if m := w.coordinator(); !may || m == nil || !m.MayCommit(groupName, id, p.Instance, generation) {
				continue
			}
		}
		for _, tp := range p.Machine.Processing() {
			if other := c.owner[tp]; other != nil {
				return fmt.Errorf("%s and %s both work on %s-%d:\n  %s\n  %s", other.Name, p.Name, tp.Topic, tp.Partition, other.Machine.Describe(), p.Machine.Describe())
			}
			c.owner[tp] = p
		}
	}
	return nil
}
