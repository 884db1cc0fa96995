package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
)

// showMembers has two members, gold and other, read topics on a cluster in this process. A program of your own does not need this file.
func showMembers(ctx context.Context, catalog *plugin.Catalog, plugin string, topics []string, out io.Writer) error {
	cluster, err := embedded.Start(ctx, embedded.Options{})
	if err != nil {
		return err
	}
	defer cluster.Close()
	for _, topic := range topics {
		if err := cluster.Create(ctx, embedded.Topic{Name: topic, Partitions: 4, Records: []int{10}}); err != nil {
			return err
		}
	}
	shared := log.New(out, "", 0)
	begin := func(name string, labels map[string]string) (*member, func() error, error) {
		m, err := newMember(catalog, plugin, name, consumer.Config{
			Brokers: cluster.Addrs(), Group: "plugins", Topics: topics, Labels: labels,
			HeartbeatInterval: time.Second, Logger: slog.New(slog.DiscardHandler),
		}, shared)
		if err != nil {
			return nil, nil, err
		}
		result := make(chan error, 1)
		go func() { result <- m.run(ctx) }()
		return m, func() error { m.Stop(); return <-result }, nil
	}
	other, endOther, err := begin("other", nil)
	if err != nil {
		return err
	}
	all := 4 * len(topics)
	if err := embedded.Wait(ctx, func() bool { return other.read.Load() == int64(10*all) }); err != nil {
		return errors.Join(err, endOther())
	}
	gold, endGold, err := begin("gold", map[string]string{"tier": "gold"})
	if err != nil {
		return errors.Join(err, endOther())
	}
	err = embedded.Wait(ctx, func() bool {
		n := strategy.Count(gold.Owned())
		return n > 0 && n+strategy.Count(other.Owned()) == all
	})
	err = errors.Join(err, endGold(), endOther())
	fmt.Fprintf(out, "%d records\n", other.read.Load()+gold.read.Load())
	return err
}
