// Package handover is what the leader of a cooperative group says about partitions that are to move, so that they are not away meanwhile.
//
// A cooperative group moves a partition in two rounds: in the first it is withheld from its new owner and taken from the old one, in the second
// it is handed out. The leader announces the second round along with the assignments of the first: when it is to be, and what it will bring
// to whom. Members then
//
//   - read ahead what is to come to them;
//   - join the second round at the time announced, if they give nothing up;
//   - process what they are to give up until a little later, and join last, which completes the round at once.
//
// Answers to SyncGroup arrive together, so that the times need no common clock. What belongs here is what to announce. How members follow is
// part of package membership, and that an assignor keeps to what was announced part of strategy.Cooperative. Members that do not follow,
// as those of other libraries, are in the group as ever.
package handover

import (
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// What [Timing] is by default.
const (
	After = 400 * time.Millisecond
	Grace = 60 * time.Millisecond
)

// Timing is that of the second round. Zero values are the defaults.
type Timing struct {
	After time.Duration // from the assignment until those join that give nothing up, to connect and read ahead; [After]
	Grace time.Duration // how much longer the others go on, so that they join last; [Grace]
	// Heartbeat is how often members that do not follow ask whether there is a round: in a group that has some, the grace is at least that
	// long, as the round would wait for them with partitions already given up. 3.2 s
	Heartbeat time.Duration
}

// longest is more than members wait in any case, and less than what can be written.
const longest = 24 * time.Hour

func (t *Timing) fill() {
	for _, d := range []struct {
		value *time.Duration
		zero  time.Duration
	}{{&t.After, After}, {&t.Grace, Grace}, {&t.Heartbeat, 3200 * time.Millisecond}} {
		if *d.value <= 0 {
			*d.value = d.zero
		}
		*d.value = min(*d.value, longest)
	}
}

// Announce returns what to say to each member that follows, nil if nothing is withheld. The assignment is the one of g that j's members asked
// for.
//
// The second round has no time if that would not help: if a member that does not follow is to give something up, which it does at once, or
// if all that is withheld is being released already, by members that join as soon as they can. Others then look for it by heartbeats.
func Announce(j *protocol.Join, g *strategy.Group, a *strategy.Assignment, timing Timing) map[string]protocol.UserData {
	if !a.Withholds() {
		return nil
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return nil // the assignment would not be there either
	}
	timing.fill()
	s := survey{join: j, table: t, timing: timing, coming: map[string][]strategy.TopicPartition{}}
	s.members()
	for i := range a.Unassigned {
		if u := &a.Unassigned[i]; u.Reason == strategy.ReasonWithheld {
			s.look(u)
		}
	}
	return s.hints(a)
}

// A survey is what a leader finds out about the partitions that it withholds.
type survey struct {
	join   *protocol.Join
	table  *strategy.Table
	timing Timing

	foreign   bool                                 // some member does not follow
	follows   map[string]bool                      // who does, by member
	releasing map[strategy.TopicPartition]bool     // on the way out already
	coming    map[string][]strategy.TopicPartition // to come to whom

	fresh  bool // something is withheld whose owner learns of it only now
	atOnce bool // such an owner does not follow: what it gives up is away from now on
}

// members looks at who is there.
func (s *survey) members() {
	s.follows, s.releasing = map[string]bool{}, map[strategy.TopicPartition]bool{}
	for i := range s.join.Members {
		m := &s.join.Members[i]
		s.follows[m.ID] = s.join.Follows[i]
		s.foreign = s.foreign || !s.join.Follows[i]
		for _, tp := range m.Releasing {
			for _, p := range tp.Partitions {
				s.releasing[strategy.TopicPartition{Topic: tp.Topic, Partition: p}] = true
			}
		}
	}
}

// look is about one partition that is withheld.
func (s *survey) look(u *strategy.Unassigned) {
	p := strategy.TopicPartition{Topic: u.Topic, Partition: u.Partition}
	if u.For != "" && s.follows[u.For] {
		s.coming[u.For] = append(s.coming[u.For], p)
	}
	topic, ok := s.table.Topic(u.Topic)
	if !ok || s.releasing[p] {
		return
	}
	switch owner := s.table.Owner(s.table.Base(topic) + int(u.Partition)); {
	case owner >= 0:
		s.fresh = true
		s.atOnce = s.atOnce || !s.follows[s.table.Group.Members[owner].ID]
	case owner == strategy.Disputed: // by whom is not worth finding out
		s.fresh = true
		s.atOnce = s.atOnce || s.foreign
	}
}

// hints writes down what was found.
func (s *survey) hints(a *strategy.Assignment) map[string]protocol.UserData {
	f := &protocol.FollowUp{Grace: s.timing.Grace}
	if s.foreign {
		f.Grace = max(f.Grace, s.timing.Heartbeat)
	}
	if s.fresh && !s.atOnce {
		f.After = s.timing.After
	}
	hints := map[string]protocol.UserData{}
	for id, follows := range s.follows {
		if room := protocol.HintRoom(a.UserData[id]); follows && room >= 0 { // without a hint it does as one that does not follow
			slices.SortFunc(s.coming[id], strategy.TopicPartition.Compare)
			hints[id] = protocol.UserData{FollowUp: f, Coming: protocol.Fit(strategy.ByTopic(s.coming[id]), room)}
		}
	}
	return hints
}
