package lanes_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
)

func joining(id string) wire.Join {
	return wire.Join{Group: "billing", MemberID: id, Session: 10 * time.Second, Rebalance: time.Minute, Offers: []wire.Offer{{Name: "any", Metadata: []byte("x")}}}
}

func group(id uint64, node int32, body wire.Request) membership.Request {
	return membership.Request{ID: id, Lane: membership.Group, Node: node, Body: body}
}

func offsets(id uint64, node int32, body wire.Request) membership.Request {
	return membership.Request{ID: id, Lane: membership.Offsets, Node: node, Body: body}
}

// silence has requests of a kind reach the cluster and stay there. It returns what gets one value for each.
func silence(c *embedded.Cluster, key kmsg.Key) <-chan struct{} {
	came := make(chan struct{}, 100)
	c.Fake().ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		came <- struct{}{}
		return nil, nil, true
	})
	return came
}

// Whatever members say of themselves, and leaders of others, comes through byte by byte, in the order in which it was given.
func TestBytesComeThrough(t *testing.T) {
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	odd := [][]byte{{}, {0xff, 0xff, 0xff, 0xff, 0, 1}, bytes.Repeat([]byte{0, 0x80}, 40_000)}
	body := joining("")
	body.InstanceID, body.ClientID, body.Reason = "billing-1", "test", "why not"
	body.Offers = nil
	for i, name := range []string{"zebra", "apple", "mango"} {
		body.Offers = append(body.Offers, wire.Offer{Name: name, Metadata: odd[2-i]})
	}
	var seen *kmsg.JoinGroupRequest
	c.Fake().ControlKey(int16(kmsg.JoinGroup), func(r kmsg.Request) (kmsg.Response, error, bool) {
		seen = r.(*kmsg.JoinGroupRequest)
		return nil, nil, false
	})
	joined := ask[wire.JoinReply](t, l, arrived, group(2, node, body))
	if joined.Code != wire.None || joined.Protocol != "zebra" || joined.Leader != joined.MemberID || len(joined.Members) != 1 {
		t.Fatalf("joined: %+v", joined)
	}
	if m := joined.Members[0]; m.ID != joined.MemberID || m.InstanceID != "billing-1" || !bytes.Equal(m.Metadata, odd[2]) {
		t.Errorf("the member: %s %s, %d bytes", m.ID, m.InstanceID, len(m.Metadata))
	}
	if seen.SessionTimeoutMillis != 10_000 || seen.RebalanceTimeoutMillis != 60_000 || seen.ProtocolType != "consumer" || seen.Reason == nil || *seen.Reason != "why not" {
		t.Errorf("the broker saw %+v", seen)
	}
	for i, p := range seen.Protocols {
		if p.Name != body.Offers[i].Name || !bytes.Equal(p.Metadata, body.Offers[i].Metadata) {
			t.Errorf("offer %d is %s with %d bytes", i, p.Name, len(p.Metadata))
		}
	}
	for i, given := range odd[1:] { // the cluster replaces an empty one
		synced := ask[wire.SyncReply](t, l, arrived, group(uint64(3+2*i), node, wire.Sync{Group: "billing", MemberID: joined.MemberID, InstanceID: "billing-1", Generation: joined.Generation,
			Assignments: []protocol.MemberAssignment{{ID: joined.MemberID, Assignment: given}}}))
		if synced.Code != wire.None || !bytes.Equal(synced.Assignment, given) {
			t.Errorf("synced: %v, %d bytes", synced.Code, len(synced.Assignment))
		}
		rejoin := body
		rejoin.MemberID, rejoin.Reason = joined.MemberID, ""
		rejoin.Offers = []wire.Offer{{Name: "zebra", Metadata: []byte{byte(i)}}}
		joined = ask[wire.JoinReply](t, l, arrived, group(uint64(4+2*i), node, rejoin))
	}
}

// Kafka's codes are replies, wherever in the answer they are.
func TestCodes(t *testing.T) {
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	first := ask[wire.JoinReply](t, l, arrived, group(2, node, joining("")))
	if first.Code != wire.MemberIDRequired || first.MemberID == "" {
		t.Fatalf("a first join: %+v", first)
	}
	joined := ask[wire.JoinReply](t, l, arrived, group(3, node, joining(first.MemberID)))
	if joined.Code != wire.None {
		t.Fatalf("joined: %+v", joined)
	}
	if r := ask[wire.SyncReply](t, l, arrived, group(4, node, wire.Sync{Group: "billing", MemberID: first.MemberID, Generation: joined.Generation})); r.Code != wire.None {
		t.Errorf("sync: %v", r.Code)
	}
	if r := ask[wire.HeartbeatReply](t, l, arrived, group(5, node, wire.Heartbeat{Group: "billing", MemberID: first.MemberID, Generation: joined.Generation + 1})); r.Code != wire.IllegalGeneration {
		t.Errorf("heartbeat: %v", r.Code)
	}
	commit := wire.Commit{Group: "billing", MemberID: first.MemberID, Generation: joined.Generation, Offsets: []wire.Offset{at("payments", 1, 5), at("nowhere", 7, 5), at("orders", 0, 5)}}
	r := ask[wire.CommitReply](t, l, arrived, offsets(6, node, commit))
	if len(r.Codes) != 3 || r.Codes[0] != wire.None || r.Codes[1] != wire.UnknownTopicOrPartition || r.Codes[2] != wire.None {
		t.Errorf("commit: %v", r.Codes)
	}
	c.Fake().ControlKey(int16(kmsg.OffsetCommit), func(r kmsg.Request) (kmsg.Response, error, bool) { return r.ResponseKind(), nil, true })
	commit.Offsets = commit.Offsets[:1]
	if r := ask[wire.CommitReply](t, l, arrived, offsets(9, node, commit)); len(r.Codes) != 1 || r.Codes[0] != wire.NetworkException {
		t.Errorf("a commit whose answer is empty: %v", r.Codes)
	}
	long := strings.Repeat("é", 200) // 400 bytes, and the limit is within one of them
	var reason string
	c.Fake().ControlKey(int16(kmsg.LeaveGroup), func(r kmsg.Request) (kmsg.Response, error, bool) {
		reason = *r.(*kmsg.LeaveGroupRequest).Members[0].Reason
		return nil, nil, false
	})
	if r := ask[wire.LeaveReply](t, l, arrived, offsets(7, node, wire.Leave{Group: "billing", MemberID: "nobody", Reason: long})); r.Code != wire.UnknownMemberID {
		t.Errorf("leaving as somebody else: %v", r.Code)
	}
	if len(reason) != 254 || !utf8.ValidString(reason) {
		t.Errorf("the reason has %d bytes", len(reason))
	}
	if r := ask[wire.LeaveReply](t, l, arrived, offsets(8, node, wire.Leave{Group: "billing", MemberID: first.MemberID, Reason: "done"})); r.Code != wire.None {
		t.Errorf("leaving: %v", r.Code)
	}
}

// A join that nobody answers ends with its lane, at once, and without a word; the lane works again after that.
func TestBreakEndsAJoin(t *testing.T) {
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	came := silence(c, kmsg.JoinGroup)
	l.Send(group(2, node, joining("")))
	<-came
	l.Send(group(3, node, joining(""))) // waits behind the first, and is dropped with it
	l.Break(membership.Group)
	c.Fake().ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, nil, false })
	ask[wire.HeartbeatReply](t, l, arrived, group(4, node, wire.Heartbeat{Group: "billing", MemberID: "nobody"}))
	if len(came) != 0 {
		t.Error("the second join was sent")
	}
}

// A coordinator that asks for a pause of an hour holds up neither a lane that is broken, nor the end.
func TestThrottled(t *testing.T) {
	embeddedtest.Leave(t)
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	c.Fake().ControlKey(int16(kmsg.Heartbeat), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		resp := r.ResponseKind().(*kmsg.HeartbeatResponse)
		resp.ThrottleMillis = 3_600_000
		return resp, nil, true
	})
	beat := wire.Heartbeat{Group: "billing", MemberID: "nobody"}
	ask[wire.HeartbeatReply](t, l, arrived, group(2, node, beat))
	l.Send(group(3, node, beat))
	time.Sleep(20 * time.Millisecond) // so that the request is held back; sooner is right as well
	l.Break(membership.Group)
	ask[wire.HeartbeatReply](t, l, arrived, group(4, node, beat))
	l.Send(group(5, node, beat))
	time.Sleep(20 * time.Millisecond)
	l.Close()
}

// Close ends what is under way, on every lane, and nothing is delivered after it.
func TestCloseEndsAll(t *testing.T) {
	c := start(t, 1)
	client := connect(t, c.Addrs(), c.Config("test"))
	l, arrived := open(t, client)
	node := locate(t, l, arrived)
	joins, commits, finds, fetches := silence(c, kmsg.JoinGroup), silence(c, kmsg.OffsetCommit), silence(c, kmsg.FindCoordinator), silence(c, kmsg.OffsetFetch)
	l.Send(group(2, node, joining("")))
	l.Send(offsets(3, node, wire.Commit{Group: "billing", Offsets: []wire.Offset{at("orders", 0, 1)}}))
	l.Send(membership.Request{ID: 4, Lane: membership.Any, Node: -1, Body: wire.FindCoordinator{Group: "billing"}})
	<-joins
	<-commits
	<-finds
	l.Close()
	l.Send(group(5, node, joining("")))
	if len(arrived) != 0 {
		t.Errorf("delivered: %+v", (<-arrived).Input)
	}
	if _, err := l.Committed(t.Context(), parts("orders", 1)); err == nil || len(fetches) != 0 {
		t.Errorf("a fetch after the end: %v", err)
	}
	l.Close()
}

// A connection that breaks is a disconnection for all that waits in its lane, and the next request has a new one. What was delivered
// before the lane was broken is not current after it.
func TestDisconnected(t *testing.T) {
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	beat := wire.Heartbeat{Group: "billing", MemberID: "nobody"}
	came, both := make(chan struct{}), make(chan struct{})
	c.Fake().ControlKey(int16(kmsg.Heartbeat), func(kmsg.Request) (kmsg.Response, error, bool) {
		close(came)
		<-both
		return nil, context.Canceled, true
	})
	l.Send(group(2, node, beat))
	<-came
	l.Send(group(3, node, beat))
	close(both)
	broke(t, arrived, membership.Group)
	if err := l.LastError(); err == nil || !strings.Contains(err.Error(), c.Addrs()[0]) {
		t.Errorf("the error is %v", err)
	}
	ask[wire.HeartbeatReply](t, l, arrived, group(4, node, beat)) // not an answer to 3
	if err := l.LastError(); err != nil {
		t.Errorf("it works again, and the error is %v", err)
	}
	l.Send(group(5, node, beat))
	d := next(t, arrived)
	l.Break(membership.Offsets)
	if !l.Current(d) {
		t.Error("another lane's end made it stale")
	}
	l.Break(membership.Group)
	if l.Current(d) {
		t.Error("an answer from before the lane was broken is current")
	}
}

// A commit on a connection that the broker has closed since the last one is sent again.
func TestIdleConnectionClosed(t *testing.T) {
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	body := wire.Commit{Group: "billing", Generation: -1, Offsets: []wire.Offset{at("orders", 0, 1)}}
	ask[wire.CommitReply](t, l, arrived, offsets(2, node, body))
	c.Fake().ControlKey(int16(kmsg.OffsetCommit), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, context.Canceled, true })
	if r := ask[wire.CommitReply](t, l, arrived, offsets(3, node, body)); r.Codes[0] != wire.None {
		t.Errorf("commit: %v", r.Codes)
	}
}

// A join may not be sent again, as the coordinator would make a second member of it.
func TestJoinIsSentOnce(t *testing.T) {
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	ask[wire.HeartbeatReply](t, l, arrived, group(2, node, wire.Heartbeat{Group: "billing", MemberID: "nobody"}))
	joins := make(chan struct{}, 10)
	c.Fake().ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		joins <- struct{}{}
		return nil, context.Canceled, true
	})
	l.Send(group(3, node, joining("")))
	broke(t, arrived, membership.Group)
	if len(joins) != 1 {
		t.Errorf("%d joins were sent", len(joins))
	}
}

// A lane that was warmed has its connection when the first request comes.
func TestWarm(t *testing.T) {
	c := start(t, 1)
	l, arrived := open(t, connect(t, c.Addrs(), c.Config("test")))
	node := locate(t, l, arrived)
	connections := make(chan struct{}, 10)
	c.Fake().ControlKey(int16(kmsg.ApiVersions), func(kmsg.Request) (kmsg.Response, error, bool) {
		connections <- struct{}{}
		return nil, nil, false
	})
	l.Warm(node)
	<-connections
	body := wire.Commit{Group: "billing", Generation: -1, Offsets: []wire.Offset{at("orders", 0, 1)}}
	if r := ask[wire.CommitReply](t, l, arrived, offsets(2, node, body)); r.Codes[0] != wire.None {
		t.Errorf("commit: %v", r.Codes)
	}
	if len(connections) != 0 {
		t.Error("the commit has made a connection")
	}
	l.Warm(node + 100) // nobody has that number
	if r := ask[wire.CommitReply](t, l, arrived, offsets(3, node, body)); r.Codes[0] != wire.None {
		t.Errorf("commit: %v", r.Codes)
	}
}

// Brokers that refuse or say nothing do not keep the others from being asked.
func TestFindPassesOver(t *testing.T) {
	c := start(t, 1)
	seeds := []string{embeddedtest.Silent(t), embeddedtest.Nobody(t)}
	arrived := make(chan lanes.Delivery, 10)
	l := lanes.New(lanes.Config{Client: connect(t, c.Addrs(), c.Config("test")), Group: "billing", Seeds: seeds, Rebalance: time.Hour, Request: time.Hour},
		func(d lanes.Delivery) { arrived <- d })
	defer l.Close()
	for range 3 { // each is first once
		locate(t, l, arrived)
	}
}

// A coordinator that the client has not heard of is found all the same, and connected to.
func TestCoordinatorUnknownToClient(t *testing.T) {
	c := start(t, 1)
	client := connect(t, c.Addrs(), c.Config("test"))
	arrived := make(chan lanes.Delivery, 10)
	l := lanes.New(lanes.Config{Client: other{client, client.Config()}, Group: "billing", Seeds: c.Addrs(), Rebalance: time.Minute, Request: 10 * time.Second},
		func(d lanes.Delivery) { arrived <- d })
	defer l.Close()
	node := locate(t, l, arrived)
	ask[wire.HeartbeatReply](t, l, arrived, group(2, node, wire.Heartbeat{Group: "billing", MemberID: "nobody"}))
}

// answering is a listener that reads what comes first, says something and hangs up.
func answering(t *testing.T, says string) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1024))
			_, _ = c.Write([]byte(says))
			c.Close()
		}
	}()
	return l.Addr().String()
}

// Whoever cannot be connected to says why, where that is known.
func TestErrorsExplain(t *testing.T) {
	client := connect(t, start(t, 1).Addrs(), nil)
	secure := *client.Config()
	secure.Net.TLS.Enable, secure.Net.TLS.Config = true, &tls.Config{ServerName: "localhost", MinVersion: tls.VersionTLS12}
	for _, test := range []struct {
		name, says string
		conf       *sarama.Config
		want       string
	}{
		{"TLS with somebody who speaks plainly", "HTTP/1.1 400 Bad Request\r\n\r\n", &secure, "turn Net.TLS off"},
		{"TLS with a broker's plain port", "", &secure, "is that the port for TLS"},
		{"without TLS on a port for TLS", "", client.Config(), "does that port want TLS?"},
		{"without TLS on a port for TLS that says so", "\x15\x03\x03\x00\x02\x02\x50", client.Config(), "does that port want TLS?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			arrived := make(chan lanes.Delivery, 10)
			l := lanes.New(lanes.Config{Client: other{client, test.conf}, Group: "billing", Seeds: []string{answering(t, test.says)}, Rebalance: time.Minute, Request: 10 * time.Second},
				func(d lanes.Delivery) { arrived <- d })
			defer l.Close()
			l.Send(membership.Request{ID: 1, Lane: membership.Any, Node: -1, Body: wire.FindCoordinator{Group: "billing"}})
			broke(t, arrived, membership.Any)
			if got := l.LastError().Error(); !strings.Contains(got, test.want) {
				t.Error(got)
			}
		})
	}
	t.Run("unknown node", func(t *testing.T) {
		l, arrived := open(t, client)
		l.Send(group(1, 99, joining("")))
		broke(t, arrived, membership.Group)
		if got := l.LastError().Error(); !strings.Contains(got, "broker 99 is not known") {
			t.Error(got)
		}
	})
}

// other is a client that has another configuration, and knows no brokers.
type other struct {
	sarama.Client
	conf *sarama.Config
}

func (other) Brokers() []*sarama.Broker { return nil }

func (o other) Config() *sarama.Config { return o.conf }
