package consumer

import (
	"context"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/signals"
	"github.com/assignkit/assignkit/strategy"
)

// TestReturnsAsItIsGivenUp has a function return in the moment in which it is given up. It is called the next time.
func TestReturnsAsItIsGivenUp(t *testing.T) {
	calls := 0
	cfg := &Config{Signals: Signals{Interval: time.Hour, MaxAge: time.Hour, Measure: []Signal{{
		Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
			calls++
			return map[string][]float64{"orders": {1}}, nil
		},
	}}}}
	m := newMeasures(&driver{cfg: cfg, began: time.Now()})
	scope := signals.Scope{OfPartitions: []string{"mood"}, Topics: []strategy.Topic{{Name: "orders", Partitions: 1}}}
	m.narrow(scope)
	own := m.own["mood"]
	own.overdue.Store(true) // which was noted when it had just returned
	if err := m.askOwn(t.Context(), own, &scope); err != nil || calls != 1 {
		t.Errorf("it was called %d times: %v", calls, err)
	}
	m.working.Wait()
}
