// Assignment: what a member is given, the assignment in a SyncGroup response.
//
//	v0..v3  int16 version | []{string topic, []int32 partitions} partitions | bytes userData

package protocol

import (
	"encoding/binary"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// An Assignment is what a member is given.
type Assignment struct {
	Version    int16
	Partitions []strategy.TopicPartitions
	UserData   []byte // nil is null, which is not the same as empty
}

// AppendBinary appends a to b. Topics and partitions keep their order, as Java's do; topics without partitions are left out. A version
// that does not exist and names too long for the format are refused, with b returned as it was.
func (a *Assignment) AppendBinary(b []byte) ([]byte, error) {
	if a.Version < 0 || a.Version > Newest {
		return b, fmt.Errorf("assignment: version %d is not within 0..%d", a.Version, Newest)
	}
	size, topics, err := sizePartitions(a.Partitions)
	if err != nil {
		return b, fmt.Errorf("assignment: %w", err)
	}
	b = grow(b, 2+size+sizeBytes(a.UserData))
	b = binary.BigEndian.AppendUint16(b, uint16(a.Version))
	b = appendPartitions(b, a.Partitions, topics)
	return appendBytes(b, a.UserData), nil
}

// DecodeAssignment reads an assignment. UserData is part of data, nothing else is.
//
// Versions above [Newest] are read as that, and bytes behind the last field are passed over. No data at all is what a broker sends to a
// member that the leader left out: an assignment of nothing. Anything else is a [*DecodeError].
func DecodeAssignment(data []byte) (Assignment, error) {
	if len(data) == 0 {
		return Assignment{}, nil
	}
	r := reader{format: "assignment", data: data}
	var a Assignment
	a.Version = r.version(Newest)
	a.Partitions = r.partitions("partitions", &pool{})
	a.UserData = r.bytes("user data")
	if r.err != nil {
		return Assignment{}, r.err
	}
	return a, nil
}
