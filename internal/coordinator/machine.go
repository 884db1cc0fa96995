package coordinator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// A Machine coordinates the groups of one log. It is not safe for concurrent use.
type Machine struct {
	cfg    Config
	phase  Phase
	epoch  int
	ids    int // handed out in this epoch
	groups map[string]*group
	topics map[string]int32 // that there are, nil if that is not known

	now Time
	out Output
}

// New returns a machine that is down.
func New(cfg Config) *Machine {
	cfg.setDefaults()
	return &Machine{cfg: cfg, groups: map[string]*group{}}
}

// Phase returns what the machine does.
func (m *Machine) Phase() Phase { return m.phase }

// Step tells the machine what happened at a time and returns what is to be done. Times that have run out are noticed first.
func (m *Machine) Step(now Time, in Input) Output {
	m.now, m.out = max(m.now, now), Output{}
	m.expire()
	switch in := in.(type) {
	case Elected:
		m.becomeCatchingUp(in.Epoch)
	case Replayed:
		m.becomeReady(in.Records)
	case Resigned:
		m.becomeDown()
	case Received:
		m.receive(in.ID, in.Request)
	case Metadata:
		m.topics = in.Partitions
		m.forgetOffsets()
	case Delete:
		m.delete(in.Group)
	case Tick:
	default:
		panic(fmt.Sprintf("coordinator: input %T", in))
	}
	m.out.Wake = m.wake()
	return m.out
}

func (m *Machine) becomeDown() {
	for _, g := range m.sorted() {
		for _, x := range g.members {
			m.answerJoin(x, wire.JoinReply{Code: wire.NotCoordinator, MemberID: x.id})
			m.answerSync(x, wire.SyncReply{Code: wire.NotCoordinator})
		}
	}
	m.phase, m.groups = Down, map[string]*group{}
}

func (m *Machine) becomeCatchingUp(epoch int) {
	if epoch <= m.epoch {
		panic(fmt.Sprintf("coordinator: elected with epoch %d after %d", epoch, m.epoch))
	}
	m.phase, m.epoch, m.ids, m.groups = CatchingUp, epoch, 0, map[string]*group{}
}

func (m *Machine) becomeReady(records []Record) {
	if m.phase != CatchingUp {
		return // deposed while it was reading
	}
	m.phase = Ready
	m.replay(records)
	m.forgetOffsets()
}

func (m *Machine) reply(id uint64, body wire.Reply) {
	m.out.Replies = append(m.out.Replies, Reply{ID: id, Body: body})
}

// receive dispatches a request, if this is the coordinator.
func (m *Machine) receive(id uint64, request wire.Request) {
	code := wire.None
	switch m.phase {
	case Down:
		code = wire.NotCoordinator
	case CatchingUp:
		code = wire.CoordinatorLoading
	}
	switch r := request.(type) {
	case wire.Join:
		if code != wire.None {
			m.reply(id, wire.JoinReply{Code: code, MemberID: r.MemberID})
			return
		}
		m.join(id, &r)
	case wire.Sync:
		if code != wire.None {
			m.reply(id, wire.SyncReply{Code: code})
			return
		}
		m.sync(id, &r)
	case wire.Heartbeat:
		m.reply(id, wire.HeartbeatReply{Code: cmp.Or(code, m.heartbeat(&r, code))})
	case wire.Leave:
		m.reply(id, wire.LeaveReply{Code: cmp.Or(code, m.leave(&r, code))})
	case wire.Commit:
		m.reply(id, m.commit(&r, code))
	case wire.Fetch:
		m.reply(id, m.fetch(&r, code))
	default:
		panic(fmt.Sprintf("coordinator: request %T", request))
	}
}

// group returns the group of that name, which may be a new one.
func (m *Machine) group(name string) *group {
	g := m.groups[name]
	if g == nil {
		g = &group{name: name, state: Empty, offsets: map[strategy.TopicPartition]wire.Offset{}}
		m.groups[name] = g
	}
	return g
}

// known returns the group of that name, or one that nobody has heard of and that is not kept.
func (m *Machine) known(name string) *group {
	if g := m.groups[name]; g != nil {
		return g
	}
	return &group{name: name, state: Empty}
}

// delete forgets a group without members, and the ids that it has handed out.
func (m *Machine) delete(name string) {
	g := m.groups[name]
	if m.phase != Ready || g == nil || g.state != Empty {
		return
	}
	delete(m.groups, name)
	m.out.Append = append(m.out.Append, GroupRecord{Group: name, Deleted: true})
}

func (m *Machine) sorted() []*group {
	if len(m.groups) == 1 {
		for _, g := range m.groups {
			return []*group{g}
		}
	}
	list := slices.Collect(maps.Values(m.groups))
	slices.SortFunc(list, func(a, b *group) int { return cmp.Compare(a.name, b.name) })
	return list
}

// newID makes a member id. The epoch is in it, so that no two coordinators of a group give the same.
func (m *Machine) newID(client string) string {
	m.ids++
	return fmt.Sprintf("%s-%s%d.%d", client, m.cfg.Node, m.epoch, m.ids)
}
