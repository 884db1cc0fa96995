package fetch_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
)

// fill produces records of 100 bytes, in batches of 500.
func fill(b *testing.B, conf *sarama.Config, addrs []string, topic string, partitions int32, n int) {
	conf.Producer.Return.Successes = true
	client, err := sarama.NewClient(addrs, conf)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	now := time.Now()
	value := bytes.Repeat([]byte("assignkit "), 10)
	for p := range partitions {
		leader, err := client.Leader(topic, p)
		if err != nil {
			b.Fatal(err)
		}
		for done := 0; done < n; done += 500 {
			batch := &sarama.RecordBatch{Version: 2, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, LastOffsetDelta: 499, FirstTimestamp: now, MaxTimestamp: now}
			for i := range 500 {
				batch.Records = append(batch.Records, &sarama.Record{Value: value, OffsetDelta: int64(i)})
			}
			request := &sarama.ProduceRequest{Version: 7, RequiredAcks: sarama.WaitForAll, Timeout: 10_000}
			request.AddBatch(topic, p, batch)
			embeddedtest.Eventually(b, "records are produced", func() bool { // the topic is a new one
				resp, err := leader.Produce(request)
				return err == nil && resp.GetBlock(topic, p).Err == sarama.ErrNoError
			})
		}
	}
}

// BenchmarkEmbedded compares with a plain loop of fetches. The brokers are in the same process, so that times are those of both.
func BenchmarkEmbedded(b *testing.B) {
	const partitions, n = 8, 20_000
	c := cluster(b, 1, embedded.Topic{Name: "load", Partitions: partitions})
	fill(b, c.Config("fill"), c.Addrs(), "load", partitions, n)
	perRecord := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*partitions*n), "ns/record")
	}
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			readRaw(b, c.Config("raw"), c.Addrs()[0], "load", partitions, n)
		}
		perRecord(b)
	})
	b.Run("fetcher", func(b *testing.B) {
		client, err := sarama.NewClient(c.Addrs(), c.Config("fetcher"))
		if err != nil {
			b.Fatal(err)
		}
		defer client.Close()
		for b.Loop() {
			f, err := fetch.New(fetch.Config{Client: client, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			readAll(b, f, "load", partitions, n)
			f.Close()
		}
		perRecord(b)
	})
}
