//go:build kafka

package lanes_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
)

func kafkaConfig() *sarama.Config {
	conf := sarama.NewConfig()
	conf.Version, conf.ClientID = sarama.MaxVersion, "test"
	return conf
}

// Members of a real broker join, share, commit, fetch and leave, as configured for several versions; bytes come through; who is static
// keeps its place.
func TestKafka(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{Properties: map[string]string{"group.initial.rebalance.delay.ms": "0"}})
	client := connect(t, c.Addrs(), kafkaConfig())
	c.Client().Create(t, "orders", 6)
	for _, v := range []sarama.KafkaVersion{sarama.MaxVersion, sarama.V2_4_0_0, sarama.V2_5_0_0} {
		t.Run(v.String(), func(t *testing.T) {
			conf := kafkaConfig()
			conf.Version = v
			members(t, connect(t, c.Addrs(), conf))
		})
	}
	t.Run("bytes", func(t *testing.T) {
		l, arrived := open(t, client)
		node := locate(t, l, arrived)
		odd := subscription(t, bytes.Repeat([]byte{0, 0x80, 0xff}, 20_000))
		body := joining("")
		body.InstanceID, body.Reason, body.Offers = "billing-7", strings.Repeat("é", 300), []wire.Offer{{Name: "any", Metadata: odd}}
		joined := awaitJoin(t, l, arrived, node, body)
		if len(joined.Members) != 1 || !bytes.Equal(joined.Members[0].Metadata, odd) || joined.Members[0].InstanceID != "billing-7" {
			t.Fatalf("joined: %d members", len(joined.Members))
		}
		synced := ask[wire.SyncReply](t, l, arrived, group(50, node, wire.Sync{Group: "billing", MemberID: joined.MemberID, InstanceID: "billing-7", Generation: joined.Generation,
			Assignments: []protocol.MemberAssignment{{ID: joined.MemberID, Assignment: odd}}}))
		if synced.Code != wire.None || !bytes.Equal(synced.Assignment, odd) {
			t.Errorf("synced: %v, %d bytes", synced.Code, len(synced.Assignment))
		}
		commit := wire.Commit{Group: "billing", MemberID: joined.MemberID, InstanceID: "billing-7", Generation: joined.Generation, Offsets: []wire.Offset{at("orders", 5, 1), at("nowhere", 0, 1)}}
		if r := ask[wire.CommitReply](t, l, arrived, offsets(51, node, commit)); r.Codes[0] != wire.None || r.Codes[1] != wire.UnknownTopicOrPartition {
			t.Errorf("commit: %v", r.Codes)
		}
		if r := ask[wire.LeaveReply](t, l, arrived, offsets(52, node, wire.Leave{Group: "billing", MemberID: "nobody"})); r.Code != wire.UnknownMemberID {
			t.Errorf("leaving as nobody: %v", r.Code)
		}
		if r := ask[wire.LeaveReply](t, l, arrived, offsets(53, node, wire.Leave{Group: "billing", InstanceID: "billing-7", Reason: "done"})); r.Code != wire.None {
			t.Errorf("leaving: %v", r.Code)
		}
	})
	t.Run("static", func(t *testing.T) { static(t, client, true) })
	t.Run("a join ends at once", func(t *testing.T) { kafkaBreak(t, client) })
	t.Run("TLS on plaintext", func(t *testing.T) {
		conf := kafkaConfig()
		conf.Net.TLS.Enable, conf.Net.TLS.Config = true, &tls.Config{ServerName: "localhost", MinVersion: tls.VersionTLS12}
		if got := refused(t, client, conf, c.Addrs()[0]); !strings.Contains(got, "is that the port for TLS") {
			t.Error(got)
		}
	})
}

// subscription is one to orders. A broker must be able to read its topics: on anything else Kafka 4.3 never answers the group's joins.
func subscription(t *testing.T, user []byte) []byte {
	t.Helper()
	s := protocol.Subscription{Topics: []string{"orders"}, UserData: user}
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// awaitJoin joins until the group is as it has to be.
func awaitJoin(t *testing.T, l *lanes.Lanes, arrived <-chan lanes.Delivery, node int32, body wire.Join) (joined wire.JoinReply) {
	t.Helper()
	id := uint64(10)
	embeddedtest.Eventually(t, "the member has joined", func() bool {
		id++
		joined = ask[wire.JoinReply](t, l, arrived, group(id, node, body))
		if joined.Code == wire.MemberIDRequired {
			body.MemberID = joined.MemberID
		}
		return joined.Code == wire.None
	})
	return joined
}

// kafkaBreak has a second member's join wait for the first, which does not come, and breaks it.
func kafkaBreak(t *testing.T, client sarama.Client) {
	plain := func(id string) wire.Join {
		body := joining(id)
		body.Offers = []wire.Offer{{Name: "any", Metadata: subscription(t, nil)}}
		return body
	}
	one, ones := open(t, client)
	node := locate(t, one, ones)
	first := awaitJoin(t, one, ones, node, plain(""))
	ask[wire.SyncReply](t, one, ones, group(50, node, wire.Sync{Group: "billing", MemberID: first.MemberID, Generation: first.Generation}))
	two, twos := open(t, client)
	locate(t, two, twos)
	named := ask[wire.JoinReply](t, two, twos, group(2, node, plain("")))
	two.Send(group(3, node, plain(named.MemberID)))
	id := uint64(60)
	embeddedtest.Eventually(t, "the join waits", func() bool {
		id++
		beat := ask[wire.HeartbeatReply](t, one, ones, group(id, node, wire.Heartbeat{Group: "billing", MemberID: first.MemberID, Generation: first.Generation}))
		return beat.Code == wire.RebalanceInProgress
	})
	two.Break(membership.Group)
	if r := ask[wire.LeaveReply](t, two, twos, offsets(4, node, wire.Leave{Group: "billing", MemberID: named.MemberID})); r.Code != wire.None {
		t.Errorf("leaving: %v", r.Code)
	}
	ask[wire.LeaveReply](t, one, ones, offsets(99, node, wire.Leave{Group: "billing", MemberID: first.MemberID}))
	two.Close()
	if len(twos) != 0 {
		t.Errorf("delivered: %+v", (<-twos).Input)
	}
}

// refused returns what is said of an address that cannot be used as configured.
func refused(t *testing.T, client sarama.Client, conf *sarama.Config, addr string) string {
	t.Helper()
	arrived := make(chan lanes.Delivery, 10)
	l := lanes.New(lanes.Config{Client: other{client, conf}, Group: "billing", Seeds: []string{addr}, Rebalance: time.Minute, Request: 10 * time.Second},
		func(d lanes.Delivery) { arrived <- d })
	defer l.Close()
	l.Send(membership.Request{ID: 1, Lane: membership.Any, Node: -1, Body: wire.FindCoordinator{Group: "billing"}})
	broke(t, arrived, membership.Any)
	return l.LastError().Error()
}

// Logins and TLS are those of the client's configuration.
func TestKafkaSecure(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{Users: map[string]string{"alice": "right-pw"}, Properties: map[string]string{"group.initial.rebalance.delay.ms": "0"}})
	c.Client().Create(t, "orders", 6)
	pem, err := os.ReadFile(c.Authority.File)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	secure := func() *sarama.Config {
		conf := kafkaConfig()
		conf.Net.TLS.Enable, conf.Net.TLS.Config = true, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		conf.Net.SASL.Enable, conf.Net.SASL.Mechanism, conf.Net.SASL.User, conf.Net.SASL.Password = true, sarama.SASLTypePlaintext, "alice", "right-pw"
		return conf
	}
	client := connect(t, c.SecureAddrs(), secure())
	members(t, client)
	for _, test := range []struct {
		want   string
		change func(*sarama.Config)
	}{
		{"check Net.SASL", func(conf *sarama.Config) { conf.Net.SASL.Password = "wr0ng-pw" }},
		{"no authority", func(conf *sarama.Config) { conf.Net.TLS.Config.RootCAs = x509.NewCertPool() }},
		{"does that port want TLS?", func(conf *sarama.Config) { conf.Net.TLS.Enable = false }},
	} {
		conf := secure()
		test.change(conf)
		if got := refused(t, client, conf, c.SecureAddrs()[0]); !strings.Contains(got, test.want) || strings.Contains(got, "right-pw") {
			t.Errorf("instead of %q: %s", test.want, got)
		}
	}
}

// Members outlive their coordinator: same partitions, same generation, and no commit is lost.
func TestKafkaCoordinatorKilled(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{Brokers: 3, Properties: map[string]string{"group.initial.rebalance.delay.ms": "0"}})
	client := connect(t, c.Addrs(), kafkaConfig())
	c.Client().Create(t, "orders", 6)
	a, b := join(t, client, nil), join(t, client, nil)
	embeddedtest.Eventually(t, "both have three", func() bool { return a.settled(3) && b.settled(3) })
	who, err := client.Coordinator("billing")
	if err != nil {
		t.Fatal(err)
	}
	_, mine, _ := a.identity()
	generation := a.generation()
	c.Kill(slices.Index(c.Addrs(), who.Addr()))
	began := time.Now()
	for i := range int64(3) {
		if codes := a.store(at(mine[0].Topic, mine[0].Partition, 100+i)); codes[0] != wire.None {
			t.Errorf("commit %d: %v", i, codes)
		}
	}
	t.Logf("the first commits took %v", time.Since(began))
	embeddedtest.Eventually(t, "both are at rest", func() bool { return a.settled(3) && b.settled(3) })
	_, now, lost := a.identity()
	if lost != 0 || !slices.Equal(now, mine) || a.generation() != generation {
		t.Errorf("had %v in generation %d, has %v in %d, lost %d times", mine, generation, now, a.generation(), lost)
	}
	found, err := b.lanes.Committed(t.Context(), mine[:1])
	if err != nil || found[mine[0]].Offset != 102 {
		t.Errorf("committed: %v, %v", found, err)
	}
}
