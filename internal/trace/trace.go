// Package trace is the record of rebalances that a consumer writes and other commands read: JSON, one object a line, versioned.
//
// Every member writes a line for every generation that it was part of. The line of the generation's leader has the group as its assignor was
// asked and what it answered, in the notation of groupjson, so that it can be asked again. User data is not recorded; labels are.
package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// Version is that of the lines that are written. Readers take it and no other; they pass over fields that they do not know.
const Version = 1

// kind is of lines about rebalances.
const kind = "rebalance"

// maxLine is the longest line that is read.
const maxLine = 64 << 20

// A Rebalance is a line: what one member saw of one rebalance.
type Rebalance struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"`

	Time       time.Time `json:"time"` // of its beginning
	Group      string    `json:"group"`
	Generation int32     `json:"generation"`
	Assignor   string    `json:"assignor"` // the name on the wire
	Reason     string    `json:"reason"`   // as far as the member knew
	Member     string    `json:"member"`   // who wrote the line
	Instance   string    `json:"instance,omitempty"`
	Leader     bool      `json:"leader"`

	JoinedMS float64 `json:"joined_ms"` // until the assignment was received
	TookMS   float64 `json:"took_ms"`   // until the callbacks had returned

	Assigned  Partitions `json:"assigned"`
	Added     Partitions `json:"added"`
	Removed   Partitions `json:"removed"`
	Callbacks []Callback `json:"callbacks,omitempty"`

	// Of the leader only.
	Asked    json.RawMessage `json:"asked,omitempty"`  // the group, see groupjson.Decode
	Answer   json.RawMessage `json:"answer,omitempty"` // see groupjson.AppendAnswer
	AssignMS float64         `json:"assign_ms,omitempty"`
}

// A Callback is one call of the application.
type Callback struct {
	Callback   string     `json:"callback"` // assign, revoke, lost
	Partitions Partitions `json:"partitions"`
	MS         float64    `json:"ms"`
	Error      string     `json:"error,omitempty"`
}

// Partitions are numbers by topic.
type Partitions []strategy.TopicPartitions

// MarshalJSON writes an object of topics.
func (p Partitions) MarshalJSON() ([]byte, error) { return groupjson.AppendPartitions(nil, p), nil }

// UnmarshalJSON reads one.
func (p *Partitions) UnmarshalJSON(text []byte) error {
	var byTopic map[string][]int32
	if err := json.Unmarshal(text, &byTopic); err != nil {
		return err
	}
	*p = nil
	for _, topic := range slices.Sorted(maps.Keys(byTopic)) {
		*p = append(*p, strategy.TopicPartitions{Topic: topic, Partitions: byTopic[topic]})
	}
	return nil
}

// Milliseconds is a time as lines have it.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// SetPlan records what the leader's assignor was asked and what it answered.
func (r *Rebalance) SetPlan(g *strategy.Group, a *strategy.Assignment, took time.Duration) {
	r.Asked, r.Answer, r.AssignMS = groupjson.AppendGroup(nil, g), groupjson.AppendAnswer(nil, a), Milliseconds(took)
}

// Strategy returns the group as it was when the leader's assignor was asked, nil for a line that is not the leader's.
func (r *Rebalance) Strategy() (*strategy.Group, error) {
	if len(r.Asked) == 0 {
		return nil, nil
	}
	g, err := groupjson.Decode(r.Asked)
	if err != nil {
		return nil, err
	}
	g.Name, g.Generation = r.Group, r.Generation
	if r.Leader {
		g.Leader = r.Member
	}
	return g, nil
}

// A Writer writes lines. It is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
}

// NewWriter returns a Writer that gives each line to out in one call, so that several processes can append to one file.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write writes a line. It sets the version and the kind.
func (w *Writer) Write(r *Rebalance) error {
	r.Version, r.Kind = Version, kind
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// An Error says which line of a trace is none.
type Error struct {
	File string
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrVersion is of a line whose version is not known.
var ErrVersion = errors.New("the version of this line is not known")

// Read returns the lines of a trace. It ends with the first error, which is an [*Error]. Empty lines and lines of another kind are passed
// over.
func Read(file string, in io.Reader) iter.Seq2[*Rebalance, error] {
	return func(yield func(*Rebalance, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		number := 0
		for lines.Scan() {
			number++
			r, err := read(lines.Bytes())
			if err != nil {
				yield(nil, &Error{File: file, Line: number, Err: err})
				return
			}
			if r != nil && !yield(r, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, &Error{File: file, Line: number + 1, Err: err})
		}
	}
}

func read(line []byte) (*Rebalance, error) {
	if len(line) == 0 {
		return nil, nil
	}
	var head struct {
		Version *int   `json:"v"`
		Kind    string `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("is no line of a trace: %w", err)
	}
	switch {
	case head.Version == nil:
		return nil, errors.New(`is no line of a trace: there is no "v"`)
	case *head.Version != Version:
		return nil, fmt.Errorf("%w: it is %d, and not %d", ErrVersion, *head.Version, Version)
	case head.Kind != kind:
		return nil, nil
	}
	r := &Rebalance{}
	if err := json.Unmarshal(line, r); err != nil {
		return nil, fmt.Errorf("is no line of a trace: %w", err)
	}
	return r, nil
}
