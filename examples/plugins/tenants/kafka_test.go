//go:build python && kafka

package tenants

import (
	"slices"
	"testing"

	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/internal/pythontest"
)

// TestKafka has a group on a real broker assigned by the plugin.
func TestKafka(t *testing.T) {
	cluster := kafkatest.Start(t, kafkatest.Config{})
	client := cluster.Client()
	for topic, n := range sizes {
		client.Create(t, topic, n)
	}
	g := &group{t: t, brokers: cluster.Addrs(), assignor: pythontest.Open(t, "tenants"), produce: func(topic string, p int32, n int) {
		client.Produce(t, topic, p, slices.Repeat([]string{"record"}, n)...)
	}}
	g.comeAndGo()
}
