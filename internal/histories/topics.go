package histories

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// A topic is one that there is, or was: then it has no partitions.
type topic struct {
	partitions int32
	id         [16]byte
}

// SetTopic creates a topic or lets it grow to so many partitions.
func (w *World) SetTopic(name string, partitions int32) {
	t := w.topics[name]
	if t.partitions == 0 {
		w.made++
		binary.BigEndian.PutUint64(t.id[8:], uint64(w.made))
	}
	t.partitions = max(t.partitions, partitions)
	w.topics[name] = t
	w.note("topic %s has %d partitions", name, partitions)
	w.tellBrokers()
}

// DeleteTopic ends a topic, if there is one of that name, with what is stored of it.
func (w *World) DeleteTopic(name string) {
	if _, ok := w.topics[name]; ok {
		w.topics[name] = topic{}
		w.note("topic %s is deleted", name)
		w.tellBrokers()
	}
}

// topicText does what a script says of a topic.
func (w *World) topicText(verb, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	before := w.topics[name].partitions
	switch {
	case verb == "recreate":
		w.DeleteTopic(name)
	case verb == "grow" && before == 0:
		return nil // deleted meanwhile
	case verb == "grow":
		n += int(before)
	}
	w.SetTopic(name, int32(n))
	return nil
}

func (w *World) tellBrokers() {
	for _, b := range w.brokers {
		b.step(coordinator.Metadata{Partitions: w.partitionCounts()})
	}
}

func (w *World) partitionCounts() map[string]int32 {
	counts := map[string]int32{}
	for name, t := range w.topics {
		counts[name] = t.partitions
	}
	return counts
}

// counts are the topics that there are, sorted.
func (w *World) counts() []membership.TopicCount {
	var out []membership.TopicCount
	for name, t := range w.topics {
		if t.partitions > 0 {
			out = append(out, membership.TopicCount{Topic: name, Partitions: t.partitions, ID: t.id})
		}
	}
	slices.SortFunc(out, func(a, b membership.TopicCount) int { return cmp.Compare(a.Topic, b.Topic) })
	return out
}

// names are those of all topics that there are or were, sorted.
func (w *World) names() []string { return slices.Sorted(maps.Keys(w.topics)) }

// partitions lists all there are.
func (w *World) partitions() []strategy.TopicPartition {
	var out []strategy.TopicPartition
	for _, t := range w.counts() {
		for p := range t.Partitions {
			out = append(out, strategy.TopicPartition{Topic: t.Topic, Partition: p})
		}
	}
	return out
}

// describeTopics is what a leader knows of topics. Each partition is in two of three racks.
func describeTopics(counts []membership.TopicCount) []strategy.Topic {
	racks := []string{"a", "b", "c", "a"}
	topics := make([]strategy.Topic, len(counts))
	for i, t := range counts {
		topics[i] = strategy.Topic{Name: t.Topic, Partitions: t.Partitions, Racks: make([][]string, t.Partitions)}
		for p := range topics[i].Racks {
			topics[i].Racks[p] = slices.Sorted(slices.Values(racks[p%3 : p%3+2]))
		}
	}
	return topics
}
