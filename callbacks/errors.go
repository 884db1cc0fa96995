package callbacks

import (
	"errors"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

var (
	// ErrEnded is returned to one who sets a start or commits after its callback has returned or was given up.
	ErrEnded = errors.New("the callback has ended")
	// ErrNotOwned is returned to one who sets the start of a partition that was not added, or commits an offset of one that is not the
	// member's.
	ErrNotOwned = errors.New("not the member's partition")
	// ErrTimeout is the error of a callback that [Timeout] has given up. The context's cause comes with it.
	ErrTimeout = errors.New("callback did not return in time")
	// ErrHeld is returned by a [PartitionState] that is assigned a partition that it has.
	ErrHeld = errors.New("assigned twice without being revoked")
)

// errExited is the error of a callback that ended its goroutine without returning, as testing.T.FailNow does.
var errExited = errors.New("callback ended its goroutine")

// A PartitionError is an error about one partition.
type PartitionError struct {
	Op        string // load, save
	Partition strategy.TopicPartition
	Err       error
}

func (e *PartitionError) Error() string {
	return fmt.Sprintf("%s %s-%d: %v", e.Op, e.Partition.Topic, e.Partition.Partition, e.Err)
}

// Unwrap returns the cause.
func (e *PartitionError) Unwrap() error { return e.Err }
