package kafkatest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"
)

// Console has one of Kafka's console consumers in a group, until leave is called or the test ends. It is killed then, and read, if it is not
// nil, is called with what it has printed.
func (c *Cluster) Console(t testing.TB, read func(out string), args ...string) (leave func()) {
	return member(t, func(ctx context.Context) {
		out, err := c.ConsoleConsumer(ctx, args...)
		if ctx.Err() == nil {
			t.Errorf("%q: %s, %v", args, out, err)
		}
		if read != nil {
			read(out)
		}
	})
}

// Sarama has one of Sarama's consumers in a group, until leave is called or the test ends.
func (c *Cluster) Sarama(t testing.TB, conf *sarama.Config, group string, topics []string, h sarama.ConsumerGroupHandler) (leave func()) {
	t.Helper()
	conf.Version = sarama.MaxVersion
	conf.Consumer.Group.Heartbeat.Interval = 200 * time.Millisecond
	g, err := sarama.NewConsumerGroup(c.Addrs(), group, conf)
	if err != nil {
		t.Fatal(err)
	}
	return member(t, func(ctx context.Context) {
		for ctx.Err() == nil {
			_ = g.Consume(ctx, topics, h) // where it fails the group does not settle, which the test says
		}
		_ = g.Close()
	})
}

// member runs one under a context that ends when leave is called, or the test ends. Leave waits for it.
func member(t testing.TB, run func(context.Context)) (leave func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	leave = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	t.Cleanup(leave)
	return leave
}
