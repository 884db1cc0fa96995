// Command hello is a consumer at its shortest: it joins a group, prints three records, commits them and leaves. Run it again on the same brokers
// and it goes on with the next three.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync/atomic"

	"github.com/assignkit/assignkit/consumer"
)

func main() {
	brokers := flag.String("brokers", "", "addresses, host:port, with commas between; none: a cluster in this process")
	flag.Parse()
	addrs, stop := strings.Split(*brokers, ","), func() {}
	if *brokers == "" {
		addrs, stop = embeddedCluster()
	}
	defer stop()
	if err := hello(context.Background(), addrs, os.Stdout); err != nil {
		log.Print(err)
	}
}

func hello(ctx context.Context, brokers []string, out io.Writer) error {
	c, err := consumer.New(consumer.Config{Brokers: brokers, Group: "hello", Topics: []string{"greetings"}})
	if err != nil {
		return err
	}
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	var seen atomic.Int32 // as each partition has a goroutine
	return c.Run(ctx, func(ctx context.Context, m *consumer.Message) error {
		if ctx.Err() != nil {
			return ctx.Err() // this record is not processed, and whoever comes next begins with it
		}
		fmt.Fprintf(out, "%s-%d@%d: %s\n", m.Topic, m.Partition, m.Offset, m.Value)
		if seen.Add(1) == 3 {
			enough()
		}
		return nil
	})
}
