package metrics

import (
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// A progress is how far a partition had come, and since when.
type progress struct {
	position int64
	at       time.Time
}

// follow notes which partitions have moved on since metrics were read before. One with nothing left to process counts as such: otherwise
// the first record after a quiet night would look as if it had waited since the evening. A clock read for every record would be exact,
// and cost more than many a handler.
func follow(before map[strategy.TopicPartition]progress, s *consumer.Stats, now time.Time) map[strategy.TopicPartition]progress {
	after := make(map[strategy.TopicPartition]progress, len(s.Partitions))
	for i := range s.Partitions {
		p := &s.Partitions[i]
		lag, known := p.Lag()
		last, seen := before[p.Partition]
		if seen && last.position == p.Position && (!known || lag > 0) {
			after[p.Partition] = last
			continue
		}
		after[p.Partition] = progress{position: p.Position, at: now}
	}
	return after
}
