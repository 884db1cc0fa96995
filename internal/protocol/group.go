// The leader's side of a round, first half: from what the broker lists in its JoinGroup response to a group that can be assigned.

package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// A JoinMember is a member as the leader's JoinGroup response lists it.
type JoinMember struct {
	ID         string
	InstanceID string // "" for a dynamic member
	Metadata   []byte // a [Subscription]
}

// A Join is what the members of a group said when they joined.
type Join struct {
	// Members are in the order of [strategy.Member.Compare]. Members that sent the same bytes for their topics have the same slice of
	// them, sorted. Claims, subscriptions and names share their memory, and the members' metadata is still in use, for user data and
	// by [Join.EncodeAssignments]: none of it may be changed.
	Members []strategy.Member
	// Topics has every topic that a member subscribes to, sorted.
	Topics []string
	// Follows says of each member whether it does as a [FollowUp] says.
	Follows []bool
	// Started says of each member when it began, by its own clock; zero if it does not say.
	Started []time.Time
	// Remarks says what was odd, in the order of the members.
	Remarks []Remark

	name   string   // of the assignor, on the wire
	claims [][]byte // of each member, the bytes that its Owned was read from, where they are as this package would write them
}

// A Remark is about one member's metadata.
type Remark struct {
	Member string
	// SetAside members are in the group without a subscription or claims, so they get nothing, as nobody knows what they asked for.
	SetAside bool
	// Err is [ErrNoMetadata], or a [*DecodeError]: about the subscription if the member is set aside, else about its user data, which
	// then counts as if it had not been sent.
	Err error
}

func (r Remark) String() string {
	if r.SetAside {
		return fmt.Sprintf("member %q is set aside: %v", r.Member, r.Err)
	}
	return fmt.Sprintf("member %q: %v", r.Member, r.Err)
}

// DecodeJoin reads what members said, in any order, to the leader of a group that uses the assignor with this wire name. It never fails:
// what makes no sense is remarked, and everybody else is in the group as if it had not been there.
//
// Claims are where [Subscription.Claims] says; those of an eager member that claims nothing there, and is not one of [StickyName], are what
// it previously had, if its user data tells. Labels, capacity and draining are taken off a member's user data, if it is a [UserData],
// and its assignor's part becomes the member's UserData; other user data becomes that as it is.
func DecodeJoin(name string, members []JoinMember) *Join {
	members = ordered(members)
	size := 0
	for i := range members {
		size += len(members[i].Metadata)
	}
	j := &Join{Members: make([]strategy.Member, len(members)), Follows: make([]bool, len(members)), Started: make([]time.Time, len(members)), name: name, claims: make([][]byte, len(members))}
	p := newPool(size)
	for i := range members {
		j.member(i, &members[i], p)
	}
	j.Topics = p.accepted()
	return j
}

// ordered returns the members in the order of [strategy.Member.Compare].
func ordered(members []JoinMember) []JoinMember {
	compare := func(a, b JoinMember) int {
		x := strategy.Member{ID: a.ID, InstanceID: a.InstanceID}
		return x.Compare(&strategy.Member{ID: b.ID, InstanceID: b.InstanceID})
	}
	if slices.IsSortedFunc(members, compare) {
		return members
	}
	members = slices.Clone(members)
	slices.SortStableFunc(members, compare)
	return members
}

// member reads one member's metadata.
func (j *Join) member(i int, from *JoinMember, p *pool) {
	m := &j.Members[i]
	m.ID, m.InstanceID, m.Generation = from.ID, from.InstanceID, strategy.NoGeneration
	s, err := decodeSubscription(from.Metadata, p)
	if err != nil {
		j.Remarks = append(j.Remarks, Remark{Member: m.ID, SetAside: true, Err: err})
		return
	}
	if len(from.Metadata) == 0 {
		j.remark(m, ErrNoMetadata)
		return
	}
	p.accept()
	m.Topics, m.Rack, m.UserData = s.Topics, s.Rack, s.UserData
	m.Owned, m.Generation, err = s.claims(j.name, p)
	if err != nil {
		m.UserData = nil
		j.remark(m, err)
	}
	j.claims[i] = p.written(m.Owned)
	if j.name != StickyName {
		j.userData(i, p)
	}
}

// userData opens a member's user data, if it is this project's.
func (j *Join) userData(i int, p *pool) {
	m := &j.Members[i]
	u, ok, err := decodeUserData(m.UserData, p)
	if !ok {
		return
	}
	if err != nil {
		m.UserData = nil
		j.remark(m, err)
		return
	}
	m.Labels, m.Capacity, m.Draining, m.UserData = u.Labels, u.Capacity, u.Draining, u.Assignor
	if u.Previous != nil && len(m.Owned) == 0 && !strings.HasPrefix(j.name, cooperativePrefix) {
		m.Owned, m.Generation = u.Previous.Partitions, u.Previous.Generation
		j.claims[i] = p.written(m.Owned)
	}
	m.Releasing, m.Expecting, j.Follows[i], j.Started[i] = u.Releasing, u.Expecting, u.Follows, u.Started
}

func (j *Join) remark(m *strategy.Member, err error) {
	j.Remarks = append(j.Remarks, Remark{Member: m.ID, Err: err})
}

// Group makes a group of the members and of those topics that a member subscribes to. It shares j's memory, and that of topics.
func (j *Join) Group(name string, generation int32, leader string, topics []strategy.Topic) *strategy.Group {
	g := &strategy.Group{Name: name, Generation: generation, Leader: leader, Members: j.Members}
	g.Topics = make([]strategy.Topic, 0, min(len(topics), len(j.Topics)))
	for i := range topics {
		if _, ok := slices.BinarySearch(j.Topics, topics[i].Name); ok {
			g.Topics = append(g.Topics, topics[i])
		}
	}
	byName := func(a, b strategy.Topic) int { return cmp.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(g.Topics, byName) {
		slices.SortFunc(g.Topics, byName)
	}
	return g
}
