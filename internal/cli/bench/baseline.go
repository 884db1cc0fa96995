package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/input"
)

// A baseline is results by what they are of.
type baseline struct {
	name  string // of the file
	order []key  // as they came
	runs  map[key]map[uint64]bench.Total
}

// key is a workload under a strategy.
type key struct{ workload, strategy string }

func newBaseline() *baseline { return &baseline{runs: map[key]map[uint64]bench.Total{}} }

// add takes in a result, and says whether there was none of this seed.
func (b *baseline) add(k key, seed uint64, t bench.Total) bool {
	if b.runs[k] == nil {
		b.runs[k] = map[uint64]bench.Total{}
		b.order = append(b.order, k)
	}
	_, known := b.runs[k][seed]
	b.runs[k][seed] = t
	return !known
}

// seeds are those that both have of something.
func (b *baseline) seeds(other *baseline, k key) []uint64 {
	common := slices.Sorted(maps.Keys(b.runs[k]))
	return slices.DeleteFunc(common, func(seed uint64) bool {
		_, ok := other.runs[k][seed]
		return !ok
	})
}

// readBefore reads the file of --compare, nil if there is none.
func (o *options) readBefore() (*baseline, error) {
	if o.compare == "" {
		return nil, nil
	}
	src, err := input.Open(o.compare, o.io.In)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }() // it was only read
	limited, err := src.Limit(maxInput)
	if err != nil {
		return nil, err
	}
	return readBaseline(src.Name, limited)
}

// readBaseline reads what -o json has written. Fields that it does not know it passes over, as a later version may have written them.
func readBaseline(name string, in io.Reader) (*baseline, error) {
	b := newBaseline()
	b.name = name
	lines := input.NewLines(in, maxInput)
	for {
		text, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		fail := func(format string, args ...any) (*baseline, error) {
			return nil, fmt.Errorf("%s:%d: %w", name, lines.Number, fmt.Errorf(format, args...))
		}
		if err != nil {
			return fail("%w", err)
		}
		var r struct {
			Workload *string      `json:"workload"`
			Strategy *string      `json:"strategy"`
			Seed     *uint64      `json:"seed"`
			Total    *bench.Total `json:"total"`
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return fail("is not a line of bench -o json: %w", err)
		}
		switch {
		case r.Workload == nil || r.Strategy == nil || r.Seed == nil || r.Total == nil:
			return fail("is not a line of bench -o json: these have workload, strategy, seed and total")
		case !b.add(key{*r.Workload, *r.Strategy}, *r.Seed, *r.Total):
			return fail("%s, %s, seed %d is there a second time", *r.Workload, *r.Strategy, *r.Seed)
		}
	}
	if len(b.order) == 0 {
		return nil, fmt.Errorf("%s: there are no results in it", name)
	}
	return b, nil
}
