package signals

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// A Store has what was measured last, of what its [Scope] names.
type Store struct {
	maxAge     time.Duration
	scope      Scope
	counts     map[string]int32                // partitions of the scope's topics
	ids        map[string]bool                 // of the scope's members
	partitions map[string]map[string][]reading // by signal and topic
	members    map[string]map[string]reading   // by signal and member
}

// A reading is a number and when it was measured; the zero one is none.
type reading struct {
	value float64
	at    Time
	known bool
}

// New returns an empty store of an empty scope. What is older than maxAge is not used.
func New(maxAge time.Duration) *Store {
	return &Store{maxAge: maxAge, partitions: map[string]map[string][]reading{}, members: map[string]map[string]reading{}}
}

// Narrow sets the scope, and forgets what is not in it. Partitions that were added to a topic are not known yet; what is known of others
// stays.
func (s *Store) Narrow(scope Scope) {
	s.scope = scope
	counts, ids := scope.counts(), scope.ids()
	s.counts, s.ids = counts, ids
	for name, topics := range s.partitions {
		if !slices.Contains(scope.OfPartitions, name) {
			delete(s.partitions, name)
			continue
		}
		for topic, list := range topics {
			if n := int(counts[topic]); n == 0 {
				delete(topics, topic)
			} else if n != len(list) {
				topics[topic] = append(slices.Clone(list[:min(n, len(list))]), make([]reading, max(0, n-len(list)))...)
			}
		}
	}
	for name, members := range s.members {
		if !slices.Contains(scope.OfMembers, name) {
			delete(s.members, name)
			continue
		}
		maps.DeleteFunc(members, func(id string, _ reading) bool { return !ids[id] })
	}
}

// Clone returns a store of its own with what s knows.
func (s *Store) Clone() *Store {
	c := New(s.maxAge)
	c.scope, c.counts, c.ids = s.scope, s.counts, s.ids
	for name, topics := range s.partitions {
		c.partitions[name] = make(map[string][]reading, len(topics))
		for topic, list := range topics {
			c.partitions[name][topic] = slices.Clone(list)
		}
	}
	for name, members := range s.members {
		c.members[name] = maps.Clone(members)
	}
	return c
}

// Follow sets the scope, too, and takes over from another store what was not in the scope before. What was in it, and is not known, stays so.
func (s *Store) Follow(scope Scope, other *Store) {
	was, counts, ids := s.scope, s.counts, s.ids
	s.Narrow(scope)
	for _, name := range scope.OfPartitions {
		named := slices.Contains(was.OfPartitions, name)
		for i := range scope.Topics {
			t := &scope.Topics[i]
			before, had := counts[t.Name]
			if named && had && before == t.Partitions {
				continue
			}
			if list := other.partitions[name][t.Name]; len(list) == int(t.Partitions) && len(list) > 0 {
				copy(s.list(name, t.Name), list)
			}
		}
	}
	for _, name := range scope.OfMembers {
		named := slices.Contains(was.OfMembers, name)
		for id, r := range other.members[name] {
			if named && ids[id] || !s.ids[id] {
				continue
			}
			if s.members[name] == nil {
				s.members[name] = map[string]reading{}
			}
			s.members[name][id] = r
		}
	}
}

// Errors of answers that make no sense.
var (
	errNumber = errors.New("is no number that a signal may have")
	errLength = errors.New("a number for each partition is wanted")
)

func check(x float64) error {
	if math.IsNaN(x) || x < -strategy.MaxWeight || x > strategy.MaxWeight {
		return fmt.Errorf("%v %w", x, errNumber)
	}
	return nil
}

// PutPartition takes a number that was measured. What is not in the scope, or is no number, is passed over.
func (s *Store) PutPartition(now Time, signal string, p strategy.TopicPartition, value float64) {
	if !slices.Contains(s.scope.OfPartitions, signal) || check(value) != nil {
		return
	}
	if p.Partition < 0 || p.Partition >= s.counts[p.Topic] {
		return
	}
	s.list(signal, p.Topic)[p.Partition] = reading{value, now, true}
}

func (s *Store) list(signal, topic string) []reading {
	topics := s.partitions[signal]
	if topics == nil {
		topics = map[string][]reading{}
		s.partitions[signal] = topics
	}
	if topics[topic] == nil {
		topics[topic] = make([]reading, s.counts[topic])
	}
	return topics[topic]
}

// PutTopics takes an answer about whole topics, each of which is taken if it makes sense. Topics that are not in the scope are passed over. The
// error says what makes no sense, and which topics the answer lacks.
func (s *Store) PutTopics(now Time, signal string, answer map[string][]float64) error {
	if !slices.Contains(s.scope.OfPartitions, signal) {
		return nil
	}
	var errs []error
	for i := range s.scope.Topics {
		t := &s.scope.Topics[i]
		list, ok := answer[t.Name]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("nothing about topic %s", t.Name))
			continue
		case len(list) != int(t.Partitions):
			errs = append(errs, fmt.Errorf("%d numbers for the %d partitions of topic %s: %w", len(list), t.Partitions, t.Name, errLength))
			continue
		}
		if p := slices.IndexFunc(list, func(x float64) bool { return check(x) != nil }); p >= 0 {
			errs = append(errs, fmt.Errorf("partition %d of topic %s: %w", p, t.Name, check(list[p])))
			continue
		}
		to := s.list(signal, t.Name)
		for p, x := range list {
			to[p] = reading{x, now, true}
		}
	}
	return errors.Join(few(errs)...)
}

// PutMembers takes an answer about members. Those that are not in the scope are passed over. The error says which numbers make no sense, and
// which members the answer lacks.
func (s *Store) PutMembers(now Time, signal string, answer map[string]float64) error {
	if !slices.Contains(s.scope.OfMembers, signal) {
		return nil
	}
	if s.members[signal] == nil {
		s.members[signal] = map[string]reading{}
	}
	var errs []error
	for i := range s.scope.Members {
		id := s.scope.Members[i].ID
		x, ok := answer[id]
		if !ok {
			errs = append(errs, fmt.Errorf("nothing about member %s", id))
			continue
		}
		if err := check(x); err != nil {
			errs = append(errs, fmt.Errorf("member %s: %w", id, err))
			continue
		}
		s.members[signal][id] = reading{x, now, true}
	}
	return errors.Join(few(errs)...)
}

// few keeps an error short that may be about thousands of topics or members.
func few(errs []error) []error {
	const most = 3
	if n := len(errs); n > most {
		return append(errs[:most:most], fmt.Errorf("and %d more", n-most))
	}
	return errs
}

// fresh reports that a reading is known and not too old.
func (s *Store) fresh(now Time, r reading) bool { return r.known && now-r.at <= s.maxAge }

// Covers reports that all of the scope is known, and not too old.
func (s *Store) Covers(now Time) bool {
	for _, name := range s.scope.OfPartitions {
		for i := range s.scope.Topics {
			t := &s.scope.Topics[i]
			list := s.partitions[name][t.Name]
			if len(list) != int(t.Partitions) || slices.ContainsFunc(list, func(r reading) bool { return !s.fresh(now, r) }) {
				return false
			}
		}
	}
	for _, name := range s.scope.OfMembers {
		for i := range s.scope.Members {
			if !s.fresh(now, s.members[name][s.scope.Members[i].ID]) {
				return false
			}
		}
	}
	return true
}
