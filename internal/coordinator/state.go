package coordinator

import "fmt"

// A Phase is what a machine does as a whole.
type Phase uint8

// The phases of a machine.
const (
	Down       Phase = iota // another broker is the coordinator
	CatchingUp              // reading the log
	Ready                   // serving
)

func (p Phase) String() string { return [...]string{"down", "catching up", "ready"}[p] }

// A State is that of one group.
type State uint8

// The states of a group. Kafka's Dead has no use here: a group that was deleted is forgotten, requests are answered as if it had never been,
// and the next join makes another of that name, whose generations begin anew.
const (
	Empty      State = iota // no members; offsets may be left
	Preparing               // waiting for members to join, until all have or the time is up
	Completing              // all are told the generation; waiting for the leader's assignment
	Stable                  // all have, or may fetch, their assignment
)

func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

var stateNames = [...]string{"empty", "preparing", "completing", "stable"}
