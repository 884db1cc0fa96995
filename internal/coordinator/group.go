package coordinator

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// A group is one consumer group. Its members stand in the order in which they joined.
type group struct {
	name       string
	state      State
	generation int32  // of the last complete join; it only grows while a coordinator lives
	protocol   string // of that generation
	leader     string // its leader's member id
	members    []*member
	pending    []pendingMember // ids that were handed out and have not joined yet: a round waits for them
	deadline   Time            // of the join while preparing, of the sync while completing
	initial    bool            // while preparing: the group was empty, and waits for its deadline whoever is there
	grew       bool            // while initial: somebody has come since the deadline was set, which then is put off
	latest     Time            // while initial: to which the deadline may be put off
	offsets    map[strategy.TopicPartition]wire.Offset
}

// A member is one of a group.
type member struct {
	id, instance, client string
	session, rebalance   time.Duration
	offers               []wire.Offer
	assignment           []byte
	expires              Time   // of the session; does not count while a request of the member waits
	joining              uint64 // the join that waits for an answer, 0 for none
	syncing              uint64 // the sync that waits for an answer, 0 for none
	synced               bool   // has asked for the assignment of this generation
}

// A pendingMember has been told an id and is to come back with it.
type pendingMember struct {
	id      string
	expires Time
}

func (x *member) metadata(protocol string) []byte {
	for i := range x.offers {
		if x.offers[i].Name == protocol {
			return x.offers[i].Metadata
		}
	}
	return nil
}

// offersAs says whether the member's offers are these, byte for byte.
func (x *member) offersAs(offers []wire.Offer) bool {
	return slices.EqualFunc(x.offers, offers, func(a, b wire.Offer) bool { return a.Name == b.Name && bytes.Equal(a.Metadata, b.Metadata) })
}

func (g *group) member(id string) *member {
	for _, x := range g.members {
		if x.id == id {
			return x
		}
	}
	return nil
}

func (g *group) static(instance string) *member {
	for _, x := range g.members {
		if instance != "" && x.instance == instance {
			return x
		}
	}
	return nil
}

// find looks a request's sender up.
func (g *group) find(id, instance string) (*member, wire.Code) {
	if instance != "" {
		x := g.static(instance)
		switch {
		case x == nil:
			return nil, wire.UnknownMemberID
		case x.id != id:
			return nil, wire.FencedInstanceID
		}
		return x, wire.None
	}
	if x := g.member(id); x != nil {
		return x, wire.None
	}
	return nil, wire.UnknownMemberID
}

func (g *group) dropPending(id string) bool {
	n := len(g.pending)
	g.pending = slices.DeleteFunc(g.pending, func(p pendingMember) bool { return p.id == id })
	return len(g.pending) < n
}

// patience is how long a round waits: as long as its most patient member.
func (g *group) patience() time.Duration {
	most := time.Duration(0)
	for _, x := range g.members {
		most = max(most, x.rebalance)
	}
	return most
}

// candidates are the names that all members offer.
func (g *group) candidates() (names []string) {
	for i, x := range g.members {
		if i == 0 {
			for _, o := range x.offers {
				names = append(names, o.Name)
			}
			continue
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			return !slices.ContainsFunc(x.offers, func(o wire.Offer) bool { return o.Name == name })
		})
	}
	return names
}

// supports says whether a member with these offers can be in the group. Who is in it already counts as well: it may not change what it
// offers altogether, not even where it is alone.
func (g *group) supports(offers []wire.Offer) bool {
	if len(g.members) == 0 {
		return len(offers) > 0
	}
	names := g.candidates()
	return slices.ContainsFunc(offers, func(o wire.Offer) bool { return slices.Contains(names, o.Name) })
}

// vote chooses the protocol: of the names that all offer, each member votes for the one it wants most; of equal votes the
// first in the order of Java's hash map wins.
func (g *group) vote() string {
	names := g.candidates()
	votes := map[string]int{}
	for _, x := range g.members {
		for _, o := range x.offers {
			if slices.Contains(names, o.Name) {
				votes[o.Name]++
				break
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.MinFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(bucket(a), bucket(b)), cmp.Compare(a, b))
	})
}

// bucket is where Java's hash map keeps a text among up to twelve: the order in which Kafka counts votes. (Names are ASCII.)
func bucket(s string) uint32 {
	hash := uint32(0)
	for i := range len(s) {
		hash = 31*hash + uint32(s[i])
	}
	return (hash ^ hash>>16) & 15
}

// list is what the leader is told of the members.
func (g *group) list() []protocol.JoinMember {
	out := make([]protocol.JoinMember, len(g.members))
	for i, x := range g.members {
		out[i] = protocol.JoinMember{ID: x.id, InstanceID: x.instance, Metadata: x.metadata(g.protocol)}
	}
	return out
}
