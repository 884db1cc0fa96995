// User data of Java's sticky assignors, in subscriptions.
//
//	sticky              V0  []{string topic, []int32 partitions}
//	                    V1  + int32 generation
//	cooperative-sticky  V0  int32 generation, -1 before the first assignment
//
// Neither says its version. An eager sticky member gives up all partitions before it joins and therefore repeats in its user data what
// it had; before its first assignment it sends null. A cooperative one says it in the subscription itself, whose generation has a field
// of its own since version 2.

package protocol

import (
	"encoding/binary"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// Names of assignors whose user data is Java's.
const (
	StickyName            = "sticky"
	CooperativeStickyName = "cooperative-sticky"
)

// cooperativePrefix begins the wire names of cooperative assignors. Their members keep what they have and claim it in the subscription.
const cooperativePrefix = "cooperative-"

// AppendSticky appends the user data of an eager sticky member that has owned partitions in a generation, in the order of the list;
// topics without partitions are left out. Names too long for the format are refused, with b returned as it was.
func AppendSticky(b []byte, owned []strategy.TopicPartitions, generation int32) ([]byte, error) {
	size, topics, err := sizePartitions(owned)
	if err != nil {
		return b, fmt.Errorf("sticky user data: %w", err)
	}
	b = appendPartitions(grow(b, size+4), owned, topics)
	return binary.BigEndian.AppendUint32(b, uint32(generation)), nil
}

// DecodeSticky reads the user data of an eager sticky member: V1, or V0, which gives [strategy.NoGeneration]. No data, null included,
// says nothing. What is neither is a [*DecodeError] and is to be treated as if nothing were said.
func DecodeSticky(data []byte) (owned []strategy.TopicPartitions, generation int32, err error) {
	return decodeSticky(data, &pool{})
}

func decodeSticky(data []byte, p *pool) ([]strategy.TopicPartitions, int32, error) {
	if len(data) == 0 {
		return nil, strategy.NoGeneration, nil
	}
	r := reader{format: "sticky user data", data: data}
	owned := r.partitions("partitions", p)
	if r.err != nil {
		return nil, strategy.NoGeneration, r.err
	}
	if r.left() < 4 {
		return owned, strategy.NoGeneration, nil
	}
	return owned, r.int32("generation"), nil
}

// AppendCooperativeSticky appends the user data of a cooperative-sticky member.
func AppendCooperativeSticky(b []byte, generation int32) []byte {
	return binary.BigEndian.AppendUint32(b, uint32(generation))
}

// DecodeCooperativeSticky reads the generation off the user data of a cooperative-sticky member, [strategy.NoGeneration] if there is
// none. What follows it, in this project's own user data for example, is passed over.
func DecodeCooperativeSticky(data []byte) int32 {
	if len(data) < 4 {
		return strategy.NoGeneration
	}
	return int32(binary.BigEndian.Uint32(data))
}

// Claims returns what a member claims to own, and in which generation it was given that, by where a member of the assignor with this
// wire name says so:
//
//   - sticky: in its user data. Only if that says nothing, in the subscription.
//   - cooperative-sticky: in the subscription; the generation, if the subscription says none, in the user data.
//   - any other: in the subscription.
//
// The error is a [*DecodeError] about the user data of a sticky member. The claims are valid all the same: they are what the subscription
// says.
func (s *Subscription) Claims(name string) (owned []strategy.TopicPartitions, generation int32, err error) {
	return s.claims(name, &pool{})
}

func (s *Subscription) claims(name string, p *pool) ([]strategy.TopicPartitions, int32, error) {
	switch {
	case name == StickyName && len(s.UserData) > 0:
		// The subscription's generation does not count here: from version 2 on members send it along with nothing owned, since they
		// have just given everything up.
		owned, generation, err := decodeSticky(s.UserData, p)
		if err == nil {
			return owned, generation, nil
		}
		return s.Owned, s.Generation, err
	case name == CooperativeStickyName && s.Generation < 0:
		return s.Owned, DecodeCooperativeSticky(s.UserData), nil
	}
	return s.Owned, s.Generation, nil
}
