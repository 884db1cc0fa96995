package fetch

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/strategy"
)

// Config says how to read. What is 0 is the default.
type Config struct {
	Client        sarama.Client // knows brokers and leaders; its Config says how to connect. Requests for records do not go through it
	Rack          string        // where to read from a closer replica, if brokers choose one; "" always reads from leaders
	ReadCommitted bool          // leaves records of aborted transactions out, and waits for the end of open ones

	MinBytes       int32         // that a broker waits for. 1
	MaxBytes       int32         // of an answer. 50 MiB
	PartitionBytes int32         // of an answer, of one partition; a record that is larger comes alone. 1 MiB
	MaxWait        time.Duration // that a broker waits for MinBytes. 500 ms

	PartitionBuffer int64 // bytes of a partition that are read ahead or being processed. 4 MiB
	Buffer          int64 // of all partitions; one that has nothing at all may always read. 256 MiB

	Backoff    time.Duration // after an error, doubled each time. 100 ms
	MaxBackoff time.Duration // 1 s

	OutOfRange OutOfRange
	Report     func(Report) // is told of trouble, on goroutines of the fetcher, and must not block; may be nil
	Logger     *slog.Logger // nil: slog.Default()
}

// OutOfRange says where to go on when an offset is not in the log.
type OutOfRange uint8

// The ways there are.
const (
	Earliest OutOfRange = iota
	Latest
	Fail
)

// A Report is one of the types below.
type Report interface{ report() }

// An OutOfRangeReport says that the offset to read was not in the log.
type OutOfRangeReport struct {
	Partition  strategy.TopicPartition
	Wanted     int64
	Start, End int64 // of the log
	Next       int64 // where reading goes on; -1 if it does not
}

// A Trouble says that a partition cannot be read for now, or with a nil Err that it can again. Each is reported once.
type Trouble struct {
	Partition strategy.TopicPartition
	Err       error
}

func (OutOfRangeReport) report() {}
func (Trouble) report()          {}

var (
	// ErrClosed is returned once the partition or the fetcher is closed.
	ErrClosed = errors.New("fetch: closed")
	// ErrOpen is returned for a partition that is open already.
	ErrOpen = errors.New("fetch: the partition is open already")
	// ErrOutOfRange ends a partition whose offset is not in the log, with [Fail].
	ErrOutOfRange = errors.New("the offset is not in the log")
	// ErrCorrupt ends a partition whose next records do not make sense.
	ErrCorrupt = errors.New("the records are corrupt")
	// ErrUnauthorized ends a partition that the user may not read.
	ErrUnauthorized = errors.New("not authorised to read the topic")
)

// A PartitionError ends a partition: it cannot be read any further.
type PartitionError struct {
	Partition strategy.TopicPartition
	Offset    int64 // of the record that would have been next
	Err       error
}

func (e *PartitionError) Error() string {
	return fmt.Sprintf("reading %s-%d at offset %d: %v", e.Partition.Topic, e.Partition.Partition, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *PartitionError) Unwrap() error { return e.Err }

func (c *Config) validate() error {
	if c.Client == nil {
		return errors.New("fetch: no client")
	}
	for _, n := range []struct {
		value *int32
		zero  int32
	}{{&c.MinBytes, 1}, {&c.MaxBytes, 50 << 20}, {&c.PartitionBytes, 1 << 20}} {
		if *n.value == 0 {
			*n.value = n.zero
		}
		if *n.value < 0 {
			return fmt.Errorf("fetch: %d is no number of bytes", *n.value)
		}
	}
	for _, n := range []struct{ value, zero *int64 }{{&c.PartitionBuffer, ptr(4 << 20)}, {&c.Buffer, ptr(256 << 20)}} {
		if *n.value == 0 {
			*n.value = *n.zero
		}
		if *n.value < 0 {
			return fmt.Errorf("fetch: a buffer of %d bytes", *n.value)
		}
	}
	for _, d := range []struct {
		value *time.Duration
		zero  time.Duration
	}{{&c.MaxWait, 500 * time.Millisecond}, {&c.Backoff, 100 * time.Millisecond}, {&c.MaxBackoff, time.Second}} {
		if *d.value == 0 {
			*d.value = d.zero
		}
		if *d.value < 0 {
			return fmt.Errorf("fetch: a time of %v", *d.value)
		}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Report == nil {
		c.Report = func(Report) {}
	}
	return nil
}

func ptr(n int64) *int64 { return &n }
