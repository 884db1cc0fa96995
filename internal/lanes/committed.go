package lanes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// Retries of an offset fetch wait from the first to the second, doubling.
const (
	leastWait = 50 * time.Millisecond
	mostWait  = time.Second
)

// ErrUnanswered is part of the error when committed offsets could not be had before the context ended.
var ErrUnanswered = errors.New("the coordinator did not say which offsets are committed")

// An Offset is one that is committed.
type Offset struct {
	Offset      int64 // of the next record to process
	LeaderEpoch int32 // under which the record before it was written; -1 if that is not known
	Metadata    string
}

// Committed returns the group's committed offsets of partitions; those without one, or of which the coordinator says that they do not
// exist, are left out. It goes over a connection of its own, so that neither heartbeats nor commits wait for it, and finds the
// coordinator itself. It tries again until the coordinator has answered for all partitions, or ctx or the lanes end, and fails sooner
// only where that is no use: errors.Is finds [sarama.ErrGroupAuthorizationFailed] or [sarama.ErrTopicAuthorizationFailed] then, or what
// else it is. Offsets in transactions that are not finished are waited for. One call asks at a time; others wait.
func (l *Lanes) Committed(ctx context.Context, parts []strategy.TopicPartition) (map[strategy.TopicPartition]Offset, error) {
	return l.committed(ctx, &l.offsets, parts)
}

// CommittedSoFar is Committed for who only wants to know how far the group is: transactions that are not finished do not count yet and are not
// waited for. It has a connection of its own, so that nobody who is to begin reading waits for it.
func (l *Lanes) CommittedSoFar(ctx context.Context, parts []strategy.TopicPartition) (map[strategy.TopicPartition]Offset, error) {
	return l.committed(ctx, &l.lags, parts)
}

func (l *Lanes) committed(ctx context.Context, f *fetcher, parts []strategy.TopicPartition) (map[strategy.TopicPartition]Offset, error) {
	if len(parts) == 0 {
		return map[strategy.TopicPartition]Offset{}, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ended, func() { cancel(errClosed) })()
	var last error // what came between, if not the end
	for wait := leastWait; ; wait = min(2*wait, mostWait) {
		found, err := f.ask(ctx, parts)
		if err == nil {
			return found, nil
		}
		if final(err) {
			return nil, fmt.Errorf("the committed offsets of group %s: %w", l.cfg.Group, advise(err, l.cfg.Group))
		}
		if ctx.Err() == nil {
			last = err
			l.cfg.Logger.Debug("committed offsets are asked for again", "error", err, "after", wait)
		}
		select {
		case <-ctx.Done():
			return nil, unanswered(context.Cause(ctx), last, len(parts))
		case <-time.After(wait):
		}
	}
}

func unanswered(cause, last error, partitions int) error {
	err := fmt.Errorf("%w (of %d partitions): %w", ErrUnanswered, partitions, cause)
	if last != nil {
		err = fmt.Errorf("%w; before that: %w", err, last)
	}
	return err
}

// final reports that asking again is no use.
func final(err error) bool {
	if _, ok := errors.AsType[sarama.PacketEncodingError](err); ok || errors.Is(err, sarama.ErrUnsupportedVersion) {
		return true
	}
	code, ok := errors.AsType[sarama.KError](err)
	return ok && (wire.Code(code).Kind() == wire.Final || code == sarama.ErrTopicAuthorizationFailed)
}

// advise says what it takes to be allowed to.
func advise(err error, group string) error {
	switch {
	case errors.Is(err, sarama.ErrGroupAuthorizationFailed):
		return fmt.Errorf("%w; an ACL is missing: Read on Group %s", err, group)
	case errors.Is(err, sarama.ErrTopicAuthorizationFailed):
		return fmt.Errorf("%w; an ACL is missing: Read on Topic", err)
	}
	return err
}

// A fetcher has the connection over which committed offsets come.
type fetcher struct {
	lanes  *Lanes
	stable bool          // transactions that are not finished are waited for
	turn   chan struct{} // has one in it while somebody uses what follows
	conn   *conn.Conn    // to the coordinator, or nil
}

// ask asks once; twice if the connection was closed since the last time, as idle ones are, or says nothing for a while, as it does when what
// is between has forgotten it.
func (f *fetcher) ask(ctx context.Context, parts []strategy.TopicPartition) (map[strategy.TopicPartition]Offset, error) {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-f.turn }()
	if f.lanes.ended.Err() != nil {
		return nil, errClosed
	}
	used := f.conn != nil
	resp, err := f.first(ctx, parts)
	if err != nil && used && (hungUp(err) || errors.Is(err, errSilent)) && ctx.Err() == nil {
		resp, err = f.request(ctx, parts)
	}
	if err != nil {
		return nil, err
	}
	found, err := read(resp, f.lanes.cfg.Group, parts)
	if err != nil {
		err = fmt.Errorf("broker %s: %w", f.conn.Addr(), err)
		if !errors.Is(err, sarama.ErrUnstableOffsetCommit) && !errors.Is(err, sarama.ErrOffsetsLoadInProgress) {
			f.drop() // another broker may be the coordinator by now
		}
		return nil, err
	}
	return found, nil
}

// errSilent is why a connection that was there already is given up.
var errSilent = errors.New("no answer")

// first gets an answer, which does not take long over a connection that was there already.
func (f *fetcher) first(ctx context.Context, parts []strategy.TopicPartition) (*sarama.OffsetFetchResponse, error) {
	if f.conn != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, patience, errSilent)
		defer cancel()
	}
	return f.request(ctx, parts)
}

// request gets an answer. There is no connection any more when it fails.
func (f *fetcher) request(ctx context.Context, parts []strategy.TopicPartition) (*sarama.OffsetFetchResponse, error) {
	if err := f.connect(ctx); err != nil {
		return nil, err
	}
	byTopic := map[string][]int32{}
	for _, p := range parts {
		byTopic[p.Topic] = append(byTopic[p.Topic], p.Partition)
	}
	request := sarama.NewOffsetFetchRequest(f.lanes.cfg.Client.Config().Version, f.lanes.cfg.Group, byTopic)
	request.RequireStable = f.stable && request.Version >= 7
	stop := context.AfterFunc(ctx, f.conn.Cut)
	resp, err := conn.Do(f.conn, func(b *sarama.Broker) (*sarama.OffsetFetchResponse, error) {
		resp, err := b.FetchOffset(request)
		if err != nil && request.RequireStable && request.Version < 7 {
			// Sarama has lowered the version to what the broker knows, and has not sent it, as that lacks the flag.
			request.RequireStable = false
			resp, err = b.FetchOffset(request)
		}
		return resp, err
	})
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("broker %s: %w", f.conn.Addr(), conn.Explain(err))
		f.drop()
		return nil, err
	}
	return resp, nil
}

// connect finds the coordinator and connects to it, if there is no connection.
func (f *fetcher) connect(ctx context.Context) error {
	if f.conn != nil {
		return nil
	}
	who, err := f.lanes.find(ctx)
	if err != nil {
		return err
	}
	if who.Code != wire.None {
		return fmt.Errorf("finding the coordinator: %w", sarama.KError(who.Code))
	}
	f.conn, err = f.lanes.dial(ctx, who.Node, f.lanes.cfg.Request)
	return err
}

func (f *fetcher) drop() {
	f.conn.Close()
	f.conn = nil
}

// close waits for who asks. The lanes have ended, so nobody connects again.
func (f *fetcher) close() {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	if f.conn != nil {
		f.drop()
	}
}

// read takes an answer apart, which has to be about all that was asked for.
func read(resp *sarama.OffsetFetchResponse, group string, parts []strategy.TopicPartition) (map[strategy.TopicPartition]Offset, error) {
	if code := resp.GroupError(); code != sarama.ErrNoError {
		return nil, code
	}
	blocks := resp.Blocks
	if resp.Version >= 8 {
		g := resp.GetGroup(group)
		if g == nil {
			return nil, fmt.Errorf("the answer lacks group %s", group)
		}
		blocks = g.Blocks
	}
	found := make(map[strategy.TopicPartition]Offset, len(parts))
	for _, p := range parts {
		b := blocks[p.Topic][p.Partition]
		switch {
		case b == nil:
			return nil, fmt.Errorf("the answer lacks %s-%d", p.Topic, p.Partition)
		case b.Err == sarama.ErrUnknownTopicOrPartition:
			continue // it is deleted, or not everywhere yet: nobody has committed there
		case b.Err != sarama.ErrNoError:
			return nil, fmt.Errorf("%s-%d: %w", p.Topic, p.Partition, b.Err)
		case b.Offset < -1:
			return nil, fmt.Errorf("%s-%d: the answer has offset %d", p.Topic, p.Partition, b.Offset)
		case b.Offset >= 0:
			found[p] = Offset{Offset: b.Offset, LeaderEpoch: b.LeaderEpoch, Metadata: b.Metadata}
		}
	}
	return found, nil
}
