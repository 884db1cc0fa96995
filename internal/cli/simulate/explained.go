package simulate

import (
	"context"

	why "github.com/assignkit/assignkit/internal/cli/explain"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// question is a partition to explain, nil for none.
type question struct{ of *strategy.TopicPartition }

// parse takes TOPIC:PARTITION.
func (q *question) parse(text string) error {
	of, err := why.ParsePartition(text)
	if err == nil {
		q.of = &of
	}
	return err
}

// explain tells why the partition is where it is after the last step, nil if nobody asks. a is nil for what was recorded.
func (q *question) explain(ctx context.Context, r *simulation.Result, a strategy.Assignor) (*why.Account, error) {
	if q.of == nil {
		return nil, nil
	}
	return why.Of(ctx, r, a, len(r.Steps)-1, *q.of)
}

// appendExplained writes what was asked about each strategy, below all else.
func (o *options) appendExplained(dst []byte, c *outcomes, paper output.Paper) []byte {
	for _, x := range c.explained {
		if x != nil {
			dst = x.Append(append(dst, '\n'), why.View{Paper: paper, Wide: o.format == output.Wide, Full: o.full})
		}
	}
	return dst
}
