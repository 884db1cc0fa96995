package histories

import (
	"fmt"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/strategy"
)

// offsetChecker checks that committed offsets never go back, but where the application rewinds, the partition is another one of that name,
// or a commit is carried out that its own member abandoned with a connection, or made for the topic before. [World.Unsettled] demands that this
// be mended.
type offsetChecker struct {
	silent
	read int // records of the log
	last map[strategy.TopicPartition]stored
}

type stored struct {
	offset int64
	source source
}

func newOffsetChecker() *offsetChecker {
	return &offsetChecker{last: map[strategy.TopicPartition]stored{}}
}

func (c *offsetChecker) after(w *World) error {
	for ; c.read < len(w.log); c.read++ {
		switch r := w.log[c.read].(type) {
		case coordinator.GroupRecord:
			if r.Deleted {
				clear(c.last)
			}
		case coordinator.OffsetRecord:
			from := w.sources[c.read]
			from.late = from.stray(w, r.Topic)
			if err := c.record(&r, from); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *offsetChecker) record(r *coordinator.OffsetRecord, from source) error {
	tp, before := r.TopicPartition, c.last[r.TopicPartition]
	if r.Deleted {
		delete(c.last, tp)
		return nil
	}
	c.last[tp] = stored{r.Offset.Offset, from}
	mended := before.source.late || from.late
	switch to, rewound := from.p.app.rewinds[tp]; {
	case r.Offset.Offset >= before.offset:
	case mended && before.source.p == from.p:
	case rewound && r.Offset.Offset >= to.offset:
	default:
		return fmt.Errorf("the offset of %s-%d goes back from %d to %d", tp.Topic, tp.Partition, before.offset, r.Offset.Offset)
	}
	return nil
}

// at is what is stored of a partition.
func (c *offsetChecker) at(w *World, tp strategy.TopicPartition) int64 {
	_ = c.after(w)
	return c.last[tp].offset
}
