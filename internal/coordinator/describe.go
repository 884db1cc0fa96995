package coordinator

import (
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/internal/membership/wire"
)

// State returns the state of a group, its generation and how many members it has. A group that nobody has asked for is [Empty].
func (m *Machine) State(name string) (s State, generation int32, members int) {
	if g := m.groups[name]; g != nil {
		return g.state, g.generation, len(g.members)
	}
	return Empty, 0, 0
}

// MayCommit says whether a commit by this member in this generation would be stored now. It changes nothing.
func (m *Machine) MayCommit(name, id, instance string, generation int32) bool {
	g := m.groups[name]
	if m.phase != Ready || g == nil {
		return false
	}
	return m.mayCommit(g, id, instance, generation) == wire.None
}

// Describe renders the machine, a line for itself and one for each group, for logs, scripts and failures.
func (m *Machine) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v epoch=%d\n", m.phase, m.epoch)
	for _, g := range m.sorted() {
		fmt.Fprintf(&b, "group %s %v generation=%d", g.name, g.state, g.generation)
		if g.protocol != "" {
			fmt.Fprintf(&b, " protocol=%s leader=%s", g.protocol, g.leader)
		}
		for _, x := range g.members {
			fmt.Fprintf(&b, " %s", x.id)
			if x.joining != 0 {
				b.WriteString("(joining)")
			}
			if x.syncing != 0 {
				b.WriteString("(syncing)")
			}
		}
		for _, p := range g.pending {
			fmt.Fprintf(&b, " %s(pending)", p.id)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Protocol returns the assignor that a group uses, "" for none.
func (m *Machine) Protocol(name string) string {
	if g := m.groups[name]; g != nil {
		return g.protocol
	}
	return ""
}
