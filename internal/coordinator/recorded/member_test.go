package recorded

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// topic is what lessons commit to and subscribe to, of this many partitions.
const (
	topic      = "t"
	partitions = 4
)

// A member is who sends requests, with what it was told and what it said last.
type member struct {
	name               string
	id, instance       string
	generation         int32
	session, rebalance time.Duration
	offers             []string
	says               string
}

// A request is one of the protocol's, and what only a broker understands of it.
type request struct {
	body    wire.Request
	kind    string // of the protocol, of a join
	version int16  // 0 is the one that this module's consumer speaks
}

// arguments are KEY=VALUE and others, as they stand in a command.
type arguments struct {
	list []string
}

// take returns the value of a key, if it is there.
func (a *arguments) take(key string) (value string, ok bool) {
	for i, arg := range a.list {
		if k, v, cut := strings.Cut(arg, "="); cut && k == key {
			a.list = slices.Delete(slices.Clone(a.list), i, i+1)
			return v, true
		}
	}
	return "", false
}

// none is how lessons write an empty text.
func none(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// request makes what a command says of a member's request.
func (p *player) request(m *member, verb string, args []string) (request, error) {
	a := &arguments{list: args}
	id, instance, generation, group := m.id, m.instance, m.generation, p.group
	if s, ok := a.take("id"); ok {
		id = p.id(s)
	}
	if s, ok := a.take("group"); ok {
		group = none(s)
	}
	if s, ok := a.take("instance"); ok {
		instance = none(s)
		if verb == "join" {
			m.instance = instance
		}
	}
	if s, ok := a.take("generation"); ok {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return request{}, err
		}
		generation = int32(n)
	}
	switch verb {
	case "join":
		r, err := p.join(m, a)
		r.body = wire.Join{Group: group, MemberID: id, InstanceID: instance, ClientID: "c", Session: m.session, Rebalance: m.rebalance, Offers: m.subscriptions()}
		return r, err
	case "sync":
		plan, err := p.plan(a)
		return request{body: wire.Sync{Group: group, MemberID: id, InstanceID: instance, Generation: generation, Assignments: plan}}, err
	case "heartbeat":
		return request{body: wire.Heartbeat{Group: group, MemberID: id, InstanceID: instance, Generation: generation}}, a.rest()
	case "leave":
		return request{body: wire.Leave{Group: group, MemberID: id, InstanceID: instance}}, a.rest()
	case "commit":
		offsets, err := parseOffsets(a.list)
		return request{body: wire.Commit{Group: group, MemberID: id, InstanceID: instance, Generation: generation, Offsets: offsets}}, err
	case "fetch":
		numbers, err := parseNumbers(strings.Join(a.list, ","))
		r := wire.Fetch{Group: group}
		for _, n := range numbers {
			r.Partitions = append(r.Partitions, strategy.TopicPartition{Topic: topic, Partition: n})
		}
		return request{body: r}, err
	}
	return request{}, errUsage
}

// rest is an error if there is anything left.
func (a *arguments) rest() error {
	if len(a.list) > 0 {
		return fmt.Errorf("%w: %s", errUsage, strings.Join(a.list, " "))
	}
	return nil
}

// join takes over what a join says.
func (p *player) join(m *member, a *arguments) (r request, err error) {
	r.kind = "consumer"
	if s, ok := a.take("session"); ok {
		if m.session, err = time.ParseDuration(s); err != nil {
			return r, err
		}
	}
	if s, ok := a.take("rebalance"); ok {
		if m.rebalance, err = time.ParseDuration(s); err != nil {
			return r, err
		}
	}
	if s, ok := a.take("offers"); ok {
		m.offers = nil
		if s != "-" {
			m.offers = strings.Split(s, ",")
		}
	}
	if s, ok := a.take("says"); ok {
		m.says = s
	}
	if s, ok := a.take("type"); ok {
		r.kind = none(s)
	}
	if s, ok := a.take("version"); ok {
		n, err := strconv.ParseInt(s, 10, 16)
		if err != nil {
			return r, err
		}
		r.version = int16(n)
	}
	return r, a.rest()
}

// subscriptions are what a member says to each assignor: which topic it reads, as brokers read that too, and the rest as user data.
func (m *member) subscriptions() []wire.Offer {
	s := protocol.Subscription{Version: protocol.Newest, Topics: []string{topic}, Generation: strategy.NoGeneration}
	if m.says != "" {
		s.UserData = []byte(m.says)
	}
	metadata, err := s.AppendBinary(nil)
	if err != nil {
		panic(err) // a lesson's word is short
	}
	var offers []wire.Offer
	for _, name := range m.offers {
		offers = append(offers, wire.Offer{Name: name, Metadata: metadata})
	}
	return offers
}

// plan reads who gets what.
func (p *player) plan(a *arguments) (plan []protocol.MemberAssignment, err error) {
	for _, arg := range a.list {
		who, what, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("%w: %s", errUsage, arg)
		}
		numbers, err := parseNumbers(what)
		if err != nil {
			return nil, err
		}
		x := protocol.Assignment{Version: protocol.Newest, Partitions: []strategy.TopicPartitions{{Topic: topic, Partitions: numbers}}}
		bytes, err := x.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		plan = append(plan, protocol.MemberAssignment{ID: p.id(who), Assignment: bytes})
	}
	return plan, nil
}

func parseNumbers(text string) (list []int32, err error) {
	for _, s := range strings.Split(text, ",") {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return nil, err
		}
		list = append(list, int32(n))
	}
	return list, nil
}

func parseOffsets(list []string) (offsets []wire.Offset, err error) {
	for _, arg := range list {
		partition, offset, _ := strings.Cut(arg, "@")
		n, err := strconv.ParseInt(partition, 10, 32)
		if err != nil {
			return nil, err
		}
		o := wire.Offset{TopicPartition: strategy.TopicPartition{Topic: topic, Partition: int32(n)}}
		if o.Offset, err = strconv.ParseInt(offset, 10, 64); err != nil {
			return nil, err
		}
		offsets = append(offsets, o)
	}
	if len(offsets) == 0 {
		return nil, fmt.Errorf("%w: no offsets", errUsage)
	}
	return offsets, nil
}
