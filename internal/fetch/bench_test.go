package fetch_test

import (
	"context"
	"sync"
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/fetch"
)

// readAll reads n records of each of some partitions, and returns their bytes.
func readAll(b *testing.B, f *fetch.Fetcher, topic string, partitions int32, n int) int64 {
	var all sync.WaitGroup
	bytes := make([]int64, partitions)
	for i := range partitions {
		p, err := f.Open(at(topic, i), earliest)
		if err != nil {
			b.Fatal(err)
		}
		all.Go(func() {
			defer p.Close()
			for left := n; left > 0; {
				batch, err := p.Next(context.Background())
				if err != nil {
					b.Error(err)
					return
				}
				left -= batch.Len()
				for batch.Len() > 0 {
					bytes[i] += int64(len(batch.Read().Value))
				}
			}
		})
	}
	all.Wait()
	total := int64(0)
	for _, n := range bytes {
		total += n
	}
	return total
}

// readRaw does the same with nothing but Sarama's Broker.Fetch, on one connection.
func readRaw(b *testing.B, conf *sarama.Config, addr, topic string, partitions int32, n int) int64 {
	c, err := conn.Open(b.Context(), conf, addr, conf.Net.ReadTimeout)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	next, bytes := make([]int64, partitions), int64(0)
	for left := int64(n) * int64(partitions); left > 0; {
		request := &sarama.FetchRequest{Version: 12, MinBytes: 1, MaxBytes: 50 << 20, MaxWaitTime: 500, SessionEpoch: -1}
		for i := range partitions {
			request.AddBlock(topic, i, next[i], 1<<20, -1)
		}
		resp, err := conn.Do(c, func(b *sarama.Broker) (*sarama.FetchResponse, error) { return b.Fetch(request) })
		if err != nil {
			b.Fatal(err)
		}
		for i := range partitions {
			for _, set := range resp.GetBlock(topic, i).RecordsSet {
				for _, r := range set.RecordBatch.Records {
					if o := set.RecordBatch.FirstOffset + r.OffsetDelta; o >= next[i] {
						next[i] = o + 1
						bytes += int64(len(r.Value))
						left--
					}
				}
			}
		}
	}
	return bytes
}
