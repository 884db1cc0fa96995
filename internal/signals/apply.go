package signals

import (
	"cmp"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A Missing says of which topics and members a signal is not known, or is too old.
type Missing struct {
	Signal string
	Topics []string // an assignor does not see the signal there
	Partly []string // topics some of whose partitions count as the others do on average
	// Members are those without the signal.
	Members []string
}

// Apply shows a group what is known of it, and returns what is not, sorted: without signals at first. Topics' and members' maps are new ones.
//
// An assignor sees a signal of a topic for all of its partitions or not at all. A broker that does not answer leads some of every topic, so
// that the whole group would have to do without; as long as at least half of a topic's partitions are known, the others therefore count
// as these do on average.
func (s *Store) Apply(now Time, g *strategy.Group) []Missing {
	missing := map[string]*Missing{}
	miss := func(signal string) *Missing {
		if missing[signal] == nil {
			missing[signal] = &Missing{Signal: signal}
		}
		return missing[signal]
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		t.Signals = nil
		for _, name := range s.scope.OfPartitions {
			list, partly := s.topic(now, name, t)
			if list == nil {
				m := miss(name)
				m.Topics = append(m.Topics, t.Name)
				continue
			}
			if partly {
				m := miss(name)
				m.Partly = append(m.Partly, t.Name)
			}
			if t.Signals == nil {
				t.Signals = map[string][]float64{}
			}
			t.Signals[name] = list
		}
	}
	for i := range g.Members {
		m := &g.Members[i]
		m.Signals = nil
		for _, name := range s.scope.OfMembers {
			r := s.members[name][m.ID]
			if !s.fresh(now, r) {
				x := miss(name)
				x.Members = append(x.Members, m.ID)
				continue
			}
			if m.Signals == nil {
				m.Signals = map[string]float64{}
			}
			m.Signals[name] = r.value
		}
	}
	var out []Missing
	for _, m := range missing {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Missing) int { return cmp.Compare(a.Signal, b.Signal) })
	return out
}

// topic returns a signal of a topic, nil if too little of it is known, and whether a part had to be made up.
func (s *Store) topic(now Time, signal string, t *strategy.Topic) (list []float64, partly bool) {
	readings := s.partitions[signal][t.Name]
	if len(readings) != int(t.Partitions) {
		return nil, false
	}
	list = make([]float64, len(readings))
	known, mean := 0, 0.0
	for _, r := range readings {
		if s.fresh(now, r) {
			known++
			mean += (r.value - mean) / float64(known)
		}
	}
	if 2*known < len(readings) || known == 0 && len(readings) > 0 {
		return nil, false
	}
	for p, r := range readings {
		if list[p] = r.value; !s.fresh(now, r) {
			list[p] = mean
		}
	}
	return list, known < len(readings)
}

// Worse reports that something is missing now that was not before. An assignor that does without it then decides in another way than it did, and
// that says nothing about the group.
func Worse(now, before []Missing) bool {
	type item struct{ signal, topic, member string }
	had := map[item]bool{}
	each := func(list []Missing, f func(item)) {
		for _, m := range list {
			for _, t := range slices.Concat(m.Topics, m.Partly) {
				f(item{signal: m.Signal, topic: t})
			}
			for _, id := range m.Members {
				f(item{signal: m.Signal, member: id})
			}
		}
	}
	each(before, func(i item) { had[i] = true })
	worse := false
	each(now, func(i item) { worse = worse || !had[i] })
	return worse
}
