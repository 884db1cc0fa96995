package fetch

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned once the partition or the fetcher is closed.
	ErrClosed = errors.New("fetch: closed")
	// ErrOpen is returned for a partition that is open already.
	ErrOpen = errors.New("fetch: the partition is open already")

	// ErrMissing is the trouble of a partition that its topic does not have, or whose topic there is not, for now.
	ErrMissing = errors.New("the partition does not exist")
	// ErrNoLeader is the trouble of a partition that nobody leads for now.
	ErrNoLeader = errors.New("the partition has no leader")
	// ErrDense is the trouble of a partition whose next records Sarama cannot decode for now: a compressed batch with more records than
	// bytes. It can when more bytes follow in the log.
	ErrDense = errors.New("the batch has more records than bytes, and can be decoded only when more records follow it")

	// ErrOutOfRange ends a partition whose offset is not in the log, with [Fail].
	ErrOutOfRange = errors.New("the offset is not in the log")
	// ErrCorrupt ends a partition whose next records cannot be decoded.
	ErrCorrupt = errors.New("the records are corrupt")
	// ErrTooLarge ends a partition whose next record is larger than any answer may be, or is its trouble with brokers before Kafka 0.10.1.
	ErrTooLarge = errors.New("the record is too large to be fetched")
	// ErrUnauthorized ends a partition that the user may not read.
	ErrUnauthorized = errors.New("not authorised to read the topic")
)

// A PartitionError ends a partition: it cannot be read any further. It does not name the partition, as whoever is told of it has that.
type PartitionError struct {
	Offset int64 // of the record that would have been next; -1 if that is not known
	Err    error
}

func (e *PartitionError) Error() string {
	if e.Offset < 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("at offset %d: %v", e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *PartitionError) Unwrap() error { return e.Err }
