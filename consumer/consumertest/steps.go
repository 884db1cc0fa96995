package consumertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// A step is one callback of a sequence.
type step struct {
	kind   kind
	parts  []strategy.TopicPartition // sorted, not empty
	ends   ending
	refuse bool // the coordinator is away: commits of the callback fail
	reason callbacks.LossReason
}

type kind uint8

const (
	assign kind = iota
	revoke
	lose
)

func (k kind) String() string { return [...]string{"OnAssign", "OnRevoke", "OnLost"}[k] }

// An ending says whether and when a callback's context ends.
type ending uint8

const (
	lives       ending = iota // not while there is time
	endedBefore               // before the call
	endsInCall                // while it runs, if it takes that long
)

// String writes a step as faults print it, such as "OnRevoke orders-0 orders-1 (its context ends meanwhile)".
func (s *step) String() string {
	var b strings.Builder
	b.WriteString(s.kind.String())
	for _, p := range s.parts {
		b.WriteString(" " + name(p))
	}
	if s.kind == lose {
		fmt.Fprintf(&b, " (%s)", s.reason)
	}
	switch s.ends {
	case lives:
	case endedBefore:
		b.WriteString(" (its context has ended)")
	case endsInCall:
		b.WriteString(" (its context ends meanwhile)")
	}
	if s.refuse {
		b.WriteString(" (commits are refused)")
	}
	return b.String()
}

// name is a partition as messages write it.
func name(p strategy.TopicPartition) string { return fmt.Sprintf("%s-%d", p.Topic, p.Partition) }

func names(parts []strategy.TopicPartition) string {
	if len(parts) == 0 {
		return "nothing"
	}
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = name(p)
	}
	return strings.Join(list, " ")
}

// without returns the partitions of list that are not in others.
func without(list, others []strategy.TopicPartition) []strategy.TopicPartition {
	return slices.DeleteFunc(slices.Clone(list), func(p strategy.TopicPartition) bool { return slices.Contains(others, p) })
}
