package histories

import (
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// In some histories leaders announce and members say what is not so, as other programs may: partitions that there are not, or that are somebody
// else's, and rounds that do not come. Nothing that must hold depends on what is announced.

// lie makes up partitions.
func (w *World) lie() (list []strategy.TopicPartitions) {
	for range w.rng.IntN(4) {
		tp := strategy.TopicPartitions{Topic: []string{"t", "u", "", "zz", "t"}[w.rng.IntN(5)]}
		for range w.rng.IntN(6) {
			tp.Partitions = append(tp.Partitions, int32(w.rng.IntN(10)-2))
		}
		list = append(list, tp)
	}
	return list
}

// lieOfRounds makes up what a leader announces to some of the members.
func (w *World) lieOfRounds(j *protocol.Join, hints map[string]protocol.UserData) map[string]protocol.UserData {
	times := []time.Duration{0, time.Millisecond, 60 * time.Millisecond, 400 * time.Millisecond, 3 * time.Second, 24 * 24 * time.Hour}
	out := map[string]protocol.UserData{}
	for _, m := range j.Members {
		switch u, told := hints[m.ID]; w.rng.IntN(4) {
		case 0:
			if told {
				out[m.ID] = u
			}
		case 1:
		default:
			u = protocol.UserData{Coming: w.lie()}
			if w.rng.IntN(3) > 0 {
				u.FollowUp = &protocol.FollowUp{After: times[w.rng.IntN(len(times))], Grace: times[w.rng.IntN(len(times))]}
			}
			out[m.ID] = u
		}
	}
	return out
}

// lieOfPartitions changes what a member says to others' leaders.
func (w *World) lieOfPartitions(j wire.Join) wire.Join {
	if w.rng.IntN(3) > 0 {
		return j
	}
	j.Offers = slices.Clone(j.Offers)
	for i, o := range j.Offers {
		s, err := protocol.DecodeSubscription(o.Metadata)
		if err != nil {
			continue
		}
		u, ours, err := protocol.DecodeUserData(s.UserData)
		if !ours || err != nil {
			continue
		}
		if w.rng.IntN(2) == 0 {
			u.Releasing = w.lie()
		}
		if w.rng.IntN(2) == 0 {
			u.Expecting = w.lie()
		}
		if w.rng.IntN(4) == 0 {
			u.Follows = !u.Follows
		}
		if s.UserData, err = u.AppendBinary(nil); err == nil {
			j.Offers[i].Metadata, err = s.AppendBinary(nil)
		}
		if err != nil {
			panic(err)
		}
	}
	return j
}
