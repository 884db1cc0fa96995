package kafkatest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"syscall"
)

// Tool runs the main of a Java class of Kafka's and returns what it writes on standard output. The error has what it writes on the
// other. When ctx ends, so does the process. It is safe for concurrent use.
func (c *Cluster) Tool(ctx context.Context, class string, args ...string) (string, error) {
	cmd := java(c.libs, share(), class, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("%s: %w", class, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = signal(cmd, syscall.SIGKILL) })
	err := cmd.Wait()
	stop()
	switch {
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return out.String(), fmt.Errorf("%s: %w", class, ctx.Err())
	}
	return out.String(), fmt.Errorf("%s: %w\n%s", class, err, strings.TrimSpace(errs.String()+"\n"+out.String()))
}

// ConsumerGroups runs kafka-consumer-groups with the cluster's addresses.
func (c *Cluster) ConsumerGroups(ctx context.Context, args ...string) (string, error) {
	return c.Tool(ctx, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", c.bootstrap(args)...)
}

// ConsoleConsumer runs kafka-console-consumer with the cluster's addresses. It reads until it has --max-messages or ctx ends.
func (c *Cluster) ConsoleConsumer(ctx context.Context, args ...string) (string, error) {
	return c.Tool(ctx, "org.apache.kafka.tools.consumer.ConsoleConsumer", c.bootstrap(args)...)
}

func (c *Cluster) bootstrap(args []string) []string {
	return append([]string{"--bootstrap-server", strings.Join(c.Addrs(), ",")}, args...)
}
