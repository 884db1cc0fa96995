package signals

import (
	"slices"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Lag is how many records a group has before it that reads on at next, in a log that ends at end. Offsets beyond the end, as after a log
// was truncated, have none.
func Lag(end, next int64) float64 { return float64(max(0, end-next)) }

// Rates makes rates of the offsets at which logs end.
type Rates struct {
	span   time.Duration
	topics map[string][]ends
}

// ends are where a log ended at two times, the older one at least the span before the other.
type ends struct{ old, recent end }

type end struct {
	offset int64
	at     Time
	known  bool
}

// NewRates returns one that has seen nothing. A rate is over span at least: one over a moment is noise.
func NewRates(span time.Duration) *Rates { return &Rates{span: span, topics: map[string][]ends{}} }

// Narrow forgets topics that are not among these, and partitions that they do not have.
func (r *Rates) Narrow(topics []strategy.Topic) {
	scope := Scope{Topics: topics}
	counts := scope.counts()
	for name, list := range r.topics {
		if n := int(counts[name]); n == 0 {
			delete(r.topics, name)
		} else if n < len(list) {
			r.topics[name] = slices.Clone(list[:n])
		}
	}
	for name, n := range counts {
		if list := r.topics[name]; int(n) > len(list) {
			r.topics[name] = append(slices.Clone(list), make([]ends, int(n)-len(list))...)
		}
	}
}

// Add takes where a log ends now, and returns how many records a second came since the latest time that is long enough ago. There is none at
// first, and none for a log that has become shorter, as that of a topic that was made anew. Partitions that [Rates.Narrow] was not told of
// are passed over.
func (r *Rates) Add(now Time, p strategy.TopicPartition, offset int64) (rate float64, ok bool) {
	list := r.topics[p.Topic]
	if p.Partition < 0 || int(p.Partition) >= len(list) {
		return 0, false
	}
	e := &list[p.Partition]
	this := end{offset, now, true}
	if e.recent.known && offset < e.recent.offset {
		*e = ends{recent: this}
		return 0, false
	}
	base := e.old
	if e.recent.known && now-e.recent.at >= r.span {
		base = e.recent
	}
	if !e.recent.known {
		e.recent = this
	} else if now-e.recent.at >= r.span {
		e.old, e.recent = e.recent, this
	}
	if !base.known || now <= base.at {
		return 0, false
	}
	return float64(offset-base.offset) / (now - base.at).Seconds(), true
}
