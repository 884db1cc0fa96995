//go:build kafka

package fetch_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// TestKafkaBrokers kills brokers one after the other, while records are produced, and partitions are opened at random offsets, read for some
// time and closed. Every reader must see every record from its offset on, once and in order.
func TestKafkaBrokers(t *testing.T) {
	const partitions, n = 4, 800
	k := start(t, kafkatest.Config{Brokers: 3, Properties: map[string]string{"min.insync.replicas": "2"}})
	k.Create(t, "orders", partitions)
	s := k.fetcher(fetch.Config{MaxWait: 100 * time.Millisecond, Backoff: 50 * time.Millisecond})
	var users sync.WaitGroup
	users.Go(func() {
		p, err := sarama.NewSyncProducer(k.Addrs(), kafkatest.ClientConfig())
		if err != nil {
			t.Error(err)
			return
		}
		defer p.Close()
		for i := range n {
			var messages []*sarama.ProducerMessage
			for part := range int32(partitions) {
				messages = append(messages, &sarama.ProducerMessage{Topic: "orders", Partition: part, Value: sarama.StringEncoder("value")})
			}
			if err := p.SendMessages(messages); err != nil {
				t.Errorf("producing record %d: %v", i, err)
				return
			}
		}
	})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range int32(partitions) {
		picks := make([]int64, n) // more than there are visits
		for j := range picks {
			picks[j] = random.Int64()
		}
		users.Go(func() {
			end := int64(0) // up to which there are records for sure
			for end < n {
				pick := picks[0]
				picks = picks[1:]
				first := pick % (end + 1)
				p, err := s.Open(at("orders", i), from(first))
				if err != nil {
					t.Error(err)
					return
				}
				got := offsets(t, p, int(end-first)+1+int(pick%200)%int(n-end))
				p.Close()
				wantOffsets(t, got, first, first+int64(len(got)))
				end = max(end, first+int64(len(got)))
			}
		})
	}
	for id := range 3 {
		time.Sleep(time.Second) // of undisturbed reading
		k.Kill(id)
		time.Sleep(time.Second)
		k.Restart(id)
		k.Wait()
	}
	users.Wait()
}

// TestKafkaRack reads from the replica in the fetcher's rack, and from the leader when that is gone.
func TestKafkaRack(t *testing.T) {
	const n = 500
	k := start(t, kafkatest.Config{Brokers: 3, Properties: map[string]string{"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}})
	k.Create(t, "orders", 3)
	leader, err := k.Leader("orders", 0)
	if err != nil {
		t.Fatal(err)
	}
	near := (leader.ID() + 1) % 3
	rack := fmt.Sprintf("rack-%d", near)
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	d := embeddedtest.Through(conf)
	s := fetcher(t, conf, k.Addrs(), fetch.Config{Rack: rack, MaxWait: 100 * time.Millisecond})
	p := s.open("orders", 0, earliest)
	value := bytes.Repeat([]byte("x"), 1000)
	for i := range int64(3) {
		var all [][]byte
		for range n {
			all = append(all, value)
		}
		k.produce(kafkatest.ClientConfig(), "orders", 0, all...)
		wantOffsets(t, offsets(t, p, n), i*n, (i+1)*n)
	}
	if there, here := d.Bytes(leader.Addr()), d.Bytes(k.Addrs()[near]); here < 2*n*len(value) || there > here/2 {
		t.Errorf("%d bytes came from the leader and %d from the replica", there, here)
	}
	k.Kill(int(near))
	k.produce(kafkatest.ClientConfig(), "orders", 0, values("v", 100)...)
	wantOffsets(t, offsets(t, p, 100), 3*n, 3*n+100)
	if n := count(s, func(fetch.OutOfRangeReport) bool { return true }); n != 0 {
		t.Errorf("%d reports that an offset is out of range", n)
	}
}
