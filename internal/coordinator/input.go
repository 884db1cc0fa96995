package coordinator

import (
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
)

// Time is the time since some moment that the driver chooses. It never goes back.
type Time = time.Duration

// An Input is what happened: one of the types below.
type Input interface{ input() }

// Received is a request of a client. ID is the driver's, unique for the machine, and comes back with the reply.
type Received struct {
	ID      uint64
	Request wire.Request
}

// Elected makes the machine the coordinator, with an epoch higher than that of any coordinator before it. It answers with
// [wire.CoordinatorLoading] until [Replayed] comes.
type Elected struct{ Epoch int }

// Replayed brings the whole log, oldest first.
type Replayed struct{ Records []Record }

// Resigned says that another broker is the coordinator now. Who waits for an answer gets [wire.NotCoordinator].
type Resigned struct{}

// Metadata says which topics there are, and how many partitions each has; until it comes, any may. Commits of others are refused, and what
// is stored of them is forgotten.
type Metadata struct{ Partitions map[string]int32 }

// Delete ends a group, which an administrator asked for, or whose offsets have expired. One that has members stays.
type Delete struct{ Group string }

// Tick says that time has passed.
type Tick struct{}

func (Received) input() {}
func (Elected) input()  {}
func (Replayed) input() {}
func (Resigned) input() {}
func (Metadata) input() {}
func (Delete) input()   {}
func (Tick) input()     {}
