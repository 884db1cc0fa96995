package simulation

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A MoveKind says why a partition moved.
type MoveKind uint8

const (
	// MoveVoluntary means that its owner is still there and subscribes to the topic, and loses it.
	MoveVoluntary MoveKind = iota
	// MoveForced means that its owner has gone, or does not subscribe to the topic any more.
	MoveForced
)

// String returns "voluntary" or "forced".
func (k MoveKind) String() string {
	if k == MoveForced {
		return "forced"
	}
	return "voluntary"
}

// MarshalText returns what String does.
func (k MoveKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (k *MoveKind) UnmarshalText(text []byte) error {
	switch string(text) {
	case "voluntary":
		*k = MoveVoluntary
	case "forced":
		*k = MoveForced
	default:
		return fmt.Errorf("kind %q: voluntary or forced is wanted", text)
	}
	return nil
}

// A Move is a partition that somebody owned before a step, and somebody else, or nobody, owns after it.
type Move struct {
	Topic     string
	Partition int32
	Kind      MoveKind
	From      string // a member's id
	To        string // "" is nobody
}

// MarshalJSON writes null for nobody.
func (m Move) MarshalJSON() ([]byte, error) {
	var to *string
	if m.To != "" {
		to = &m.To
	}
	return json.Marshal(struct {
		Topic     string   `json:"topic"`
		Partition int32    `json:"partition"`
		From      string   `json:"from"`
		To        *string  `json:"to"`
		Kind      MoveKind `json:"kind"`
	}{m.Topic, m.Partition, m.From, to, m.Kind})
}

// moves compares who owned what in t, and what the members that are gone owned, with an answer. placed counts the partitions that
// nobody owned and somebody gets. The moves are in the order of topics and partitions, in buffer if there is room.
func moves(t *strategy.Table, gone []strategy.Member, a *strategy.Assignment, buffer []Move) (moved []Move, placed int) {
	left := owners(t, gone)
	moved = buffer[:0]
	after := t.Owners(a)
	i := 0
	for n := range t.Group.Topics {
		topic := &t.Group.Topics[n]
		for p := range topic.Partitions {
			was, now := t.Owner(i), int(after[i])
			m := Move{Topic: topic.Name, Partition: p, Kind: MoveForced}
			if now >= 0 {
				m.To = t.Group.Members[now].ID
			}
			switch {
			case was >= 0 && was != now:
				m.From = t.Group.Members[was].ID
				if t.Keeper(i) >= 0 {
					m.Kind = MoveVoluntary
				}
				moved = append(moved, m)
			case was >= 0:
			case left != nil && left[i] != 0:
				m.From = gone[left[i]-1].ID
				moved = append(moved, m)
			case now >= 0:
				placed++
			}
			i++
		}
	}
	return moved, placed
}

// owners says of each partition number which of the members owned it, counted from 1; 0 is none of them.
func owners(t *strategy.Table, members []strategy.Member) []int32 {
	if len(members) == 0 {
		return nil
	}
	owner := make([]int32, t.Len())
	for m := range members {
		for _, tp := range members[m].Owned {
			n, ok := t.Topic(tp.Topic)
			if !ok {
				continue
			}
			base, count := t.Base(n), t.Group.Topics[n].Partitions
			for _, p := range tp.Partitions {
				if p >= 0 && p < count {
					owner[base+int(p)] = int32(m) + 1
				}
			}
		}
	}
	return owner
}

// retain copies moves out of a buffer that is used again.
func retain(moved []Move) []Move {
	if len(moved) == 0 {
		return nil
	}
	return slices.Clone(moved)
}
