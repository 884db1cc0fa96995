package wire

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategy"
)

// odd are names that must not be mixed up on the way.
var odd = []string{
	"a", "b", "a.b", " ", "\x00", "é", "話題", "\ufffd", "\xff", "\xfe", "a\xff", "\xff\xff", "\xed\xa0\x80", "\xc0\x80", `\xff`,
	`"\xff"`, `"\xfe"`, `"`, `""`, `"a"`, `"\u00e9"`, `"broken`, `"\"\\xff\""`, `'\xff'`, "`a`", `\"`, "\"\xff",
}

var (
	name = rapid.OneOf(rapid.SampledFrom(odd), rapid.StringMatching("[a-c]{1,2}"),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 5), func(b []byte) string { return string(b) }))
	maybeName = rapid.OneOf(rapid.Just(""), name)
	signal    = rapid.OneOf(rapid.Float64Range(-strategy.MaxWeight, strategy.MaxWeight), rapid.SampledFrom([]float64{0, 1, -5e-324, strategy.MaxWeight, -strategy.MaxWeight}))
	data      = rapid.OneOf(rapid.Just([]byte(nil)), rapid.SliceOfN(rapid.Byte(), 0, 4))
)

// topic draws facts about one.
func topic(t *rapid.T) strategy.Topic {
	n := rapid.Int32Range(0, 5).Draw(t, "partitions")
	topic := strategy.Topic{Name: name.Draw(t, "topic"), Partitions: n}
	if rapid.Bool().Draw(t, "weighed") {
		weight := rapid.OneOf(rapid.Float64Range(0, strategy.MaxWeight), rapid.SampledFrom([]float64{0, 1, 5e-324, strategy.MaxWeight}))
		topic.Weights = rapid.SliceOfN(weight, int(n), int(n)).Draw(t, "weights")
	}
	if rapid.Bool().Draw(t, "racked") {
		topic.Racks = rapid.SliceOfN(rapid.SliceOfN(maybeName, 0, 3), int(n), int(n)).Draw(t, "racks")
	}
	if rapid.Bool().Draw(t, "led") {
		topic.LeaderRacks = rapid.SliceOfN(maybeName, int(n), int(n)).Draw(t, "leaders")
	}
	if rapid.Bool().Draw(t, "measured") {
		topic.Signals = rapid.MapOfN(maybeName, rapid.SliceOfN(signal, int(n), int(n)), 0, 3).Draw(t, "signals")
	}
	return topic
}

// claims draws lists of partitions, of topics that there are and others, however little sense they make.
func claims(t *rapid.T, topics []string, label string) []strategy.TopicPartitions {
	one := rapid.Custom(func(t *rapid.T) strategy.TopicPartitions {
		partition := rapid.OneOf(rapid.Int32Range(0, 4), rapid.Int32Range(0, 4), rapid.Int32Range(-1, 6), rapid.Int32())
		return strategy.TopicPartitions{
			Topic:      rapid.OneOf(rapid.SampledFrom(topics), rapid.SampledFrom(topics), maybeName).Draw(t, "of"),
			Partitions: rapid.SliceOfN(partition, 0, 5).Draw(t, "partitions"),
		}
	})
	return rapid.SliceOfN(one, 0, 4).Draw(t, label)
}

// group draws one that passes [strategy.Group.Check], and whatever else it likes.
func group(t *rapid.T) *strategy.Group {
	g := &strategy.Group{Name: maybeName.Draw(t, "group"), Generation: rapid.Int32().Draw(t, "generation")}
	for range rapid.IntRange(0, 5).Draw(t, "topics") {
		next := topic(t)
		if i := slices.IndexFunc(g.Topics, func(t strategy.Topic) bool { return t.Name == next.Name }); i >= 0 {
			next = g.Topics[i] // twice, which is allowed if the facts are the same
		}
		g.Topics = append(g.Topics, next)
	}
	var topics []string
	for i := range g.Topics {
		topics = append(topics, g.Topics[i].Name)
	}
	topics = append(topics, "a")
	shared := topics
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		m := strategy.Member{
			ID: name.Draw(t, "id"), InstanceID: maybeName.Draw(t, "instance"), Rack: maybeName.Draw(t, "rack"),
			Topics:     rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(topics), maybeName), 0, 5).Draw(t, "subscription"),
			Generation: rapid.OneOf(rapid.Int32Range(1, 2), rapid.Int32Range(-1, 3), rapid.Int32()).Draw(t, "generation"),
			Capacity:   rapid.OneOf(rapid.Int32Range(0, 3), rapid.Int32Range(0, strategy.MaxCapacity)).Draw(t, "capacity"),
			Draining:   rapid.Bool().Draw(t, "draining"),
			Labels:     rapid.OneOf(rapid.Just(map[string]string(nil)), rapid.MapOfN(maybeName, maybeName, 0, 3)).Draw(t, "labels"),
			UserData:   data.Draw(t, "data"),
			Uptime:     rapid.OneOf(rapid.Just(time.Duration(0)), rapid.Map(rapid.Int64Min(0), func(n int64) time.Duration { return time.Duration(n) })).Draw(t, "uptime"),
			Signals:    rapid.OneOf(rapid.Just(map[string]float64(nil)), rapid.MapOfN(maybeName, signal, 0, 3)).Draw(t, "signals"),
			Owned:      claims(t, topics, "owned"), Releasing: claims(t, topics, "releasing"), Expecting: claims(t, topics, "expecting"),
		}
		if rapid.Bool().Draw(t, "shared") {
			m.Topics = shared
		}
		shared = m.Topics
		g.Members = append(g.Members, m)
		g.Leader = m.ID
	}
	if rapid.Bool().Draw(t, "settled") {
		return settled(t, g)
	}
	return g
}

// settled has most members of a group own what no other does.
func settled(t *rapid.T, g *strategy.Group) *strategy.Group {
	bare := g.Clone()
	for i := range bare.Members {
		bare.Members[i].Owned = nil
	}
	table, err := strategy.Tabulate(bare)
	if err != nil {
		t.Fatalf("%v", err)
	}
	owner := table.Unowned()
	for i := range owner {
		topic, _ := table.Locate(i)
		if readers := table.Subscribers(topic); len(readers) > 0 && rapid.IntRange(0, 3).Draw(t, "owned") > 0 {
			owner[i] = rapid.SampledFrom(readers).Draw(t, "owner")
		}
	}
	a := table.Assignment(owner)
	for i := range g.Members {
		if rapid.IntRange(0, 3).Draw(t, "tidy") > 0 {
			g.Members[i].Owned = a.Members[g.Members[i].ID]
		}
	}
	return g
}

// answer draws one to a group, valid or not, of those that there is room for in a message.
func answer(t *rapid.T, table *strategy.Table) strategy.Assignment {
	members, n := table.Group.Members, table.Len()
	owner := table.Unowned()
	var rest []strategy.Unassigned
	for i := range n {
		if o := rapid.IntRange(-1, len(members)-1).Draw(t, "owner"); o >= 0 {
			owner[i] = int32(o)
			continue
		}
		if rapid.Bool().Draw(t, "forgotten") {
			continue
		}
		p := table.Name(i)
		u := strategy.Unassigned{Topic: p.Topic, Partition: p.Partition, Reason: rapid.SampledFrom(strategy.Reasons()).Draw(t, "reason")}
		if len(members) > 0 && rapid.Bool().Draw(t, "promised") {
			u.For = rapid.SampledFrom(members).Draw(t, "for").ID
		}
		if rapid.Bool().Draw(t, "together") {
			with := table.Name(rapid.IntRange(0, n-1).Draw(t, "with"))
			u.With = &with
		}
		rest = append(rest, u)
	}
	a := table.Assignment(owner)
	a.Unassigned = rapid.Permutation(rest).Draw(t, "order")
	a.Stopped = rapid.SampledFrom([]string{"", "racks", "é"}).Draw(t, "stopped")
	for i := range members {
		if rapid.Bool().Draw(t, "told") {
			if a.UserData == nil {
				a.UserData = map[string][]byte{}
			}
			a.UserData[members[i].ID] = data.Draw(t, "data")
		}
	}
	return a
}
