// Command stateful counts records by key, with the counts of each partition in a file: loaded when the partition is assigned, saved when it is
// revoked. So counts move between members along with their partitions.
//
// Without brokers it shows that on a cluster in this process: a member counts, a second one joins, more records come, both leave. With brokers it is
// one member; start it twice, with the same directory, and end one of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/assignkit/assignkit/consumer"
)

func main() {
	brokers := flag.String("brokers", "", "addresses, host:port, with commas between; none: a cluster in this process")
	topic := flag.String("topic", "orders", "topic to count")
	dir := flag.String("dir", "counts", "directory of the counts, with brokers")
	name := flag.String("name", "member", "of this member, in what is printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *brokers, *topic, *dir, *name); err != nil {
		log.Print(err)
	}
}

func run(ctx context.Context, brokers, topic, dir, name string) error {
	if brokers == "" {
		return show(ctx, os.Stdout)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	c := newCounter(dir, func(format string, args ...any) { fmt.Printf(name+": "+format+"\n", args...) })
	member, err := consumer.New(c.config(strings.Split(brokers, ","), topic))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = member.Close() })() // hands over first, which the end of Run's context would not
	return member.Run(context.WithoutCancel(ctx), c.handle)
}
