package kafkatest

import (
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
)

// ClientConfig returns the configuration of clients that help a test and are not what it is about: they outlast the death of a broker,
// and write to the partitions that they are told to.
func ClientConfig() *sarama.Config {
	conf := sarama.NewConfig()
	conf.Version, conf.ClientID = sarama.MaxVersion, "outsider"
	conf.Producer.Partitioner = sarama.NewManualPartitioner
	conf.Producer.RequiredAcks = sarama.WaitForAll // else what the leader alone has dies with it
	conf.Producer.Return.Successes = true
	conf.Producer.MaxMessageBytes = 32 << 20
	conf.Producer.Retry.Max, conf.Producer.Retry.Backoff = 300, 100*time.Millisecond
	conf.Metadata.Retry.Max, conf.Metadata.Retry.Backoff = 300, 100*time.Millisecond
	conf.Net.DialTimeout, conf.Net.ReadTimeout, conf.Net.WriteTimeout = 10*time.Second, 10*time.Second, 10*time.Second
	return conf
}

// A Client does to a cluster what a test wants done from outside a group. It is safe for concurrent use.
type Client struct {
	sarama.Client
	Admin    sarama.ClusterAdmin
	Producer sarama.SyncProducer

	replicas int16
}

// Client connects one, until the end of the test that the cluster was started for.
func (c *Cluster) Client() *Client {
	c.t.Helper()
	client, err := sarama.NewClient(c.Addrs(), ClientConfig())
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = client.Close() })
	admin, err := sarama.NewClusterAdminFromClient(client) // which closing would close
	if err != nil {
		c.t.Fatal(err)
	}
	producer, err := sarama.NewSyncProducerFromClient(client)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = producer.Close() })
	return &Client{Client: client, Admin: admin, Producer: producer, replicas: int16(len(c.brokers))}
}

// Create creates a topic that all brokers have, and waits until it can be written to. Settings are name=value.
func (c *Client) Create(t testing.TB, topic string, partitions int32, settings ...string) {
	t.Helper()
	detail := &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: c.replicas, ConfigEntries: map[string]*string{}}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		detail.ConfigEntries[name] = &value
	}
	if err := c.Admin.CreateTopic(topic, detail, false); err != nil {
		t.Fatal(err)
	}
	c.Await(t, topic, partitions)
}

// Await waits until all partitions of a topic have leaders.
func (c *Client) Await(t testing.TB, topic string, partitions int32) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		_ = c.RefreshMetadata(topic)
		list, err := c.WritablePartitions(topic)
		if err == nil && len(list) == int(partitions) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("kafkatest: %d partitions of topic %s are waited for in vain; there are %v, %v", partitions, topic, list, err)
		}
	}
}

// Produce appends records to a partition, with the values given.
func (c *Client) Produce(t testing.TB, topic string, partition int32, values ...string) {
	t.Helper()
	var list []*sarama.ProducerMessage
	for _, v := range values {
		list = append(list, &sarama.ProducerMessage{Topic: topic, Partition: partition, Value: sarama.StringEncoder(v)})
	}
	if err := c.Producer.SendMessages(list); err != nil {
		t.Fatal(err)
	}
}
