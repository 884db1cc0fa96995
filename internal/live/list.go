package live

import (
	"cmp"
	"context"
	"slices"

	"github.com/IBM/sarama"
	"golang.org/x/sync/errgroup"

	"github.com/assignkit/assignkit/internal/connect"
)

// A Summary is what a list of groups says of one.
type Summary struct {
	Name         string
	Type         string // [Classic], [Consumer], or another of Kafka's: share, streams
	ProtocolType string // what its members are: consumer, connect, ...; "" where nobody has joined
	Protocol     string // the assignor's name; "" in a rebalance and where it is not known
	State        string // as the broker calls it
	Members      int    // -1 if not known
	Coordinator  Broker
}

// atOnce is how many groups a request describes. Each may have thousands of members.
const atOnce = 100

// List lists the groups of all brokers, by name: those that this user may describe. When ctx ends, so does the use of the client, as for
// [Read].
func List(ctx context.Context, client *connect.Client) ([]Summary, error) {
	defer context.AfterFunc(ctx, client.Cut)()
	s := &session{ctx: ctx, client: client}
	brokers, err := s.listed()
	if err != nil {
		return nil, err
	}
	lists := make([][]Summary, len(brokers))
	var work errgroup.Group
	for i, b := range brokers {
		work.Go(func() (err error) {
			lists[i], err = s.summaries(b)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	out := slices.Concat(lists...)
	slices.SortFunc(out, func(a, b Summary) int { return cmp.Compare(a.Name, b.Name) })
	// A group that moves to another coordinator meanwhile may be in the lists of both.
	return slices.CompactFunc(out, func(a, b Summary) bool { return a.Name == b.Name }), nil
}

// listing is the groups that one broker coordinates.
type listing struct {
	broker Broker
	resp   *sarama.ListGroupsResponse
}

// listed asks all brokers for their groups.
func (s *session) listed() ([]listing, error) {
	needs := connect.Access{Operation: "Describe", Resource: connect.Cluster}
	if err := s.client.RefreshMetadata(); err != nil { // brokers come and go
		return nil, s.explain(err, needs)
	}
	brokers := s.client.Brokers()
	slices.SortFunc(brokers, func(a, b *sarama.Broker) int { return cmp.Compare(a.ID(), b.ID()) })
	out := make([]listing, len(brokers))
	var work errgroup.Group
	for i, b := range brokers {
		work.Go(func() error {
			v := choose(s.version(), sarama.V0_9_0_0, sarama.V0_11_0_0, sarama.V2_0_0_0, sarama.V2_4_0_0, sarama.V2_6_0_0, sarama.V3_8_0_0)
			resp, err := ask(s, s.broker(b.ID()), func(b *sarama.Broker) (*sarama.ListGroupsResponse, error) {
				return b.ListGroups(&sarama.ListGroupsRequest{Version: v})
			})
			if err == nil && resp.Err != sarama.ErrNoError {
				err = resp.Err
			}
			out[i] = listing{broker: Broker{ID: b.ID(), Addr: b.Addr()}, resp: resp}
			return s.explain(err, needs)
		})
	}
	return out, work.Wait()
}

// summaries describes the groups of one broker.
func (s *session) summaries(l listing) ([]Summary, error) {
	byName := make(map[string]*Summary, len(l.resp.Groups))
	var classic, consumer []string
	for name, protocolType := range l.resp.Groups {
		data := l.resp.GroupsData[name]
		g := &Summary{Name: name, Type: cmp.Or(data.GroupType, Classic), ProtocolType: protocolType, State: data.GroupState, Members: -1, Coordinator: l.broker}
		byName[name] = g
		switch g.Type {
		case Classic:
			classic = append(classic, name)
		case Consumer:
			consumer = append(consumer, name)
		}
	}
	for names := range slices.Chunk(classic, atOnce) {
		if err := s.countClassic(l.broker, names, byName); err != nil {
			return nil, s.explain(err)
		}
	}
	for names := range slices.Chunk(consumer, atOnce) {
		if err := s.countConsumer(l.broker, names, byName); err != nil {
			return nil, s.explain(err)
		}
	}
	out := make([]Summary, 0, len(byName))
	for _, g := range byName {
		out = append(out, *g)
	}
	return out, nil
}

// countClassic adds what the list itself does not tell. A group that is gone meanwhile, or has moved, stays as it was listed.
func (s *session) countClassic(b Broker, names []string, to map[string]*Summary) error {
	req := s.describeRequest(names...)
	resp, err := ask(s, s.broker(b.ID), func(b *sarama.Broker) (*sarama.DescribeGroupsResponse, error) { return b.DescribeGroups(req) })
	if err != nil {
		return err
	}
	for _, d := range resp.Groups {
		if g := to[d.GroupId]; g != nil && d.Err == sarama.ErrNoError {
			g.State, g.Protocol, g.Members = d.State, d.Protocol, len(d.Members)
		}
	}
	return nil
}

func (s *session) countConsumer(b Broker, names []string, to map[string]*Summary) error {
	req := sarama.NewConsumerGroupDescribeRequest(s.version())
	req.GroupIDs = names
	resp, err := ask(s, s.broker(b.ID), func(b *sarama.Broker) (*sarama.ConsumerGroupDescribeResponse, error) {
		return b.ConsumerGroupDescribe(req)
	})
	if err != nil {
		return err
	}
	for i := range resp.Groups {
		d := &resp.Groups[i]
		if g := to[d.GroupID]; g != nil && d.ErrorCode == sarama.ErrNoError {
			g.State, g.Protocol, g.Members = d.GroupState, d.AssignorName, len(d.Members)
		}
	}
	return nil
}
