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
	addrs := kafkatest.Start(t, kafkatest.Config{}).Addrs()
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	admin, err := sarama.NewClusterAdmin(addrs, conf)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.CreateTopic("t", &sarama.TopicDetail{NumPartitions: 12, ReplicationFactor: 1}, false); err != nil {
		t.Fatal(err)
	}
	for _, assignor := range []strategy.Assignor{sticky.Assignor{}, strategy.Cooperative(sticky.Assignor{})} {
		t.Run(assignor.Name(), func(t *testing.T) {
			a, b, c, _ := balanceJoinAndLeave(t, addrs, true, func() sarama.BalanceStrategy { return consumer.BalanceStrategy(assignor) })
			for _, m := range []*balanceMember{a, c, b} {
				m.leave() // as the next group has the same name
			}
			if strategy.ProtocolOf(assignor) == strategy.ProtocolCooperative {
				balanceStaid(t, a, b, c)
			}
		})
	}
}
