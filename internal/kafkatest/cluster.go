package kafkatest

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
)

// patience is how long brokers have to answer, on a machine that does other things as well.
const patience = 2 * time.Minute

// A Cluster is one that runs until the end of the test that it was started for. Its methods fail that test when something goes wrong,
// and are for its goroutine, but for Addrs, SecureAddrs and Tool.
type Cluster struct {
	// Authority signed the certificates of the brokers. It is nil without users.
	Authority *Authority

	t       testing.TB
	config  Config
	dir     string
	libs    string
	brokers []*broker
}

// Start starts a cluster and waits until all its brokers answer. Where it cannot, the test fails and says what is missing. At the end
// of the test all processes are killed; files are removed, unless the test has failed, which then says where the logs are.
func Start(t testing.TB, config Config) *Cluster {
	t.Helper()
	c := &Cluster{t: t, config: config}
	n := max(1, config.Brokers)
	if n != 1 && n != 3 {
		t.Fatalf("kafkatest: %d brokers; there can be 1 or 3", n)
	}
	var err error
	if c.libs, err = jars(); err != nil {
		t.Fatalf("kafkatest: %v", err)
	}
	if c.dir, err = os.MkdirTemp("", "kafkatest-*"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.end)
	if len(config.Users) > 0 {
		c.Authority = NewAuthority(t)
	}
	ports, err := freePorts(3 * n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		b := &broker{id: i, dir: filepath.Join(c.dir, fmt.Sprintf("broker-%d", i)), port: ports[3*i], controllerPort: ports[3*i+1], securePort: ports[3*i+2]}
		c.brokers = append(c.brokers, b)
	}
	if err := c.format(); err != nil {
		t.Fatalf("kafkatest: %v", err)
	}
	for _, b := range c.brokers {
		c.boot(b)
	}
	c.Wait()
	return c
}

// format writes the brokers' properties and has Kafka prepare the folder of the first. Those of the others are copies, as a second
// Java process for each takes longer than all the rest.
func (c *Cluster) format() error {
	for _, b := range c.brokers {
		if err := os.MkdirAll(b.dir, 0o700); err != nil {
			return err
		}
		if c.Authority != nil {
			pair := c.Authority.Issue(c.t, fmt.Sprintf("broker-%d", b.id), time.Time{}, "127.0.0.1", "localhost")
			if err := b.writeKeystore(pair); err != nil {
				return err
			}
		}
		if err := os.WriteFile(b.path("server.properties"), []byte(c.properties(b)), 0o600); err != nil {
			return err
		}
	}
	first := c.brokers[0]
	args := append([]string{"format", "-t", "k" + uuid()[1:], "-c", first.path("server.properties")}, c.scram()...) // no dash to begin with: it is no option
	if _, err := c.Tool(c.t.Context(), "kafka.tools.StorageTool", args...); err != nil {
		return err
	}
	for _, b := range c.brokers[1:] {
		if err := b.formatAs(first); err != nil {
			return err
		}
	}
	return nil
}

// uuid returns a random one, as Kafka writes them.
func uuid() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// Addrs returns where the brokers take plain connections, by their ids, whether they run or not.
func (c *Cluster) Addrs() []string {
	return c.addrs(func(b *broker) int { return b.port })
}

// SecureAddrs returns where they take connections with TLS and a login, nil without users.
func (c *Cluster) SecureAddrs() []string {
	if c.Authority == nil {
		return nil
	}
	return c.addrs(func(b *broker) int { return b.securePort })
}

func (c *Cluster) addrs(port func(*broker) int) []string {
	var addrs []string
	for _, b := range c.brokers {
		addrs = append(addrs, fmt.Sprintf("127.0.0.1:%d", port(b)))
	}
	return addrs
}

// Kill kills a broker, as kill -9 does.
func (c *Cluster) Kill(id int) {
	c.t.Helper()
	c.brokers[id].kill()
}

// Stop ends a broker in an orderly way and waits until it has.
func (c *Cluster) Stop(id int) {
	c.t.Helper()
	if err := c.brokers[id].stop(patience); err != nil {
		c.t.Fatalf("kafkatest: stopping broker %d: %v", id, err)
	}
}

// Restart starts a broker that was killed or stopped, with what it has on disk, and waits until it answers.
func (c *Cluster) Restart(id int) {
	c.t.Helper()
	if c.brokers[id].running() {
		c.t.Fatalf("kafkatest: broker %d runs; Kill or Stop it first", id)
	}
	c.boot(c.brokers[id])
	c.Wait()
}

func (c *Cluster) boot(b *broker) {
	c.t.Helper()
	if err := b.start(c.libs); err != nil {
		c.t.Fatalf("kafkatest: starting broker %d: %v", b.id, err)
	}
}

// Wait waits until every broker that runs tells of all that do, and of a leader for each partition that one of them has.
func (c *Cluster) Wait() {
	c.t.Helper()
	var want []int32
	for _, b := range c.brokers {
		if b.running() {
			want = append(want, int32(b.id))
		}
	}
	deadline := time.Now().Add(patience)
	for _, b := range c.brokers {
		for b.running() {
			err := b.tellsOf(want)
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				c.t.Fatalf("kafkatest: broker %d does not answer: %v\n%s", b.id, err, b.tail())
			}
			time.Sleep(50 * time.Millisecond)
		}
		if !b.running() && slices.Contains(want, int32(b.id)) {
			c.t.Fatalf("kafkatest: broker %d ended: %v\n%s", b.id, b.failure(), b.tail())
		}
	}
}

// tellsOf asks a broker for metadata and returns nil if it knows those brokers, no others, and leaders of all their partitions.
func (b *broker) tellsOf(ids []int32) error {
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	conf.Net.DialTimeout, conf.Net.ReadTimeout, conf.Net.WriteTimeout = 5*time.Second, 5*time.Second, 5*time.Second
	conn := sarama.NewBroker(fmt.Sprintf("127.0.0.1:%d", b.port))
	if err := conn.Open(conf); err != nil {
		return err
	}
	if _, err := conn.Connected(); err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it was only asked
	resp, err := conn.GetMetadata(sarama.NewMetadataRequest(conf.Version, nil))
	if err != nil {
		return err
	}
	var got []int32
	for _, other := range resp.Brokers {
		got = append(got, other.ID())
	}
	if slices.Sort(got); !slices.Equal(got, ids) {
		return fmt.Errorf("it knows brokers %v, wanted %v", got, ids)
	}
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			alive := slices.ContainsFunc(p.Replicas, func(id int32) bool { return slices.Contains(ids, id) })
			if alive && !slices.Contains(ids, p.Leader) {
				return fmt.Errorf("%s:%d has no leader", topic.Name, p.ID)
			}
		}
	}
	return nil
}

// end kills what runs and removes what is not needed any more.
func (c *Cluster) end() {
	for _, b := range c.brokers {
		if b.dump != "" && !c.t.Failed() {
			_ = b.stop(patience) // for the archive, which it writes as it ends
		}
		b.kill()
	}
	if !c.t.Failed() {
		if err := os.RemoveAll(c.dir); err != nil {
			c.t.Errorf("kafkatest: %v", err)
		}
		return
	}
	var logs []string
	for _, b := range c.brokers {
		logs = append(logs, b.path("log"))
	}
	c.t.Logf("kafkatest: the brokers' files are kept: %s", strings.Join(logs, " "))
}
