package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// A Writer writes lines. It is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
}

// NewWriter returns a Writer that gives each line to out in one call. Several processes may append to one file that each has opened with
// O_APPEND: their lines mix, and stay whole.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write writes a line. It sets what is Writer's to set, and keeps nothing of r. The error is that of out, or of a time beyond the year 9999.
func (w *Writer) Write(r *Rebalance) error {
	r.Version, r.Kind, r.Kept, r.Lost = Version, kind, r.kept(), r.lost()
	text, err := encode(r)
	if err != nil {
		return fmt.Errorf("trace: generation %d of group %q: %w", r.Generation, r.Group, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("trace: generation %d of group %q: %w", r.Generation, r.Group, err)
	}
	return nil
}

// line is a Rebalance with its group and answer, as they are written.
type line struct {
	*Rebalance

	Asked  json.RawMessage `json:"asked,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

func encode(r *Rebalance) ([]byte, error) {
	l := line{Rebalance: r}
	if r.Asked != nil {
		l.Asked = groupjson.AppendGroup(nil, r.Asked)
	}
	if r.Answer != nil {
		l.Answer = groupjson.AppendAnswer(nil, r.Answer)
	}
	return json.Marshal(l)
}

// Partitions are numbers by topic.
type Partitions []strategy.TopicPartitions

// MarshalJSON writes an object of topics, sorted.
func (p Partitions) MarshalJSON() ([]byte, error) { return groupjson.AppendPartitions(nil, p), nil }
