package signals

import (
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A Scope is what is to be measured.
type Scope struct {
	OfPartitions []string // names of signals, sorted
	OfMembers    []string // the same; none is in both
	Topics       []strategy.Topic
	Members      []strategy.Member
}

// Has reports that whoever measures s measures all of other, too.
func (s *Scope) Has(other *Scope) bool {
	for _, name := range other.OfPartitions {
		if !slices.Contains(s.OfPartitions, name) {
			return false
		}
	}
	for _, name := range other.OfMembers {
		if !slices.Contains(s.OfMembers, name) {
			return false
		}
	}
	counts := s.counts()
	for i := range other.Topics {
		if t := &other.Topics[i]; len(other.OfPartitions) > 0 && counts[t.Name] != t.Partitions {
			return false
		}
	}
	ids := s.ids()
	for i := range other.Members {
		if len(other.OfMembers) > 0 && !ids[other.Members[i].ID] {
			return false
		}
	}
	return true
}

func (s *Scope) counts() map[string]int32 {
	counts := make(map[string]int32, len(s.Topics))
	for i := range s.Topics {
		counts[s.Topics[i].Name] = s.Topics[i].Partitions
	}
	return counts
}

func (s *Scope) ids() map[string]bool {
	ids := make(map[string]bool, len(s.Members))
	for i := range s.Members {
		ids[s.Members[i].ID] = true
	}
	return ids
}
