//go:build kafka

package main

import (
	"strconv"
	"testing"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// TestKafkaGroup is TestGroup on a real broker.
func TestKafkaGroup(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{})
	client := c.Client()
	values := make([]string, 10)
	for i := range values {
		values[i] = strconv.Itoa(i)
	}
	for _, topic := range []string{goldTopic, otherTopic} {
		client.Create(t, topic, partitions)
		for p := range int32(partitions) {
			client.Produce(t, topic, p, values...)
		}
	}
	g := rehearse(t, newSite(t), c.Addrs(), 12)
	for p := range int32(partitions) {
		client.Produce(t, goldTopic, p, values...)
	}
	g.end(3 * partitions * int64(len(values)))
}
