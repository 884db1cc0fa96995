package handover_test

import (
	"context"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/handover"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// What is announced can be written along with whatever the assignor sends, and whatever the times are: without that the leader would have no plan, and
// leave the group, and the next one after it.
func TestAnnouncementCanBeWritten(t *testing.T) {
	for _, after := range []time.Duration{0, 1000 * time.Hour} {
		for less := range 60 {
			j := join(t, []member{{id: "a", owned: []int32{0, 1, 2, 3}}, {id: "b"}})
			g := j.Group("g", 5, "a", []strategy.Topic{{Name: "t", Partitions: 4}})
			a, err := strategy.Cooperative(sticky.Assignor{}).Assign(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			a.UserData = map[string][]byte{"a": make([]byte, protocol.MaxUserData-17-less), "b": make([]byte, protocol.MaxUserData-17-less)}
			hints := handover.Announce(j, g, &a, handover.Timing{After: after, Grace: after})
			if _, err := j.EncodeAssignments(5, &a, hints); err != nil {
				t.Errorf("%d bytes less than there is room for, after %v: %v", less, after, err)
			}
			if told := len(hints) == 2; told != (less >= 18) {
				t.Errorf("%d bytes less than there is room for: %d are told", less, len(hints))
			}
		}
	}
}
