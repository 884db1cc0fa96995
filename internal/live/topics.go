package live

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/strategy"
)

// topics fills in what the group reads: patterns, partitions, racks, owners, offsets.
func (s *session) topics(g *Group, committed offsets) error {
	meta := &sarama.MetadataResponse{}
	all := slices.ContainsFunc(g.Members, func(m Member) bool { return m.Pattern != "" })
	if wanted := g.topicNames(committed); all || len(wanted) > 0 {
		if all {
			wanted = nil
		}
		var err error
		if meta, err = s.metadata(wanted); err != nil {
			return err
		}
	}
	g.matchPatterns(meta)
	subscribed := map[string]bool{}
	for i := range g.Members {
		for _, topic := range g.Members[i].Topics {
			subscribed[topic] = true
		}
	}
	racks := map[int32]string{}
	for _, b := range meta.Brokers {
		racks[b.ID()] = b.Rack()
	}
	described := map[string]*sarama.TopicMetadata{}
	for _, t := range meta.Topics {
		described[t.Name] = t
	}
	for _, name := range g.topicNames(committed) {
		t := Topic{Name: name, Subscribed: subscribed[name]}
		n := g.describeTopic(&t, described[name], racks)
		if t.Gone && !t.Subscribed && n == 0 {
			continue // offsets outlive a topic for a while
		}
		t.fill(n, committed[name])
		g.Topics = append(g.Topics, t)
	}
	g.owners()
	return s.ends(g, described)
}

// metadata asks for topics, for all if none is named.
func (s *session) metadata(topics []string) (*sarama.MetadataResponse, error) {
	req := sarama.NewMetadataRequest(s.version(), topics)
	resp, err := askAny(s, func(b *sarama.Broker) (*sarama.MetadataResponse, error) { return b.GetMetadata(req) })
	return resp, s.explain(err, anyTopic)
}

// topicNames lists the topics that members subscribe to or have, and those with committed offsets.
func (g *Group) topicNames(committed offsets) []string {
	set := map[string]bool{}
	for name := range committed {
		set[name] = true
	}
	for i := range g.Members {
		m := &g.Members[i]
		for _, name := range m.Topics {
			set[name] = true
		}
		for k := range m.Owned {
			set[m.Owned[k].Topic] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// matchPatterns adds the topics that patterns match to the subscriptions. Brokers match the whole name, in the syntax of RE2, which is
// also Go's. Internal topics count only for members that have them.
func (g *Group) matchPatterns(meta *sarama.MetadataResponse) {
	matches := map[string][]string{}
	for i := range g.Members {
		m := &g.Members[i]
		if m.Pattern == "" {
			continue
		}
		found, ok := matches[m.Pattern]
		if !ok {
			re, err := regexp.Compile("^(?:" + m.Pattern + ")$")
			if err != nil {
				g.Remarks = append(g.Remarks, fmt.Sprintf("member %q: what its pattern matches is not known: %v", m.ID, err))
			}
			for _, t := range meta.Topics {
				if err == nil && !t.IsInternal && re.MatchString(t.Name) {
					found = append(found, t.Name)
				}
			}
			matches[m.Pattern] = found
		}
		m.Topics = slices.Concat(m.Topics, found)
		for k := range m.Owned {
			m.Topics = append(m.Topics, m.Owned[k].Topic)
		}
		slices.Sort(m.Topics)
		m.Topics = slices.Compact(m.Topics)
	}
}

// describeTopic takes in what the metadata say of a topic, and returns how many partitions it has: 0 if they do not say.
func (g *Group) describeTopic(t *Topic, meta *sarama.TopicMetadata, racks map[int32]string) int {
	remark := func(format string, args ...any) {
		g.Remarks = append(g.Remarks, fmt.Sprintf("topic %q ", t.Name)+fmt.Sprintf(format, args...))
	}
	switch {
	case meta == nil || errors.Is(meta.Err, sarama.ErrUnknownTopicOrPartition) || errors.Is(meta.Err, sarama.ErrInvalidTopic):
		t.Gone = true
		if t.Subscribed {
			remark("does not exist, though a member subscribes to it")
		}
		return 0
	case errors.Is(meta.Err, sarama.ErrTopicAuthorizationFailed):
		t.Denied = true
		remark("may not be described: an ACL is missing: Describe on Topic %s; its partitions are those that members have", t.Name)
		return 0
	case meta.Err != sarama.ErrNoError && !errors.Is(meta.Err, sarama.ErrLeaderNotAvailable):
		remark("cannot be described: %v", meta.Err)
		return 0
	}
	known := false
	list, leaders := make([][]string, len(meta.Partitions)), make([]string, len(meta.Partitions))
	for _, p := range meta.Partitions {
		if p.ID < 0 || int(p.ID) >= len(list) {
			continue
		}
		leaders[p.ID] = racks[p.Leader]
		for _, replica := range p.Replicas {
			if rack := racks[replica]; rack != "" && !slices.Contains(list[p.ID], rack) {
				list[p.ID] = append(list[p.ID], rack)
				known = true
			}
		}
	}
	if known {
		t.Racks, t.Leaders = list, leaders
	}
	t.counted = true
	return len(meta.Partitions)
}

// fill makes the lists of a topic's partitions, of which there are at least n.
func (t *Topic) fill(n int, committed map[int32]int64) {
	for p := range committed {
		if t.Denied { // else a commit beyond what there is was made before a topic of this name was created anew
			n = max(n, int(p)+1)
		}
	}
	t.Owner, t.Committed, t.End = make([]int32, n), make([]int64, n), make([]int64, n)
	for p := range n {
		t.Owner[p], t.Committed[p], t.End[p] = strategy.NoOwner, Unknown, Unknown
		if offset, ok := committed[int32(p)]; ok {
			t.Committed[p] = offset
		}
	}
}

// grow makes room for a partition that nothing but a member's assignment tells of.
func (t *Topic) grow(partition int32) {
	for len(t.Owner) <= int(partition) {
		t.Owner, t.Committed, t.End = append(t.Owner, strategy.NoOwner), append(t.Committed, Unknown), append(t.End, Unknown)
		if t.Racks != nil {
			t.Racks, t.Leaders = append(t.Racks, nil), append(t.Leaders, "")
		}
	}
}

// maxUncounted is how many partitions there may be in all that nothing but members' assignments tell of.
const maxUncounted = 1 << 20

// owners enters who has what. A partition that several members were given, which no assignor may do, is with the first of them.
func (g *Group) owners() {
	odd, uncounted := oddities{}, 0
	for i := range g.Members {
		m := &g.Members[i]
		for _, tp := range m.Owned {
			k, ok := slices.BinarySearchFunc(g.Topics, tp.Topic, func(t Topic, name string) int { return cmp.Compare(t.Name, name) })
			if !ok {
				continue
			}
			t := &g.Topics[k]
			for _, p := range tp.Partitions {
				if missing := int(p) + 1 - len(t.Owner); missing > 0 {
					if uncounted += missing; t.counted || uncounted > maxUncounted {
						odd.add("member %q has %s:%d, which is not there", m.ID, t.Name, p)
						continue
					}
					t.grow(p)
				}
				if o := t.Owner[p]; o >= 0 {
					odd.add("%s:%d is assigned twice, to member %q and to member %q", t.Name, p, g.Members[o].ID, m.ID)
					continue
				}
				t.Owner[p] = int32(i)
			}
		}
	}
	g.Remarks = append(g.Remarks, odd.remarks()...)
}

// oddities are remarks that may be many: the first few are kept, and the others counted.
type oddities struct {
	first []string
	more  int
}

func (o *oddities) add(format string, args ...any) {
	const most = 5
	if len(o.first) == most {
		o.more++
		return
	}
	o.first = append(o.first, fmt.Sprintf(format, args...))
}

func (o *oddities) remarks() []string {
	if o.more > 0 {
		o.first = append(o.first, fmt.Sprintf("%d more partitions are assigned twice or are not there", o.more))
	}
	return o.first
}
