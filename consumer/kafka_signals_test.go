//go:build kafka

package consumer_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// TestKafkaSignals has a group that goes by lag, and by a label for capacity that only two of its members send, as the third is of a version
// that did not. One partition falls behind until the group rebalances by itself.
func TestKafkaSignals(t *testing.T) {
	c := startKafka(t, kafkatest.Config{})
	const topic, n = "signals", 12
	c.Create(t, topic, n)
	var told logged
	logger := slog.New(slog.NewTextHandler(&told, nil))
	labels := map[string]map[string]string{"one": {"cpu": "2"}, "two": nil, "three": {"cpu": "1"}}
	var members []*member
	for _, name := range []string{"one", "two", "three"} {
		byLag, err := rules.New(rules.Config{Name: "by-lag", Weight: `partition.lag + 1`, Capacity: `number(member.labels, "cpu", 1)`, Logger: logger})
		if err != nil {
			t.Fatal(err)
		}
		cfg := named(c, name, topic, topic)
		cfg.Assignors = []strategy.Assignor{strategy.Cooperative(byLag)}
		cfg.Labels = labels[name]
		cfg.Signals = consumer.Signals{Interval: 200 * time.Millisecond, MaxAge: 30 * time.Second, HoldDown: time.Hour}
		members = append(members, start(t, name, cfg, func(_ context.Context, m *consumer.Message) error {
			if m.Partition == 0 {
				time.Sleep(20 * time.Millisecond) // and falls behind
			}
			return nil
		}))
	}
	shares := func(what string, is func(counts map[string]int, slow string) bool) {
		t.Helper()
		eventually(t, what, func() (string, bool) {
			of, owners, err := c.members(topic)
			counts, slow := map[string]int{}, ""
			for p, who := range owners {
				for _, name := range who {
					counts[name]++
					if p == topic+"-0" {
						slow = name
					}
				}
			}
			whole := err == nil && of == 3 && counts["one"]+counts["two"]+counts["three"] == n
			return fmt.Sprint(of, " members with ", counts, ", the slow one with ", slow, ", ", err), whole && is(counts, slow)
		})
	}
	shares("shares by capacity", func(counts map[string]int, _ string) bool {
		return counts["one"] == 6 && counts["two"] == 3 && counts["three"] == 3
	})
	asked := func() (n int) {
		for _, m := range members {
			n += m.asked()
		}
		return n
	}
	if n := asked(); n > 0 {
		t.Fatalf("%d rebalances were asked for while nothing lagged", n)
	}
	if told.count("a member does not have a label that a rule reads as a number") == 0 {
		t.Error("nobody is told that a member has no label")
	}
	c.produce(t, topic, 0, 3000)
	shares("the partition that lags alone with its member", func(counts map[string]int, slow string) bool { return counts[slow] == 1 })
	if n := asked(); n != 1 {
		t.Errorf("%d rebalances were asked for", n)
	}
}
