package histories

import (
	"fmt"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/strategy"
)

// offsetChecker checks that committed offsets never go back.
type offsetChecker struct {
	silent
	read int // records of the log
	high map[strategy.TopicPartition]int64
}

func newOffsetChecker() *offsetChecker {
	return &offsetChecker{high: map[strategy.TopicPartition]int64{}}
}

func (c *offsetChecker) after(w *World) error {
	for ; c.read < len(w.log); c.read++ {
		o, ok := w.log[c.read].(coordinator.OffsetRecord)
		if !ok {
			continue
		}
		if before := c.high[o.TopicPartition]; o.Offset.Offset < before {
			return fmt.Errorf("the offset of %s-%d goes back from %d to %d", o.Topic, o.Partition, before, o.Offset.Offset)
		}
		c.high[o.TopicPartition] = o.Offset.Offset
	}
	return nil
}

func (c *offsetChecker) at(w *World, tp strategy.TopicPartition) int64 {
	_ = c.after(w)
	return c.high[tp]
}
