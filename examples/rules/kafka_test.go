//go:build kafka

package rules_test

import (
	"testing"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// TestKafkaVersions upgrades the group of TestVersions on a real broker.
func TestKafkaVersions(t *testing.T) {
	cluster := kafkatest.Start(t, kafkatest.Config{})
	cluster.Client().Create(t, "orders", shared)
	upgrade(t, cluster.Addrs())
}
