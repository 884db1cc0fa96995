//go:build kafka

package consumer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// TestKafkaRolling restarts the members of a group one after another for as long as the soak takes, on three brokers, while records are written:
// by turns the new one comes before the old one goes and after, dynamic members close and static ones drain first. Nothing is lost, nothing
// processed twice.
func TestKafkaRolling(t *testing.T) {
	const topic, partitions, size = "rolling", 12, 4
	c := startKafka(t, kafkatest.Config{Brokers: 3})
	c.Create(t, topic, partitions)
	begin := func(n, life int) *member {
		cfg := named(c, fmt.Sprintf("m%d-%d", n, life), topic, topic)
		cfg.HeartbeatInterval = 300 * time.Millisecond
		if n%2 == 1 {
			cfg.InstanceID = fmt.Sprintf("i%d-%d", n, life)
		}
		return start(t, cfg.Sarama.ClientID, cfg, nil)
	}
	var running [size]*member
	var all []*member
	for n := range running {
		running[n] = begin(n, 0)
		all = append(all, running[n])
	}
	c.waitShared(t, topic, size, partitions)
	w := c.write(t, topic, partitions, 10*time.Millisecond)
	lives := 1
	for until := time.Now().Add(*soakTime); time.Now().Before(until); lives++ {
		n := lives % size
		surge := lives/size%2 == 0
		next := running[n]
		if surge {
			next = begin(n, lives)
			next.waitOwned(partitions / (size + 1))
		}
		if n%2 == 1 {
			if err := running[n].Drain(t.Context()); err != nil {
				t.Errorf("%s: %v", running[n].name, err)
			}
		}
		if err := running[n].close(); err != nil {
			t.Errorf("%s: %v", running[n].name, err)
		}
		if !surge {
			next = begin(n, lives)
		}
		running[n] = next
		all = append(all, next)
		c.waitShared(t, topic, size, partitions)
	}
	w.stop()
	c.waitCommitted(t, topic, topic, partitions)
	read := newTally()
	for _, m := range all {
		for _, call := range m.noted() {
			if strings.HasPrefix(call, "lost") {
				t.Errorf("%s: %s", m.name, call)
			}
		}
		read.add(m.name, m.handled()...)
	}
	read.once(t, topic, c.ends(t, topic, partitions))
	t.Logf("%d restarts", lives-1)
}
