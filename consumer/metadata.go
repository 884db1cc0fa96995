package consumer

import (
	"fmt"
	"slices"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/strategy"
)

// read takes an answer apart. An error is one after which another broker is to be asked.
func read(resp *sarama.MetadataResponse) (found map[string]topic, refused []string, err error) {
	racks := map[int32]string{}
	for _, b := range resp.Brokers {
		racks[b.ID()] = b.Rack()
	}
	found = map[string]topic{}
	for _, m := range resp.Topics {
		switch m.Err { //nolint:exhaustive // all others are an error of this broker, or of the moment
		case sarama.ErrNoError, sarama.ErrLeaderNotAvailable, sarama.ErrReplicaNotAvailable:
			if len(m.Partitions) > 0 {
				found[m.Name] = topic{Topic: describe(m, racks), id: m.Uuid, leaders: leaders(m)}
			}
		case sarama.ErrUnknownTopicOrPartition, sarama.ErrInvalidTopic:
		case sarama.ErrTopicAuthorizationFailed:
			refused = append(refused, m.Name)
		default:
			return nil, nil, fmt.Errorf("topic %s: %w", m.Name, m.Err)
		}
	}
	slices.Sort(refused)
	return found, refused, nil
}

// nodes has the addresses of all brokers that an answer names.
func nodes(resp *sarama.MetadataResponse) map[int32]string {
	addrs := map[int32]string{}
	for _, b := range resp.Brokers {
		addrs[b.ID()] = b.Addr()
	}
	return addrs
}

// describe makes a topic of its metadata, with the racks of its partitions' replicas and leaders where brokers have racks.
func describe(m *sarama.TopicMetadata, racks map[int32]string) strategy.Topic {
	topic := strategy.Topic{Name: m.Name}
	for _, p := range m.Partitions {
		topic.Partitions = max(topic.Partitions, p.ID+1)
	}
	byPartition, led := make([][]string, topic.Partitions), make([]string, topic.Partitions)
	some, someLed := false, false
	for _, p := range m.Partitions {
		var list []string
		for _, replica := range p.Replicas {
			if rack := racks[replica]; rack != "" {
				list = append(list, rack)
			}
		}
		slices.Sort(list)
		byPartition[p.ID] = slices.Compact(list)
		some = some || len(list) > 0
		led[p.ID] = racks[p.Leader]
		someLed = someLed || led[p.ID] != ""
	}
	if some {
		topic.Racks = byPartition
	}
	if someLed {
		topic.LeaderRacks = led
	}
	return topic
}

// leaders lists which broker leads each partition, -1 where none does.
func leaders(m *sarama.TopicMetadata) []int32 {
	var list []int32
	for _, p := range m.Partitions {
		for int(p.ID) >= len(list) {
			list = append(list, -1)
		}
		list[p.ID] = p.Leader
	}
	return list
}
