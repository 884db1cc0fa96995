//go:build kafka

package consumer_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/xdg-go/scram"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/kafkatest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// What goes wrong is said, and nothing is lost by it.
func TestKafkaFaults(t *testing.T) {
	c := startKafka(t, kafkatest.Config{
		Users: map[string]string{"alice": "right-pw", "bob": "bobs-pw"},
		Properties: map[string]string{
			"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer", "super.users": "User:ANONYMOUS;User:alice",
		},
	})
	for _, test := range []struct {
		name string
		f    func(*testing.T, *realCluster)
	}{
		{"logins and listeners", logins}, {"rights", rights}, {"refused by the coordinator", refusals}, {"fenced", fenced},
		{"static restart", staticRestart}, {"topic created late", createdLate}, {"topic deleted", deleted}, {"partitions added", grown},
		{"assignors that fail", badAssignors},
	} {
		t.Run(test.name, func(t *testing.T) { test.f(t, c) })
	}
}

// secure returns settings for the listener with TLS and SCRAM.
func secure(t *testing.T, c *realCluster, user, password string) *sarama.Config {
	t.Helper()
	pem, err := os.ReadFile(c.Authority.File)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	conf := sarama.NewConfig()
	conf.Net.TLS.Enable, conf.Net.TLS.Config = true, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	conf.Net.SASL.Enable, conf.Net.SASL.Mechanism, conf.Net.SASL.User, conf.Net.SASL.Password = true, sarama.SASLTypeSCRAMSHA512, user, password
	conf.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient { return &scramLogin{} }
	return conf
}

// A scramLogin is one login, as Sarama wants it.
type scramLogin struct{ *scram.ClientConversation }

func (s *scramLogin) Begin(user, password, authzID string) error {
	client, err := scram.SHA512.NewClient(user, password, authzID)
	if err == nil {
		s.ClientConversation = client.NewConversation()
	}
	return err
}

// runs returns what Run returns, which has to be soon.
func runs(t *testing.T, cfg consumer.Config) error {
	t.Helper()
	return start(t, "failing", cfg, nil).ended()
}

// logins uses listeners as they are meant, and not.
func logins(t *testing.T, c *realCluster) {
	const topic = "logins"
	c.Create(t, topic, 2)
	c.fill(t, topic, 2, 10)
	cfg := config(c.SecureAddrs(), topic, topic)
	cfg.Sarama = secure(t, c, "alice", "right-pw")
	m := start(t, "a", cfg, nil)
	m.waitRecords(20)
	m.closes()
	c.waitCommitted(t, topic, topic, 2)

	other, err := net.Listen("tcp", "127.0.0.1:0") // no broker: says something else
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			conn.Close()
		}
	}()
	var checks []func() // all run at the same time, as several try for ten seconds
	for _, test := range []struct {
		name   string
		addrs  []string
		change func(*sarama.Config)
		want   string
	}{
		{"wrong password", c.SecureAddrs(), func(s *sarama.Config) { s.Net.SASL.Password = "wrong-pw" }, "SASL"},
		{"unknown authority", c.SecureAddrs(), func(s *sarama.Config) { s.Net.TLS.Config.RootCAs = x509.NewCertPool() }, "certificate"},
		{"plain on a TLS port", c.SecureAddrs(), func(s *sarama.Config) { s.Net.TLS.Enable = false }, "does that port want TLS"},
		{"TLS on a plain port", c.Addrs(), func(s *sarama.Config) { s.Net.SASL.Enable = false }, "is that the port for TLS"},
		{"login on a plain port", c.Addrs(), func(s *sarama.Config) { s.Net.TLS.Enable = false }, "SASL"},
		{"nobody listens", []string{"127.0.0.1:1"}, func(s *sarama.Config) { s.Net.SASL.Enable, s.Net.TLS.Enable = false, false }, "127.0.0.1:1"},
		{"no such host", []string{"nowhere.invalid:9092"}, func(s *sarama.Config) { s.Net.SASL.Enable, s.Net.TLS.Enable = false, false }, "nowhere.invalid"},
		{"no broker", []string{other.Addr().String()}, func(s *sarama.Config) { s.Net.SASL.Enable, s.Net.TLS.Enable = false, false }, other.Addr().String()},
	} {
		cfg := config(test.addrs, topic, topic)
		cfg.Sarama = secure(t, c, "alice", "right-pw")
		test.change(cfg.Sarama)
		failing := start(t, test.name, cfg, nil)
		checks = append(checks, func() {
			err := failing.ended()
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "right-pw") {
				t.Errorf("%s: instead of %q: %v", test.name, test.want, err)
			}
		})
	}
	for _, check := range checks {
		check()
	}
}

// rights are those of a user who may read a topic, but in no group, and of one who may do so in a group, but not the topic.
func rights(t *testing.T, c *realCluster) {
	c.Create(t, "rights", 1)
	c.Create(t, "secret", 1)
	allow := func(kind sarama.AclResourceType, name string) {
		t.Helper()
		acls := &sarama.ResourceAcls{
			Resource: sarama.Resource{ResourceType: kind, ResourceName: name, ResourcePatternType: sarama.AclPatternLiteral},
			Acls:     []*sarama.Acl{{Principal: "User:bob", Host: "*", Operation: sarama.AclOperationRead, PermissionType: sarama.AclPermissionAllow}},
		}
		if err := c.Admin.CreateACLs([]*sarama.ResourceAcls{acls}); err != nil {
			t.Fatal(err)
		}
	}
	allow(sarama.AclResourceTopic, "rights")
	cfg := config(c.SecureAddrs(), "rights", "rights")
	cfg.Sarama = secure(t, c, "bob", "bobs-pw")
	if err := runs(t, cfg); !errors.Is(err, consumer.ErrGroupUnauthorized) {
		t.Errorf("a group without rights: %v", err)
	}
	allow(sarama.AclResourceGroup, "rights")
	cfg.Topics = []string{"secret"}
	if err := runs(t, cfg); !errors.Is(err, consumer.ErrTopicUnauthorized) || !strings.Contains(err.Error(), "secret") {
		t.Errorf("a topic without rights: %v", err)
	}
	cfg.Topics = []string{"rights", "secret"} // what may be read is
	m := start(t, "bob", cfg, nil)
	c.produce(t, "rights", 0, 3)
	m.waitRecords(3)
	m.sees("the lack of rights", func(e consumer.Event) bool {
		r, ok := e.(consumer.ReadTrouble)
		return ok && errors.Is(r.Err, consumer.ErrTopicUnauthorized) && r.Partition.Topic == "secret"
	})
}

func refusals(t *testing.T, c *realCluster) {
	const topic = "refusals"
	c.Create(t, topic, 1)
	cfg := config(c.Addrs(), topic, topic)
	cfg.SessionTimeout, cfg.HeartbeatInterval = time.Second, 100*time.Millisecond
	if err := runs(t, cfg); !errors.Is(err, consumer.ErrSession) {
		t.Errorf("a session that is too short: %v", err)
	}
	cfg = config(c.Addrs(), topic, topic)
	cfg.Assignors = []strategy.Assignor{rangeassign.Assignor{}}
	a := start(t, "a", cfg, nil)
	a.waitOwned(1)
	cfg.Assignors = []strategy.Assignor{roundrobin.Assignor{}}
	if err := runs(t, cfg); !errors.Is(err, consumer.ErrNoCommonAssignor) {
		t.Errorf("no assignor in common: %v", err)
	}
	c.produce(t, topic, 0, 1)
	a.waitRecords(1)
	if got := a.noted(); len(got) != 1 {
		t.Errorf("the member that was there: %q", got)
	}
}

// fenced has a second process take over an instance id.
func fenced(t *testing.T, c *realCluster) {
	const topic = "fenced"
	c.Create(t, topic, 3)
	c.fill(t, topic, 3, 10)
	cfg := config(c.Addrs(), topic, topic)
	cfg.InstanceID = "same"
	a := start(t, "a", cfg, nil)
	a.waitRecords(30)
	c.waitCommitted(t, topic, topic, 3)
	b := start(t, "b", cfg, nil)
	if err := a.ended(); !errors.Is(err, consumer.ErrFenced) {
		t.Errorf("Run returned %v", err)
	}
	if got, want := a.noted(), []string{"assign fenced-0 fenced-1 fenced-2", "lost(fenced) fenced-0 fenced-1 fenced-2"}; !slices.Equal(got, want) {
		t.Errorf("callbacks %q, want %q", got, want)
	}
	b.waitOwned(3)
	c.fill(t, topic, 3, 10)
	b.waitRecords(30)
	inOrder(t, b.handled())
	if got := len(b.handled()); got != 30 {
		t.Errorf("%d records", got)
	}
}

// staticRestart restarts one of two static members: the other's callbacks are not called. Where it was the follower, the other does not
// even notice.
func staticRestart(t *testing.T, c *realCluster) {
	const topic = "static"
	c.Create(t, topic, 4)
	static := func(id string) consumer.Config {
		cfg := config(c.Addrs(), topic, topic)
		cfg.InstanceID = id
		return cfg
	}
	a := start(t, "a", static("one"), nil)
	a.waitOwned(4)
	b := start(t, "b", static("two"), nil)
	b.waitOwned(2)
	a.waitOwned(2)
	restart := func(old, other *member, id string) *member {
		t.Helper()
		c.waitShared(t, topic, 2, 4)
		had, log := old.has(), other.noted()
		old.closes()
		c.fill(t, topic, 4, 5)
		again := start(t, old.name+" again", static(id), nil)
		again.waitRecords(10)
		if got := again.has(); !slices.Equal(got, had) {
			t.Errorf("%s had %q and has %q", old.name, had, got)
		}
		if now := other.noted(); !slices.Equal(now, log) {
			t.Errorf("%s restarted: the other member's callbacks were %q and are %q", old.name, log, now)
		}
		return again
	}
	a.polls("the end of the round in which b has come", func() bool {
		list := a.rounds()
		return list[len(list)-1].Generation == b.Stats().Generation
	})
	rounds := len(a.rounds())
	restart(b, a, "two")
	if now := len(a.rounds()); now != rounds {
		t.Errorf("the follower restarted: the leader has seen %d rebalances more", now-rounds)
	}
	restart(a, b, "one")
}

// createdLate waits for a topic, and reads it from its beginning although it starts at the end elsewhere.
func createdLate(t *testing.T, c *realCluster) {
	c.Create(t, "early", 1)
	cfg := config(c.Addrs(), "late", "early", "late")
	cfg.Start.From = callbacks.FromLatest
	m := start(t, "a", cfg, nil)
	m.sees("the missing topic", func(e consumer.Event) bool { return e == consumer.TopicMissing{Topic: "late"} })
	m.waitOwned(1)
	c.Create(t, "late", 2)
	c.fill(t, "late", 2, 5)
	m.waitOwned(3)
	m.sees("the topic", func(e consumer.Event) bool { return e == consumer.TopicFound{Topic: "late", Partitions: 2} })
	m.waitRecords(10)
	c.waitCommitted(t, "late", "late", 2)
}

// deleted deletes one topic of two while both are read, and makes it anew. Everybody who had some of it is told, also who hears of it only by
// the rebalance that another member has begun. What is made anew is read from its beginning, though members start at the end elsewhere.
func deleted(t *testing.T, c *realCluster) {
	c.Create(t, "kept", 2)
	c.Create(t, "gone", 4)
	w := c.write(t, "kept", 2, 10*time.Millisecond)
	c.fill(t, "gone", 4, 10)
	cfg := config(c.Addrs(), "deleted", "kept", "gone")
	cfg.Start.From = callbacks.FromLatest
	a := start(t, "a", cfg, nil)
	a.waitOwned(6)
	cfg.TopicInterval = time.Hour
	b := start(t, "b", cfg, nil)
	b.waitOwned(3)
	a.waitOwned(3)
	c.fill(t, "gone", 4, 10)
	c.waitCommitted(t, "deleted", "gone", 4)
	before := map[*member]int{a: len(a.noted()), b: len(b.noted())}
	if err := c.Admin.DeleteTopic("gone"); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*member{a, b} {
		m.wait("the loss", func() bool {
			return m.owned["gone-0"]+m.owned["gone-1"]+m.owned["gone-2"]+m.owned["gone-3"] == 0
		})
		if log := strings.Join(m.noted()[before[m]:], ", "); !strings.Contains(log, "lost(deleted) gone-") || strings.Contains(log, "revoke gone-") {
			t.Errorf("%s was not told that the topic is deleted: %s", m.name, log)
		}
	}
	c.waitShared(t, "deleted", 2, 2)
	handled := len(a.handled()) + len(b.handled())
	eventually(t, "more records", func() (string, bool) { return "none", len(a.handled())+len(b.handled()) > handled+20 })
	for _, m := range []*member{a, b} {
		m.becomesReady()
	}
	ofA, ofB := len(of("gone", a)), len(of("gone", b))
	c.Create(t, "gone", 2)
	c.fill(t, "gone", 2, 7)
	c.waitShared(t, "deleted", 2, 4)
	w.stop()
	c.waitCommitted(t, "deleted", "kept", 2)
	c.waitCommitted(t, "deleted", "gone", 2)
	got := slices.Concat(of("gone", a)[ofA:], of("gone", b)[ofB:])
	slices.Sort(got)
	if len(got) != 14 || got[0] != "gone-0@0" || got[7] != "gone-1@0" || len(slices.Compact(got)) != 14 {
		t.Errorf("of the new topic %q were handled", got)
	}
}

// of returns the records of a topic that a member has handled, in order.
func of(topic string, m *member) (list []string) {
	for _, r := range m.handled() {
		if strings.HasPrefix(r, topic+"-") {
			list = append(list, r)
		}
	}
	return list
}

// grown adds partitions to a topic that is read from its end: of the new ones nothing is missed.
func grown(t *testing.T, c *realCluster) {
	const topic = "grown"
	c.Create(t, topic, 2)
	c.fill(t, topic, 2, 5)
	cfg := config(c.Addrs(), topic, topic)
	cfg.Start.From = callbacks.FromLatest
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	b := start(t, "b", cfg, nil)
	b.waitOwned(1)
	c.waitCommitted(t, topic, topic, 2)
	if err := c.Admin.CreatePartitions(topic, 5, nil, false); err != nil {
		t.Fatal(err)
	}
	c.Await(t, topic, 5)
	for p := range int32(3) {
		c.produce(t, topic, 2+p, 10)
	}
	c.waitShared(t, topic, 2, 5)
	c.waitCommitted(t, topic, topic, 5)
	records := newTally()
	records.add("a", a.handled()...)
	records.add("b", b.handled()...)
	records.once(t, topic, map[int32]int64{2: 10, 3: 10, 4: 10})
	if got := len(a.handled()) + len(b.handled()); got != 30 {
		t.Errorf("%d records, want those of the new partitions", got)
	}
}

// badAssignors has a leader whose assignor fails in every way: the group goes on.
func badAssignors(t *testing.T, c *realCluster) {
	forever := make(chan struct{})
	defer close(forever)
	good := strategy.Cooperative(sticky.Assignor{})
	for name, test := range map[string]struct {
		cause strategy.Cause
		f     func(context.Context, *strategy.Group) (strategy.Assignment, error)
	}{
		"panics": {strategy.CausePanic, func(context.Context, *strategy.Group) (strategy.Assignment, error) { panic("no") }},
		"fails": {strategy.CauseError, func(context.Context, *strategy.Group) (strategy.Assignment, error) {
			return strategy.Assignment{}, errors.New("no")
		}},
		"loops": {strategy.CauseDeadline, func(context.Context, *strategy.Group) (strategy.Assignment, error) {
			<-forever
			return strategy.Assignment{}, nil
		}},
		"rubbish": {strategy.CauseInvalid, func(context.Context, *strategy.Group) (strategy.Assignment, error) {
			return strategy.Assignment{Members: map[string][]strategy.TopicPartitions{"nobody": {{Topic: "nothing", Partitions: []int32{-1, 7, 7}}}}}, nil
		}},
	} {
		topic := "bad-" + name
		c.Create(t, topic, 4)
		c.fill(t, topic, 4, 5)
		cfg := config(c.Addrs(), topic, topic)
		cfg.AssignTimeout = 200 * time.Millisecond
		cfg.Assignors = []strategy.Assignor{badAssignor{test.f}}
		leader := start(t, "leader", cfg, nil)
		leader.waitRecords(20)
		cfg.Assignors = []strategy.Assignor{badAssignor{good.Assign}}
		follower := start(t, "follower", cfg, nil)
		c.waitShared(t, topic, 2, 4) // whose owners keep what they have, where nobody can say better
		if err := c.Admin.CreatePartitions(topic, 8, nil, false); err != nil {
			t.Fatal(err)
		}
		follower.waitOwned(4)
		leader.waitOwned(4)
		leader.sees("the failure", func(e consumer.Event) bool {
			f, ok := e.(consumer.AssignorFailed)
			return ok && f.Failure.Cause == test.cause
		})
		for _, m := range []*member{leader, follower} {
			if err := m.close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
