//go:build kafka

package fetch_test

import (
	"log/slog"
	"syscall"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

func cpu(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkKafka reports what a record of 100 bytes costs this process, next to a plain loop of fetches.
func BenchmarkKafka(b *testing.B) {
	const partitions, n = 8, 250_000
	c := kafkatest.Start(b, kafkatest.Config{})
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	client, err := sarama.NewClient(c.Addrs(), conf)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	c.Client().Create(b, "load", partitions)
	fill(b, sarama.NewConfig(), c.Addrs(), "load", partitions, n)
	measure := func(name string, read func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			begin := cpu(b)
			for b.Loop() {
				read(b)
			}
			records := float64(b.N * partitions * n)
			b.ReportMetric(float64(cpu(b)-begin)/records, "cpu-ns/record")
			b.ReportMetric(records/b.Elapsed().Seconds(), "records/s")
		})
	}
	measure("raw", func(b *testing.B) { readRaw(b, conf, c.Addrs()[0], "load", partitions, n) })
	measure("fetcher", func(b *testing.B) {
		f, err := fetch.New(fetch.Config{Client: client, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		readAll(b, f, "load", partitions, n)
	})
}
