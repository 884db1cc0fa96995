package live_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// Groups of the consumer protocol are asked for by another request, and their epochs are known.
func TestConsumerProtocol(t *testing.T) {
	c, client := start(t, embedded.Topic{Name: "t", Partitions: 4, Records: []int{3}}, embedded.Topic{Name: "t.retry", Partitions: 1})
	d := kmsg.ConsumerGroupDescribeResponseGroup{Group: "next", State: "Reconciling", Epoch: 8, AssignmentEpoch: 7, AssignorName: "uniform"}
	instance, rack, pattern := "i1", "b", "t.*"
	d.Members = []kmsg.ConsumerGroupDescribeResponseGroupMember{
		{MemberID: "m2", MemberEpoch: 6, ClientID: "app", ClientHost: "/10.0.0.2", SubscribedTopicRegex: &pattern, MemberType: 1},
		{
			MemberID: "m1", InstanceID: &instance, RackID: &rack, MemberEpoch: 7, ClientID: "app", ClientHost: "/10.0.0.1", SubscribedTopics: []string{"t"},
			Assignment: kmsg.Assignment{TopicPartitions: []kmsg.AssignmentTopicPartition{{Topic: "t", Partitions: []int32{2, 0}}}},
		},
	}
	asked := 0
	c.Fake().ControlKey(int16(kmsg.ConsumerGroupDescribe), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		asked++
		if asked > 2 {
			d.State = "Stable"
		}
		resp := req.ResponseKind().(*kmsg.ConsumerGroupDescribeResponse)
		resp.Groups = []kmsg.ConsumerGroupDescribeResponseGroup{d}
		return resp, nil, true
	})
	g := read(t, client, "next")
	want := `next consumer uniform Stable
  app i1: reads t, has t[0 2]
  app : reads t t.retry, has
  t 0:-1/3@0 1:-1/3@-1 2:-1/3@0 3:-1/3@-1
  t.retry 0:-1/0@-1
  nobody: t[1 3]
  nobody: t.retry[0]
`
	if got := show(g); got != want || asked != 3 {
		t.Errorf("asked %d times, got\n%swant\n%s", asked, got, want)
	}
	if m := &g.Members[0]; g.Epoch != 7 || m.Epoch != 7 || m.Rack != "b" || m.Host != "10.0.0.1" || g.Members[1].Pattern != "t.*" {
		t.Errorf("%+v", g)
	}
	s := g.Strategy()
	if _, err := strategy.Tabulate(&s); err != nil || s.Generation != 8 || s.Members[0].Generation != 7 {
		t.Errorf("%+v, %v", s, err)
	}

	c.Fake().ControlKey(int16(kmsg.ListGroups), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		resp := req.ResponseKind().(*kmsg.ListGroupsResponse)
		resp.Groups = []kmsg.ListGroupsResponseGroup{
			{Group: "next", ProtocolType: "consumer", GroupState: "Stable", GroupType: "consumer"},
			{Group: "shared", ProtocolType: "share", GroupState: "Stable", GroupType: "share"},
		}
		return resp, nil, true
	})
	groups, err := live.List(t.Context(), client)
	if err != nil || len(groups) != 2 || groups[0].Members != 2 || groups[0].Protocol != "uniform" || groups[1].Type != "share" || groups[1].Members != -1 {
		t.Errorf("%+v, %v", groups, err)
	}

	// A cluster that does not have the protocol yet is not asked about it; what is neither is told from what does not exist, and from what is
	// about to.
	asked = 0
	old := dial(t, c, "--kafka-version", "3.6.0")
	_, err = live.Read(t.Context(), old, "next", live.Options{Wait: 100 * time.Millisecond})
	if !errors.Is(err, live.ErrRebalancing) || !strings.Contains(err.Error(), "(it is being formed)") || asked != 0 {
		t.Errorf("%v, asked %d times", err, asked)
	}
	d.ErrorCode = kerr.GroupIDNotFound.Code
	_, err = live.Read(t.Context(), client, "shared", live.Options{})
	if !errors.Is(err, live.ErrNotConsumers) || !strings.Contains(err.Error(), `is of type "share"`) {
		t.Error(err)
	}
}

// Thousands of members and a hundred thousand partitions are read by few requests.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	const members, topics, partitions = 5000, 100, 1000
	c, client := start(t)
	names := make([]string, topics)
	for i := range names {
		names[i] = fmt.Sprintf("topic-%d", i)
		if err := c.Fake().CreateTopic(names[i], partitions, nil); err != nil {
			t.Fatal(err)
		}
	}
	describe := &kmsg.DescribeGroupsResponse{Version: 5, Groups: []kmsg.DescribeGroupsResponseGroup{{Group: "large", State: "Stable", ProtocolType: "consumer", Protocol: "range"}}}
	says := subscription(t, protocol.Subscription{Topics: names})
	for i := range members {
		var has strategy.TopicPartitions
		has.Topic = names[i%topics]
		for p := i / topics * 20; p < (i/topics+1)*20; p++ {
			has.Partitions = append(has.Partitions, int32(p))
		}
		describe.Groups[0].Members = append(describe.Groups[0].Members, kmsg.DescribeGroupsResponseGroupMember{
			MemberID: fmt.Sprintf("member-%d", i), ClientID: "x", ClientHost: "/10.0.0.1", ProtocolMetadata: says, MemberAssignment: given(t, has),
		})
	}
	requests := 0
	c.Fake().Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		requests++
		if req.Key() == int16(kmsg.DescribeGroups) {
			return describe, nil, true
		}
		return nil, nil, false
	})
	g := read(t, client, "large")
	if len(g.Members) != members || g.Partitions() != topics*partitions || len(g.Unconsumed()) != 0 || len(g.Remarks) != 0 || g.Topics[9].End[3] != 0 {
		t.Errorf("%d members, %d partitions, %q", len(g.Members), g.Partitions(), g.Remarks)
	}
	if requests > 10 {
		t.Errorf("%d requests", requests)
	}
}
