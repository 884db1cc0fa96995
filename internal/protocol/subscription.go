// Subscription: what a member says when it joins, the metadata of a JoinGroup request.
//
//	v0  int16 version | []string topics | bytes userData
//	v1  + []{string topic, []int32 partitions} ownedPartitions   (KIP-429)
//	v2  + int32 generationId, -1 for none                        (KIP-792)
//	v3  + nullable string rackId                                 (KIP-881)

package protocol

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// Newest is the newest version of [Subscription] and [Assignment], the one to write.
const Newest int16 = 3

// A Subscription is what a member says when it joins. Its zero value reads nothing.
type Subscription struct {
	Version  int16
	Topics   []string
	UserData []byte // nil is null, which is not the same as empty

	// Owned is what the member claims to own, written from version 1 on, as it is claimed: partitions may be negative or there twice.
	Owned []strategy.TopicPartitions
	// Generation is the one of Owned, written from version 2 on; [strategy.NoGeneration] if the member has none.
	Generation int32
	// Rack is where the member runs, written from version 3 on; "" if it does not say.
	Rack string
}

// AppendBinary appends s to b as Java writes it: topics and claims in order, each topic of Owned once, topics without partitions left
// out. What its version has no place for is left out as well. (Order is that of bytes; Java's differs for characters that Kafka
// allows in no name.) A version that does not exist and names too long for the format are refused, with b returned as it was.
func (s *Subscription) AppendBinary(b []byte) ([]byte, error) {
	if s.Version < 0 || s.Version > Newest {
		return b, fmt.Errorf("subscription: version %d is not within 0..%d", s.Version, Newest)
	}
	var owned []strategy.TopicPartitions
	if s.Version >= 1 {
		owned = sortedPartitions(s.Owned)
	}
	rack := ""
	if s.Version >= 3 {
		rack = s.Rack
	}
	topicsSize, err1 := sizeTopics(s.Topics)
	ownedSize, ownedTopics, err2 := sizePartitions(owned)
	rackSize, err3 := sizeText("a rack", rack)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return b, fmt.Errorf("subscription: %w", err)
	}
	b = grow(b, 2+topicsSize+sizeBytes(s.UserData)+ownedSize+4+rackSize)
	b = binary.BigEndian.AppendUint16(b, uint16(s.Version))
	b = appendTopics(b, sortedTopics(s.Topics))
	b = appendBytes(b, s.UserData)
	if s.Version >= 1 {
		b = appendPartitions(b, owned, ownedTopics)
	}
	if s.Version >= 2 {
		b = binary.BigEndian.AppendUint32(b, uint32(s.Generation))
	}
	if s.Version >= 3 {
		b = appendNullable(b, rack)
	}
	return b, nil
}

// DecodeSubscription reads a subscription. UserData is part of data, nothing else is.
//
// Versions above [Newest] are read as that, and bytes behind the last field are passed over. Version 1 may end behind the user data, as
// some clients write it. No data at all is a subscription to nothing. Null arrays are empty; what is absent is as if it were not said:
// nothing owned, [strategy.NoGeneration], no rack. Anything else is a [*DecodeError].
func DecodeSubscription(data []byte) (Subscription, error) {
	return decodeSubscription(data, &pool{})
}

func decodeSubscription(data []byte, p *pool) (Subscription, error) {
	s := Subscription{Generation: strategy.NoGeneration}
	if len(data) == 0 {
		return s, nil
	}
	r := reader{format: "subscription", data: data}
	s.Version = r.version(Newest)
	s.Topics = p.topics(&r, "topics")
	s.UserData = r.bytes("user data")
	if s.Version == 1 && r.left() == 0 {
		return s, r.result()
	}
	if s.Version >= 1 {
		s.Owned = r.partitions("owned partitions", p)
	}
	if s.Version >= 2 {
		s.Generation = r.int32("generation")
	}
	if s.Version >= 3 {
		s.Rack = r.rack("rack", p)
	}
	if r.err != nil {
		return Subscription{Generation: strategy.NoGeneration}, r.err
	}
	return s, nil
}
