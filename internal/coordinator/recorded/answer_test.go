package recorded

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
)

// learn takes over who a member is told to be.
func (p *player) learn(s *sent, body wire.Reply) {
	r, ok := body.(wire.JoinReply)
	if !ok || r.Code != wire.None && r.Code != wire.MemberIDRequired {
		return
	}
	if _, known := p.names[r.MemberID]; !known {
		name := s.who.name
		for n := 2; p.id(name) != name; n++ {
			name = fmt.Sprintf("%s-%d", s.who.name, n)
		}
		p.names[r.MemberID] = name
	}
	s.who.id = r.MemberID
	if r.Code == wire.None {
		s.who.generation = r.Generation
	}
}

// describe renders an answer.
func (p *player) describe(s *sent, a answer) string {
	var text string
	switch r := a.body.(type) {
	case wire.JoinReply:
		text = p.describeJoin(s, &r)
	case wire.SyncReply:
		text = code(r.Code)
		if r.Code == wire.None {
			text += " " + describeAssignment(r.Assignment)
		}
	case wire.HeartbeatReply:
		text = code(r.Code)
	case wire.LeaveReply:
		text = code(r.Code)
	case wire.CommitReply:
		var codes []string
		for _, c := range r.Codes {
			codes = append(codes, code(c))
		}
		text = strings.Join(slices.Compact(codes), " ")
	case wire.FetchReply:
		words := []string{code(r.Code)}
		for _, o := range r.Offsets {
			words = append(words, fmt.Sprintf("%d@%d", o.Partition, o.Offset))
		}
		text = strings.Join(words, " ")
	}
	if p.beyond && a.beyond != "" {
		text += ", " + a.beyond
	}
	return text
}

// describeJoin leaves out whom the answer is to where that is who has asked.
func (p *player) describeJoin(s *sent, r *wire.JoinReply) string {
	text := code(r.Code)
	if r.Code != wire.None && r.Code != wire.MemberIDRequired {
		return text
	}
	if asked, ok := s.body.(wire.Join); ok && r.MemberID != asked.MemberID {
		text += " as " + p.name(r.MemberID)
	}
	if r.Code != wire.None {
		return text
	}
	text += fmt.Sprintf(" generation=%d protocol=%s leader=%s", r.Generation, r.Protocol, p.name(r.Leader))
	var members []string
	for _, m := range r.Members {
		one := p.name(m.ID)
		if m.InstanceID != "" {
			one += "/" + m.InstanceID
		}
		if said, err := protocol.DecodeSubscription(m.Metadata); err != nil {
			one += "?"
		} else if len(said.UserData) > 0 {
			one += "=" + string(said.UserData)
		}
		members = append(members, one)
	}
	if len(members) > 0 {
		slices.Sort(members) // brokers list them in any order
		text += " members=" + strings.Join(members, ",")
	}
	return text
}

// name returns how the lesson calls a member id.
func (p *player) name(id string) string {
	if id == "" {
		return "-"
	}
	if name, ok := p.names[id]; ok {
		return name
	}
	if slices.ContainsFunc(p.members, func(m *member) bool { return m.name == id }) || !strings.Contains(id, "-") {
		return id // one that a lesson made up
	}
	return "someone"
}

func code(c wire.Code) string {
	if c == wire.None {
		return "NONE"
	}
	if e := kerr.TypedErrorForCode(int16(c)); e != nil {
		return e.Message
	}
	return fmt.Sprintf("code %d", int16(c))
}

func describeAssignment(data []byte) string {
	if len(data) == 0 {
		return "nothing"
	}
	a, err := protocol.DecodeAssignment(data)
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, t := range a.Partitions {
		for _, n := range t.Partitions {
			parts = append(parts, strconv.Itoa(int(n)))
		}
	}
	return strings.Join(parts, ",")
}
