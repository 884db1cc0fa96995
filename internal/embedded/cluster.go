package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"
)

// requestTimeout bounds each request to the cluster. It answers in microseconds, unless the machine is very busy.
const requestTimeout = 10 * time.Second

// Options say what cluster to start. The zero value is one broker without topics.
type Options struct {
	Brokers int // 1 if 0
	// Fake are further options of the fake itself, such as TLS and users.
	Fake []kfake.Opt
}

// A Cluster is one that runs until Close. Its methods are safe for concurrent use.
type Cluster struct {
	fake   *kfake.Cluster
	client sarama.Client // for what the cluster does itself

	end     context.CancelFunc // of the members
	members sync.WaitGroup
	close   sync.Once
}

// Start starts an empty cluster. The caller closes it. The cluster needs plain connections itself, so none of the options for the fake
// may ask for TLS or logins: with those, use [kfake.NewCluster].
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts := append([]kfake.Opt{kfake.NumBrokers(max(1, o.Brokers)), kfake.ClusterID("assignkit-embedded")}, o.Fake...)
	fake, err := kfake.NewCluster(opts...)
	if err != nil {
		return nil, err
	}
	c := &Cluster{fake: fake, end: func() {}}
	if c.client, err = sarama.NewClient(fake.ListenAddrs(), c.Config("embedded")); err != nil {
		fake.Close()
		return nil, err
	}
	return c, nil
}

// Addrs returns the addresses of the brokers.
func (c *Cluster) Addrs() []string { return c.fake.ListenAddrs() }

// Fake returns the cluster behind this one, for tests that make it misbehave.
func (c *Cluster) Fake() *kfake.Cluster { return c.fake }

// Config returns a configuration for clients of the cluster, which are theirs to change.
func (c *Cluster) Config(clientID string) *sarama.Config {
	conf := sarama.NewConfig()
	conf.ClientID = clientID
	conf.Version = sarama.MaxVersion
	conf.Net.DialTimeout, conf.Net.ReadTimeout, conf.Net.WriteTimeout = requestTimeout, requestTimeout, requestTimeout
	conf.Metadata.Retry.Backoff = 10 * time.Millisecond
	return conf
}

// Close ends the members of sample groups and the cluster. It returns when they have ended; further calls do nothing.
func (c *Cluster) Close() {
	c.close.Do(func() {
		c.end()
		c.fake.Close() // before the members, whose fetches would wait for records
		c.members.Wait()
		_ = c.client.Close() // it is only asked, and what was asked has been answered
	})
}

// A Topic is one to create.
type Topic struct {
	Name       string
	Partitions int32
	Records    []int // how many to produce to each partition, a shorter list repeats; none if empty
}

// Create creates topics and the records in them. It returns when they can be read.
func (c *Cluster) Create(ctx context.Context, topics ...Topic) error {
	req := &sarama.CreateTopicsRequest{Version: 4, Timeout: requestTimeout, TopicDetails: map[string]*sarama.TopicDetail{}}
	for _, t := range topics {
		req.TopicDetails[t.Name] = &sarama.TopicDetail{NumPartitions: t.Partitions, ReplicationFactor: -1}
	}
	controller, err := c.client.Controller()
	if err != nil {
		return err
	}
	resp, err := controller.CreateTopics(req)
	if err != nil {
		return err
	}
	for _, t := range topics {
		if e := resp.TopicErrors[t.Name]; e == nil || e.Err != sarama.ErrNoError {
			return fmt.Errorf("creating topic %s: %w", t.Name, e)
		}
	}
	if err := c.client.RefreshMetadata(); err != nil {
		return err
	}
	for _, t := range topics {
		for p := range t.Partitions {
			if len(t.Records) == 0 {
				break
			}
			if err := c.Produce(ctx, t.Name, p, t.Records[int(p)%len(t.Records)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Produce appends so many records to a partition. Their keys and values say where they are, and their times are the same in each run.
func (c *Cluster) Produce(ctx context.Context, topic string, partition int32, records int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if records == 0 {
		return nil
	}
	first, err := c.client.GetOffset(topic, partition, sarama.OffsetNewest)
	if err != nil {
		return fmt.Errorf("producing to %s:%d: %w", topic, partition, err)
	}
	leader, err := c.client.Leader(topic, partition)
	if err != nil {
		return fmt.Errorf("producing to %s:%d: %w", topic, partition, err)
	}
	batch := &sarama.RecordBatch{Version: 2, ProducerID: -1, ProducerEpoch: -1, FirstTimestamp: epoch, MaxTimestamp: epoch, LastOffsetDelta: int32(records - 1)}
	for i := range records {
		name := fmt.Sprintf("%s-%d-%d", topic, partition, first+int64(i))
		batch.Records = append(batch.Records, &sarama.Record{Key: []byte(name), Value: []byte("record " + name), OffsetDelta: int64(i)})
	}
	req := &sarama.ProduceRequest{Version: 7, RequiredAcks: sarama.WaitForAll, Timeout: int32(requestTimeout / time.Millisecond)}
	req.AddBatch(topic, partition, batch)
	resp, err := leader.Produce(req)
	if err != nil {
		return fmt.Errorf("producing to %s:%d: %w", topic, partition, err)
	}
	block := resp.GetBlock(topic, partition)
	if block == nil {
		return fmt.Errorf("producing to %s:%d: %w", topic, partition, errors.New("no answer"))
	}
	if block.Err != sarama.ErrNoError {
		return fmt.Errorf("producing to %s:%d: %w", topic, partition, block.Err)
	}
	return nil
}

// epoch is when all sample records are from.
var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
