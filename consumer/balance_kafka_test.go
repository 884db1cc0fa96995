//go:build kafka

package consumer_test

import (
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// Members of plain Sarama groups of a real broker keep what they can.
func TestKafkaBalanceStrategy(t *testing.T) {
	cluster := kafkatest.Start(t, kafkatest.Config{})
	cluster.Client().Create(t, "t", 12)
	for _, assignor := range []strategy.Assignor{sticky.Assignor{}, strategy.Cooperative(sticky.Assignor{})} {
		t.Run(assignor.Name(), func(t *testing.T) {
			a, b, c, _ := balanceJoinAndLeave(t, cluster.Addrs(), true, func() sarama.BalanceStrategy { return consumer.BalanceStrategy(assignor) })
			for _, m := range []*balanceMember{a, c, b} {
				m.leave() // as the next group has the same name
			}
			if strategy.ProtocolOf(assignor) == strategy.ProtocolCooperative {
				balanceStaid(t, a, b, c)
			}
		})
	}
}
