package fetch

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/IBM/sarama"
)

// Config says how to read. What is 0 is the default; nothing may be negative.
type Config struct {
	// Client knows the brokers to begin with, and its Config says how to connect. No request for records, leaders or offsets goes through
	// it: only when none of the known brokers answers is it asked to find them again.
	Client        sarama.Client
	Rack          string // where to read from a closer replica, if brokers choose one; "" always reads from leaders
	ReadCommitted bool   // leaves records of aborted transactions out, and waits for the end of open ones

	MinBytes       int32         // that a broker waits for. 1
	MaxBytes       int32         // of an answer. 50 MiB
	PartitionBytes int32         // of one partition in an answer; a batch of records that is larger comes alone. 1 MiB
	MaxWait        time.Duration // that a broker waits for MinBytes. 500 ms

	// PartitionBuffer is how many bytes of a partition may be read ahead or in work, about, as they are in memory: what is beyond it is
	// one answer at most. 4 MiB.
	PartitionBuffer int64
	// Buffer is the same for all partitions. When it is used up, only partitions that have nothing at all are read, in small pieces.
	// 256 MiB.
	Buffer int64

	Backoff    time.Duration // after an error, doubled each time. 100 ms
	MaxBackoff time.Duration // 1 s

	OutOfRange OutOfRange
	// Report is told of what happens to partitions and brokers, one report at a time, in order, on a goroutine of the fetcher. While it
	// does not return, further reports wait in memory. Nil if nobody wants to know.
	Report func(Report)
	Logger *slog.Logger // nil: slog.Default()
}

// OutOfRange says where to go on when an offset is not in the log.
type OutOfRange uint8

// The ways there are.
const (
	Earliest OutOfRange = iota
	Latest
	Fail
)

func (c *Config) validate() error {
	if c.Client == nil {
		return errors.New("fetch: no client")
	}
	if c.OutOfRange > Fail {
		return fmt.Errorf("fetch: %d is no way to go on", c.OutOfRange)
	}
	err := errors.Join(
		orDefault("MinBytes", &c.MinBytes, 1),
		orDefault("MaxBytes", &c.MaxBytes, 50<<20),
		orDefault("PartitionBytes", &c.PartitionBytes, 1<<20),
		orDefault("MaxWait", &c.MaxWait, 500*time.Millisecond),
		orDefault("PartitionBuffer", &c.PartitionBuffer, 4<<20),
		orDefault("Buffer", &c.Buffer, 256<<20),
		orDefault("Backoff", &c.Backoff, 100*time.Millisecond),
		orDefault("MaxBackoff", &c.MaxBackoff, time.Second),
	)
	c.MaxWait = max(c.MaxWait, time.Millisecond) // which is how brokers count
	c.MaxBackoff = max(c.MaxBackoff, c.Backoff)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return err
}

func orDefault[N int32 | int64 | time.Duration](name string, n *N, zero N) error {
	if *n < 0 {
		return fmt.Errorf("fetch: %s is %v, which is negative", name, *n)
	}
	if *n == 0 {
		*n = zero
	}
	return nil
}

// fetchVersion is the newest version of fetch requests that Sarama and Kafka of version v have. A connection lowers it to what its broker
// takes.
func fetchVersion(v sarama.KafkaVersion) int16 {
	for _, n := range []struct {
		since   sarama.KafkaVersion
		version int16
	}{
		{sarama.V2_7_0_0, 12},
		{sarama.V2_3_0_0, 11},
		{sarama.V2_1_0_0, 10},
		{sarama.V2_0_0_0, 8},
		{sarama.V1_1_0_0, 7},
		{sarama.V1_0_0_0, 6},
		{sarama.V0_11_0_0, 5},
		{sarama.V0_10_1_0, 3},
		{sarama.V0_10_0_0, 2},
		{sarama.V0_9_0_0, 1},
	} {
		if v.IsAtLeast(n.since) {
			return n.version
		}
	}
	return 0
}
