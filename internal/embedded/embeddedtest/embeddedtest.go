// Package embeddedtest is what tests on an embedded cluster share: starting it, connections that break, and waiting. What a test does on
// the cluster stays with the test.
package embeddedtest

import (
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded"
)

// Patience is how long anything is waited for that has to happen. It takes milliseconds, unless the machine is very busy.
const Patience = 30 * time.Second

// Main runs the tests of a package and fails if they leave goroutines behind.
func Main(m *testing.M) {
	code := m.Run()
	// Sarama's metrics share one goroutine for all clients of a process, for ever.
	if err := goleak.Find(append(left, goleak.IgnoreTopFunction("github.com/rcrowley/go-metrics.(*meterArbiter).tick"))...); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// left are goroutines that nothing ends.
var left []goleak.Option

// Leave lets a test end with goroutines that nothing ends, such as those of Sarama's that wait because a broker has asked for a pause.
func Leave(t testing.TB) {
	t.Cleanup(func() { left = append(left, goleak.IgnoreCurrent()) })
}

// Start starts a cluster with topics, until the test ends.
func Start(t testing.TB, o embedded.Options, topics ...embedded.Topic) *embedded.Cluster {
	t.Helper()
	c, err := embedded.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Create(t.Context(), topics...); err != nil {
		t.Fatal(err)
	}
	return c
}

// Produce appends records to a partition.
func Produce(t testing.TB, c *embedded.Cluster, topic string, partition int32, records int) {
	t.Helper()
	if err := c.Produce(t.Context(), topic, partition, records); err != nil {
		t.Error(err)
	}
}

// Move has another broker lead a partition.
func Move(t testing.TB, c *embedded.Cluster, topic string, partition, to int32) {
	t.Helper()
	if err := c.Fake().MoveTopicPartition(topic, partition, to); err != nil {
		t.Error(err)
	}
}

// Admin returns who may do to a cluster what its own methods do not, until the test ends.
func Admin(t testing.TB, c *embedded.Cluster) sarama.ClusterAdmin {
	t.Helper()
	admin, err := sarama.NewClusterAdmin(c.Addrs(), c.Config("admin"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	return admin
}

// Eventually waits for a condition.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not happen: %s", what)
		}
	}
}

// Silent returns the address of somebody who takes connections and says nothing, like a machine that hangs.
func Silent(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// Nobody returns an address at which connections are refused.
func Nobody(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
