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
				found[m.Name] = topic{Topic: describe(m, racks), id: m.Uuid}
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

// describe makes a topic of its metadata, with the racks of its partitions' replicas where brokers have racks.
func describe(m *sarama.TopicMetadata, racks map[int32]string) strategy.Topic {
	topic := strategy.Topic{Name: m.Name}
	for _, p := range m.Partitions {
		topic.Partitions = max(topic.Partitions, p.ID+1)
	}
	byPartition := make([][]string, topic.Partitions)
	some := false
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
	}
	if some {
		topic.Racks = byPartition
	}
	return topic
}
