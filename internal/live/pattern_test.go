package live

import (
	"slices"
	"strings"
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/strategy"
)

// Patterns match whole names, and no internal topics that the broker did not assign.
func TestMatchPatterns(t *testing.T) {
	g := &Group{Members: []Member{
		{ID: "a", Pattern: "order|pay.*", Topics: []string{"extra"}},
		{ID: "b", Pattern: ".*", Owned: []strategy.TopicPartitions{{Topic: "__internal", Partitions: []int32{0}}}},
		{ID: "c", Pattern: "(("},
		{ID: "d", Topics: []string{"orders"}},
	}}
	meta := &sarama.MetadataResponse{}
	for _, name := range []string{"orders", "payments", "order", "__consumer_offsets"} {
		meta.AddTopic(name, sarama.ErrNoError).IsInternal = strings.HasPrefix(name, "__")
	}
	g.matchPatterns(meta)
	for i, want := range [][]string{{"extra", "order", "payments"}, {"__internal", "order", "orders", "payments"}, nil, {"orders"}} {
		if got := g.Members[i].Topics; !slices.Equal(got, want) {
			t.Errorf("member %s reads %q, not %q", g.Members[i].ID, got, want)
		}
	}
	if len(g.Remarks) != 1 || !strings.HasPrefix(g.Remarks[0], `member "c": what its pattern matches is not known: `) {
		t.Errorf("%q", g.Remarks)
	}
}

// Racks of replicas are those of their brokers, each once, and those of leaders as well.
func TestRacks(t *testing.T) {
	meta := &sarama.MetadataResponse{}
	for p, replicas := range [][]int32{{1, 2, 3}, {4}, {2, 1}} {
		meta.AddTopicPartition("t", int32(p), replicas[0], replicas, replicas, nil, sarama.ErrNoError)
	}
	topic := Topic{Name: "t"}
	n := (&Group{}).describeTopic(&topic, meta.Topics[0], map[int32]string{1: "a", 2: "b", 3: "a", 4: ""})
	if n != 3 || len(topic.Racks) != 3 || !slices.Equal(topic.Leaders, []string{"a", "", "b"}) || !slices.Equal(topic.Racks[0], []string{"a", "b"}) || len(topic.Racks[1]) != 0 {
		t.Errorf("%d, %v, %q", n, topic.Racks, topic.Leaders)
	}
}

// Lags are known also where there are none, and then weigh nothing; topics whose ends are not known have neither.
func TestSignals(t *testing.T) {
	owner := []int32{0, 0}
	g := &Group{Members: []Member{{ID: "a"}}, Topics: []Topic{
		{Name: "t", Subscribed: true, Owner: owner, Committed: []int64{5, Unknown}, End: []int64{5, 9}, Racks: [][]string{{"a"}, nil}, Leaders: []string{"a", ""}},
		{Name: "u", Subscribed: true, Owner: owner, Committed: []int64{5, 5}, End: []int64{Unknown, Unknown}},
	}}
	s := g.Strategy()
	known, unknown := s.Topics[0], s.Topics[1]
	if !slices.Equal(known.Signals[strategy.SignalLag], []float64{0, 0}) || known.Weights != nil || !slices.Equal(known.LeaderRacks, []string{"a", ""}) {
		t.Errorf("%+v", known)
	}
	if len(unknown.Signals) > 0 || unknown.Weights != nil {
		t.Errorf("%+v", unknown)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	list := []sarama.KafkaVersion{sarama.V0_9_0_0, sarama.V2_0_0_0, sarama.V2_4_0_0, sarama.V2_4_0_0}
	for v, want := range map[sarama.KafkaVersion]int16{sarama.V0_9_0_0: 0, sarama.V2_3_0_0: 1, sarama.V2_4_0_0: 3, sarama.MaxVersion: 3} {
		if got := choose(v, list...); got != want {
			t.Errorf("%v: version %d, not %d", v, got, want)
		}
	}
}

// What members claim to have been given takes no more memory than a cluster could.
func TestOwnersAreBounded(t *testing.T) {
	g := &Group{Members: []Member{{ID: "a"}, {ID: "b"}}, Topics: []Topic{{Name: "known", counted: true, Owner: make([]int32, 2)}, {Name: "u0"}, {Name: "u1"}, {Name: "u2"}}}
	g.Topics[0].fill(2, nil)
	for i := range g.Members {
		for _, name := range []string{"known", "u0", "u1", "u2"} {
			g.Members[i].Owned = append(g.Members[i].Owned, strategy.TopicPartitions{Topic: name, Partitions: []int32{1, maxPartition - 1}})
		}
	}
	g.owners()
	if n := g.Partitions(); n > maxUncounted+10 || g.Topics[0].Owner[1] != 0 || len(g.Topics[0].Owner) != 2 || g.Topics[1].Owner[1] != 0 {
		t.Errorf("%d partitions", n)
	}
	if len(g.Remarks) != 6 || !strings.HasSuffix(g.Remarks[5], " more partitions are assigned twice or are not there") {
		t.Errorf("%q", g.Remarks)
	}
}
