package consumer

import (
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

var (
	// ErrRan is returned by Run when it was called before: a consumer runs once.
	ErrRan = errors.New("consumer: ran before; make another one with New")
	// ErrNotRunning is returned where something is asked of a consumer that does not run, or not any more.
	ErrNotRunning = errors.New("consumer: not running")
	// ErrFenced ends Run when another process has taken over the member's instance id.
	ErrFenced = errors.New("consumer: another process has joined the group with this instance id; give every process its own")
	// ErrGroupUnauthorized ends Run when the brokers do not let the user join the group.
	ErrGroupUnauthorized = errors.New("consumer: not authorised for the group; the user needs the READ right on it")
	// ErrNoCommonAssignor ends Run when the group's members have no assignor in common with this one.
	ErrNoCommonAssignor = errors.New("consumer: the group's other members offer none of this member's assignors, or are no consumers; give them one in common")
	// ErrSession ends Run when the brokers do not allow the session timeout.
	ErrSession = errors.New("consumer: the brokers refuse the session timeout; see their group.min.session.timeout.ms and group.max.session.timeout.ms")
	// ErrGroupFull ends Run when the group may have no more members.
	ErrGroupFull = errors.New("consumer: the group is full; see the brokers' group.max.size")
	// ErrUnclean is part of what Run returns when the end took longer than [Config.CloseTimeout]: what was not finished by then was given up.
	ErrUnclean = errors.New("consumer: gave up waiting at the end")
	// ErrSticky is returned by [New], and by [Consumer.Drain], where something is to be told to an assignor that cannot hear it.
	ErrSticky = errors.New("consumer: Labels, Capacity and draining cannot be had beside an assignor whose name on the wire is \"sticky\": its format is Kafka's own, and has no room for them; offer an assignor of another name, such as sticky?cooperative")
	// ErrNotOwned is the error of a commit for a partition that the member does not have, or has lost.
	ErrNotOwned = callbacks.ErrNotOwned
	// ErrTopicUnauthorized is reported for a topic that the user may not read or see.
	ErrTopicUnauthorized = errors.New("not authorised for the topic; the user needs the READ and DESCRIBE rights on it")
)

// A HandlerError is a handler's failure that ends Run.
type HandlerError struct {
	Partition strategy.TopicPartition
	Offset    int64 // of the record, or of the first of a batch
	Err       error // what the handler returned, or a [*strategy.PanicError]
}

func (e *HandlerError) Error() string {
	return fmt.Sprintf("handling %s at offset %d: %v", name(e.Partition), e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *HandlerError) Unwrap() error { return e.Err }

// A StuckError is about a handler that does not return.
type StuckError struct {
	Partition strategy.TopicPartition
	Offset    int64         // of the record, or of the first of a batch
	For       time.Duration // at least
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("the handler of %s has been working at offset %d for %v", name(e.Partition), e.Offset, e.For.Round(time.Millisecond))
}

// A ReadError is about a partition that cannot be read, which ends Run.
type ReadError struct {
	Partition strategy.TopicPartition
	Offset    int64 // of the record that would have been next, -1 if that is not known
	Err       error
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("reading %s: %v", name(e.Partition), &fetch.PartitionError{Offset: e.Offset, Err: e.Err})
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// readable makes an error of the machine's one that says what to do.
func readable(err error) error {
	if errors.Is(err, membership.ErrSticky) {
		return ErrSticky
	}
	code, ok := errors.AsType[wire.Code](err)
	if !ok {
		return err
	}
	known := map[wire.Code]error{
		wire.FencedInstanceID:          ErrFenced,
		wire.GroupAuthorizationFailed:  ErrGroupUnauthorized,
		wire.InconsistentGroupProtocol: ErrNoCommonAssignor,
		wire.InvalidSessionTimeout:     ErrSession,
		wire.GroupMaxSizeReached:       ErrGroupFull,
	}
	if e, ok := known[code]; ok {
		return fmt.Errorf("%w (%w)", e, sarama.KError(code))
	}
	return fmt.Errorf("consumer: the group's coordinator refuses: %w", sarama.KError(code))
}

// commitError says what a code means for the offset of one partition.
func commitError(code wire.Code) error {
	switch code {
	case wire.None:
		return nil
	case wire.UnknownMemberID:
		return ErrNotOwned
	}
	return sarama.KError(code)
}

// name is a partition as messages write it.
func name(p strategy.TopicPartition) string { return fmt.Sprintf("%s-%d", p.Topic, p.Partition) }
