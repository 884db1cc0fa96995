package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/assignkit/assignkit/internal/embedded"
)

// showMembers has two members read three topics on a cluster in this process. A program of your own does not need this file.
func showMembers(ctx context.Context, out io.Writer) error {
	cluster, err := embedded.Start(ctx, embedded.Options{})
	if err != nil {
		return err
	}
	defer cluster.Close()
	topics := []string{"clicks", "orders", "payments"}
	for _, topic := range topics {
		if err := cluster.Create(ctx, embedded.Topic{Name: topic, Partitions: 3, Records: []int{10}}); err != nil {
			return err
		}
	}
	shared := log.New(out, "", 0)
	first, err := newReader("first", cluster.Addrs(), topics, shared)
	if err != nil {
		return err
	}
	second, err := newReader("second", cluster.Addrs(), topics, shared)
	if err != nil {
		return err
	}
	endFirst := first.begin(ctx)
	if err := embedded.Wait(ctx, func() bool { return first.read.Load() == 90 }); err != nil {
		return errors.Join(err, endFirst())
	}
	endSecond := second.begin(ctx)
	err = embedded.Wait(ctx, func() bool { // until each has a whole topic or two
		return second.topics.Load() > 0 && first.topics.Load()+second.topics.Load() == int64(len(topics))
	})
	err = errors.Join(err, endSecond(), endFirst())
	fmt.Fprintf(out, "%d records\n", first.read.Load()+second.read.Load())
	return err
}

// begin runs a reader until end is called.
func (r *reader) begin(ctx context.Context) (end func() error) {
	result := make(chan error, 1)
	go func() { result <- r.Run(ctx, r.handle) }()
	return func() error {
		r.Stop()
		return <-result
	}
}
