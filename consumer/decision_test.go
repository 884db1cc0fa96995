package consumer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// failing is an assignor that gives no answer.
type failing struct{ strategy.Assignor }

func (f failing) Unwrap() strategy.Assignor { return f.Assignor }

func (failing) Assign(context.Context, *strategy.Group) (strategy.Assignment, error) {
	return strategy.Assignment{}, errors.New("out of order")
}

// TestDecision has the leader's observer explain what the leader decided: by the assignor that answered, whichever was asked first. Others
// are told who leads.
func TestDecision(t *testing.T) {
	broken := failing{strategy.Cooperative(roundrobin.Assignor{})}
	for _, test := range []struct {
		name     string
		assignor strategy.Assignor
		answered string // [consumer.Decision.Assignor]
		explains string // [strategy.Explanation.Assignor]
		derived  bool
		notes    int // about failures
	}{
		{"the first", strategy.Cooperative(sticky.Assignor{}), "cooperative-sticky", "sticky", false, 0},
		{"the next", strategy.Fallback(broken, sticky.Assignor{}), "sticky", "sticky", false, 1},
		{"none", strategy.Fallback(broken, failing{sticky.Assignor{}}), "last resort", "last resort", true, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{5}})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.Assignors = []strategy.Assignor{test.assignor}
			a := start(t, "a", cfg, nil)
			a.waitOwned(4)
			b := start(t, "b", cfg, nil)
			var decided *consumer.Decision
			a.sees("a decision about both", func(e consumer.Event) bool {
				r, ok := e.(consumer.RebalanceEnded)
				if ok && r.Decision != nil && len(r.Decision.Group.Members) == 2 && decided == nil {
					decided = r.Decision
				}
				return decided != nil
			})
			b.sees("who leads", func(e consumer.Event) bool {
				r, ok := e.(consumer.RebalanceEnded)
				if ok && (r.Decision != nil || r.LeaderID == r.MemberID) {
					t.Errorf("%s decided: %+v", b.name, r)
				}
				return ok
			})
			if decided.Assignor != test.answered || len(decided.Failures) != test.notes {
				t.Errorf("%s decided, after %v", decided.Assignor, decided.Failures)
			}
			e, err := decided.Explain(t.Context(), strategy.TopicPartition{Topic: "orders", Partition: 3})
			if err != nil {
				t.Fatal(err)
			}
			notes := 0
			for _, n := range e.Notes {
				if strings.Contains(n, "out of order") {
					notes++
				}
			}
			if e.Assignor != test.explains || e.Derived != test.derived || notes != test.notes || e.Before == "" {
				t.Errorf("it is explained by %+v", e)
			}
			if want := []strategy.Fate{strategy.FateKept, strategy.FateWithheld}; !slices.Contains(want, e.Fate) || len(e.Members) != 2 {
				t.Errorf("it is %s among %d", e.Fate, len(e.Members))
			}
			var wrong *strategy.GroupError
			if _, err := decided.Explain(t.Context(), strategy.TopicPartition{Topic: "orders", Partition: 4}); !errors.As(err, &wrong) {
				t.Errorf("a partition that is not there is explained by %v", err)
			}
		})
	}
	if _, err := (&consumer.Decision{}).Explain(t.Context(), strategy.TopicPartition{}); err == nil {
		t.Error("an empty decision is explained")
	}
}
