package consumertest

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/strategy"
)

// Config says what cluster to start. The zero value is one broker without topics.
type Config struct {
	Topics  map[string]int32 // to create, and how many partitions each has
	Brokers int              // 0: 1. With more, the coordinator moves to another one when it is killed

	// Group is the group that is tested. "": that of the first configuration that is given to [Cluster.Prepare].
	Group string
	// Assignors are those of members that [Cluster.Join] adds, as the group's members need one in common. Nil: those of the
	// first configuration that is given to [Cluster.Prepare].
	Assignors []strategy.Assignor

	// Patience bounds each call that waits for something. 0: 10 s. A test that has less time left waits no longer than that.
	Patience time.Duration
}

// A Cluster is a Kafka cluster in this process, with a group to be tested. It is made by [NewCluster] and ends with the test. Its methods that
// take a test wait until what they have caused has been seen, and fail the test otherwise, saying what is missing; so they are called on
// the test's goroutine.
//
// What is seen: the group is settled when every member has received its part in the latest generation and all partitions are with somebody, or
// left to nobody for a reason that lasts. Of members whose configuration was prepared, it is known too that their callbacks have
// returned. So prepare the configurations of all members of the application, or of none.
type Cluster struct {
	cfg    Config
	inside *embedded.Cluster
	client sarama.Client
	admin  sarama.ClusterAdmin
	over   chan struct{} // closed when the cluster ends

	mu       sync.Mutex
	group    string
	prepared bool // the application's configuration
	diary    *diary
	members  []*Member
}

// NewCluster starts a cluster. It ends when the test has ended and what was registered with t.Cleanup later has been called.
func NewCluster(t testing.TB, cfg Config) *Cluster {
	t.Helper()
	if cfg.Patience <= 0 {
		cfg.Patience = 10 * time.Second
	}
	inside, err := embedded.Start(context.Background(), embedded.Options{Brokers: cfg.Brokers})
	if err != nil {
		t.Fatalf("starting the cluster: %v", err)
	}
	c := &Cluster{cfg: cfg, inside: inside, over: make(chan struct{}), group: cfg.Group, diary: &diary{}}
	t.Cleanup(c.close)
	if c.client, err = sarama.NewClient(c.Addrs(), inside.Config("consumertest")); err != nil {
		t.Fatalf("connecting to the cluster: %v", err)
	}
	if c.admin, err = sarama.NewClusterAdminFromClient(c.client); err != nil {
		t.Fatalf("connecting to the cluster: %v", err)
	}
	var topics []embedded.Topic
	for _, topic := range slices.Sorted(maps.Keys(cfg.Topics)) {
		topics = append(topics, embedded.Topic{Name: topic, Partitions: cfg.Topics[topic]})
	}
	if err := inside.Create(context.Background(), topics...); err != nil {
		t.Fatalf("Config.Topics: %v", err)
	}
	return c
}

func (c *Cluster) close() {
	close(c.over)
	if c.client != nil {
		_ = c.client.Close() // it is only asked, and what was asked has been answered
	}
	c.inside.Close()
}

// Addrs returns the addresses of the brokers.
func (c *Cluster) Addrs() []string { return c.inside.Addrs() }

// Prepare returns cfg as it should be in a test: with the brokers of the cluster, which need neither TLS nor a login; with short intervals and
// no log, where cfg says nothing else; and writing a trace for the cluster, besides its own, so that calls can wait for callbacks.
func (c *Cluster) Prepare(cfg consumer.Config) consumer.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.group = cmp.Or(c.group, cfg.Group)
	c.prepared = c.prepared || cfg.Group == c.group
	if c.cfg.Assignors == nil {
		c.cfg.Assignors = cfg.Assignors
	}
	if cfg.Sarama != nil {
		plain := *cfg.Sarama
		plain.Net.TLS.Enable, plain.Net.SASL.Enable = false, false
		cfg.Sarama = &plain
	}
	return c.tuned(cfg, c.diary)
}

// tuned returns cfg for this cluster, with what the member writes down.
func (c *Cluster) tuned(cfg consumer.Config, d *diary) consumer.Config {
	cfg.Brokers = c.Addrs()
	cfg.HeartbeatInterval = cmp.Or(cfg.HeartbeatInterval, 50*time.Millisecond)
	cfg.CommitInterval = cmp.Or(cfg.CommitInterval, 50*time.Millisecond)
	cfg.TopicInterval = cmp.Or(cfg.TopicInterval, 100*time.Millisecond)
	cfg.HandOver.After = cmp.Or(cfg.HandOver.After, 50*time.Millisecond)
	cfg.HandOver.Grace = cmp.Or(cfg.HandOver.Grace, 20*time.Millisecond)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Trace = &page{diary: d, also: cfg.Trace}
	return cfg
}

// theGroup returns the name of the group that is tested.
func (c *Cluster) theGroup(t testing.TB) string {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.group == "" {
		t.Fatal("which group is tested? Set Config.Group, or give the application's configuration to Prepare")
	}
	return c.group
}

// A Record is one to produce. Only Topic is needed.
type Record struct {
	Topic      string
	Partition  int32
	Key, Value string // a Key of "" is none
	Headers    []sarama.RecordHeader
	Time       time.Time // zero: now
}

// Produce appends records to their partitions, in their order.
func (c *Cluster) Produce(t testing.TB, records ...Record) {
	t.Helper()
	conf := c.inside.Config("consumertest")
	conf.Producer.Return.Successes = true
	conf.Producer.RequiredAcks = sarama.WaitForAll
	conf.Producer.Partitioner = sarama.NewManualPartitioner
	conf.Metadata.Retry.Max = 0 // what does not exist, is not waited for
	producer, err := sarama.NewSyncProducer(c.Addrs(), conf)
	if err != nil {
		t.Fatalf("producing: %v", err)
	}
	defer func() { _ = producer.Close() }() // every record was answered
	messages := make([]*sarama.ProducerMessage, len(records))
	for i, r := range records {
		messages[i] = &sarama.ProducerMessage{Topic: r.Topic, Partition: r.Partition, Value: sarama.StringEncoder(r.Value), Headers: r.Headers, Timestamp: r.Time}
		if r.Key != "" {
			messages[i].Key = sarama.StringEncoder(r.Key)
		}
	}
	if err := producer.SendMessages(messages); err != nil {
		if errs, ok := err.(sarama.ProducerErrors); ok && len(errs) > 0 { //nolint:errorlint // Sarama returns it as it is
			t.Fatalf("producing %d of %d records failed; to %s-%d: %v", len(errs), len(records), errs[0].Msg.Topic, errs[0].Msg.Partition, errs[0].Err)
		}
		t.Fatalf("producing: %v", err)
	}
}

// Committed returns the offsets that a group has committed: those of the next records to read. It does not wait; see [Cluster.Wait].
func (c *Cluster) Committed(t testing.TB, group string) map[strategy.TopicPartition]callbacks.Offset {
	t.Helper()
	committed := map[strategy.TopicPartition]callbacks.Offset{}
	info := c.inside.Fake().GroupInfo(group)
	if info == nil {
		return committed
	}
	for topic, partitions := range info.Commits {
		for p, commit := range partitions {
			committed[strategy.TopicPartition{Topic: topic, Partition: p}] = callbacks.Offset{Offset: commit.Offset, Metadata: commit.Metadata}
		}
	}
	return committed
}
