package main

import (
	"context"
	"flag"
	"io"
	"log"
	"log/slog"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// member is the command of that name: a consumer whose group is assigned by pinned. Without brokers it is two of them on a cluster in this process.
func member(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("member", flag.ContinueOnError)
	brokers := flags.String("brokers", "", "addresses, host:port, with commas between; none: a cluster in this process")
	topics := flags.String("topics", "orders,payments,clicks", "topics, with commas between")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *brokers == "" {
		return showMembers(ctx, out)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	r, err := newReader("member", strings.Split(*brokers, ","), strings.Split(*topics, ","), log.New(out, "", 0))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = r.Close() })() // hands over first, which the end of Run's context would not
	return r.Run(context.WithoutCancel(ctx), r.handle)
}

// A reader is a consumer in a group that pinned assigns. It prints what it is given.
type reader struct {
	*consumer.Consumer
	name   string
	out    *log.Logger
	topics atomic.Int64 // that it has
	read   atomic.Int64 // records
}

func newReader(name string, brokers, topics []string, out *log.Logger) (*reader, error) {
	r := &reader{name: name, out: out}
	c, err := consumer.New(consumer.Config{
		Brokers: brokers, Group: "pinned", Topics: topics,
		Assignors:         []strategy.Assignor{strategy.Cooperative(pinned{})}, // cooperative: topics that stay are read through every rebalance
		Callbacks:         callbacks.Funcs{OnAssign: r.assigned, OnRevoke: r.revoked},
		HeartbeatInterval: time.Second, Logger: slog.New(slog.DiscardHandler),
	})
	r.Consumer = c
	return r, err
}

func (r *reader) assigned(_ context.Context, a *callbacks.Assignment) error {
	r.topics.Add(int64(len(a.Added)))
	for _, list := range a.Added {
		r.out.Printf("%s reads %s %v\n", r.name, list.Topic, list.Partitions)
	}
	return nil
}

func (r *reader) revoked(_ context.Context, v *callbacks.Revocation) error {
	r.topics.Add(-int64(len(v.Removed)))
	for _, list := range v.Removed {
		r.out.Printf("%s leaves %s %v\n", r.name, list.Topic, list.Partitions)
	}
	return nil
}

func (r *reader) handle(context.Context, *consumer.Message) error {
	r.read.Add(1)
	return nil
}
