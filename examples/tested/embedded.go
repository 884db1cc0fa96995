package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

// movements are the records of the show.
var movements = []struct {
	partition int32
	article   string
	n         int
}{{0, "bolts", 100}, {1, "nuts", 80}, {0, "bolts", -30}, {1, "nuts", -8}, {0, "bolts", 5}}

// show has a stock kept on a cluster in this process. A program of your own does not need this file.
func show(ctx context.Context, out io.Writer) error {
	cluster, err := embedded.Start(ctx, embedded.Options{})
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := cluster.Create(ctx, embedded.Topic{Name: "movements", Partitions: 2}); err != nil {
		return err
	}
	if err := produce(cluster); err != nil {
		return err
	}
	k := newStock(newStore())
	cfg := k.config()
	cfg.Brokers, cfg.Logger = cluster.Addrs(), slog.New(slog.DiscardHandler)
	member, err := consumer.New(cfg)
	if err != nil {
		return err
	}
	handled := make(chan struct{}, len(movements))
	go func() {
		for range movements {
			<-handled
		}
		member.Stop() // what is kept is saved on the way out
	}()
	err = member.Run(ctx, func(ctx context.Context, m *consumer.Message) error {
		defer func() { handled <- struct{}{} }()
		return k.handle(ctx, m)
	})
	fmt.Fprintln(out, "bolts:", k.store.level("bolts"), "nuts:", k.store.level("nuts"))
	return err
}

func produce(cluster *embedded.Cluster) error {
	conf := cluster.Config("warehouse")
	conf.Producer.Return.Successes = true
	conf.Producer.Partitioner = sarama.NewManualPartitioner
	producer, err := sarama.NewSyncProducer(cluster.Addrs(), conf)
	if err != nil {
		return err
	}
	defer func() { _ = producer.Close() }() // every record was answered
	for _, m := range movements {
		record := &sarama.ProducerMessage{
			Topic: "movements", Partition: m.partition, Key: sarama.StringEncoder(m.article), Value: sarama.StringEncoder(strconv.Itoa(m.n)),
		}
		if _, _, err := producer.SendMessage(record); err != nil {
			return err
		}
	}
	return nil
}
