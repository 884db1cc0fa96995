package membership

import "fmt"

// A State is what the member is doing about the group. What it does about partitions, callbacks and commits is beside it: they go on in
// every state.
type State uint8

// The states of a member.
const (
	Down          State = iota // not started
	Discovering                // asking who coordinates the group, without being part of it
	Revoking                   // part of the group, about to join; first gives up what it has to, and waits for that
	Joining                    // has sent, or is about to repeat, a JoinGroup
	Assigning                  // leads the new generation, and waits for its assignor
	Syncing                    // waits for the assignment
	Stable                     // part of the group
	Rediscovering              // part of the group, asking who coordinates it now
	Leaving                    // giving everything up; then says farewell
	Ended                      // will not do anything again
)

var stateNames = [...]string{"down", "discovering", "revoking", "joining", "assigning", "syncing", "stable", "rediscovering", "leaving", "ended"}

func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}
