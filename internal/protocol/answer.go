// The leader's side of a round, second half: from an assignor's answer to what SyncGroup sends.

package protocol

import (
	"encoding/binary"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// A MemberAssignment is what SyncGroup sends for one member.
type MemberAssignment struct {
	ID         string
	Assignment []byte // an [Assignment] of version [Newest]
}

// EncodeAssignments writes what a gives to each of the members, all of them, in their order, also those that a has nothing for. What a
// says of others is passed over: that is for [strategy.Validate] to name. All assignments are parts of one allocation; appending to one
// does not write into the next.
//
// Each member's user data is a [UserData] of what hints has for it, by its id, and what the assignor sends it in a.UserData; it is null
// where both have nothing. For [StickyName] it is what Java's sticky assignor would send at the next join, the member's partitions and
// this generation, as some clients send back what they are given; there is no room for anything else, so that hints and a.UserData
// are left out.
//
// An error names the member that something is too large for; it wraps [ErrLimit] or, for hints, what [UserData.AppendBinary] returns.
func (j *Join) EncodeAssignments(generation int32, a *strategy.Assignment, hints map[string]UserData) ([]MemberAssignment, error) {
	parts := make([]memberPart, len(j.Members))
	size := 0
	for i := range parts {
		if err := parts[i].measure(j, i, a, hints); err != nil {
			return nil, fmt.Errorf("assignment of member %q: %w", j.Members[i].ID, err)
		}
		size += parts[i].size
	}
	all := make([]byte, 0, size)
	out := make([]MemberAssignment, len(parts))
	for i := range parts {
		from := len(all)
		all = parts[i].append(all, generation)
		out[i] = MemberAssignment{ID: j.Members[i].ID, Assignment: all[from:len(all):len(all)]}
	}
	return out, nil
}

// A memberPart is what one member is sent, measured.
type memberPart struct {
	partitions []strategy.TopicPartitions
	topics     int    // that have partitions
	written    []byte // the partitions as the member itself wrote them, if it is given what it claimed
	list       int    // size of the partitions
	sticky     bool
	user       *UserData // nil for null
	userSizes  userDataSizes
	size       int // of the whole assignment
}

func (part *memberPart) measure(j *Join, i int, a *strategy.Assignment, hints map[string]UserData) error {
	m := &j.Members[i]
	var err error
	part.partitions = a.Members[m.ID]
	if j.claims[i] != nil && same(part.partitions, m.Owned) {
		part.written, part.list = j.claims[i], len(j.claims[i])
	} else if part.list, part.topics, err = sizePartitions(part.partitions); err != nil {
		return err
	}
	part.size = 2 + part.list + 4
	if part.sticky = j.name == StickyName; part.sticky {
		part.size += part.list + 4
		return nil
	}
	u, hinted := hints[m.ID]
	assignor := a.UserData[m.ID]
	if !hinted && assignor == nil {
		return nil
	}
	u.Assignor = assignor
	part.user = new(u)
	if part.userSizes, err = part.user.measure(); err != nil {
		return err
	}
	part.size += part.userSizes.all()
	return nil
}

func (part *memberPart) append(b []byte, generation int32) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(Newest))
	from := len(b)
	if part.written != nil {
		b = append(b, part.written...)
	} else {
		b = appendPartitions(b, part.partitions, part.topics)
	}
	list := b[from:]
	switch {
	case part.sticky:
		b = binary.BigEndian.AppendUint32(b, uint32(len(list)+4))
		b = append(b, list...)
		return binary.BigEndian.AppendUint32(b, uint32(generation))
	case part.user != nil:
		b = binary.BigEndian.AppendUint32(b, uint32(part.userSizes.all()))
		return part.user.append(b, part.userSizes)
	}
	return appendBytes(b, nil)
}
