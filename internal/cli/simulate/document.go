package simulate

import (
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// chunk is how large the pieces are that a document is built of, at least. A single buffer would be copied each time it grows.
const chunk = 4 << 20

// A document is JSON in pieces that are not copied any more.
type document struct {
	full    [][]byte
	last    []byte
	began   int                // where the last step begins in last
	written map[string]written // what each member had last, and how that was written
}

// written is a member's list as it stands in the document. From step to step most members keep theirs, and share its memory.
type written struct {
	list []strategy.TopicPartitions
	text []byte
}

// roll begins a step. It starts a new piece unless another step as large as the one before has room in the last one.
func (d *document) roll() {
	size := len(d.last) - d.began
	if len(d.last)+size > cap(d.last) {
		if len(d.last) > 0 {
			d.full = append(d.full, d.last)
		}
		d.last = make([]byte, 0, max(chunk, size+size/8))
	}
	d.began = len(d.last)
}

func (d *document) pieces() [][]byte { return append(d.full, d.last) }

// assignment appends the object of members. It is [groupjson.AppendAssignment], but writes only what has changed since the step before.
func (d *document) assignment(members map[string][]strategy.TopicPartitions) {
	d.last = append(d.last, '{')
	for i, id := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			d.last = append(d.last, ',')
		}
		list := members[id]
		if w := d.written[id]; len(list) > 0 && len(list) == len(w.list) && &list[0] == &w.list[0] {
			d.last = append(d.last, w.text...)
			continue
		}
		from := len(d.last)
		d.last = append(groupjson.AppendString(d.last, id), ':')
		d.last = groupjson.AppendPartitions(d.last, list)
		d.written[id] = written{list: list, text: d.last[from:]}
	}
	d.last = append(d.last, '}')
}
