package consumer

import (
	"context"
	"log/slog"

	"github.com/assignkit/assignkit/strategy"
)

// observe tells the log and the observer. It may be called from any goroutine and does not block.
func (d *driver) observe(e Event) {
	level, text, attrs := line(e)
	d.log.LogAttrs(context.Background(), level, text, attrs...)
	d.observeQuietly(e)
}

// observeQuietly is observe of what has been logged elsewhere.
func (d *driver) observeQuietly(e Event) {
	if o := d.cfg.Observer; o != nil {
		d.events.offer(func() { o.Observe(e) })
	}
}

// line is how an event is logged.
func line(e Event) (level slog.Level, text string, attrs []slog.Attr) {
	switch e := e.(type) {
	case RebalanceBegan:
		return slog.LevelInfo, "rebalance began", []slog.Attr{slog.Int("generation", int(e.Generation)), slog.String("reason", e.Reason)}
	case RebalanceEnded:
		return slog.LevelInfo, "rebalance ended", []slog.Attr{
			slog.Int("generation", int(e.Generation)), slog.String("assignor", e.Assignor), slog.Bool("leader", e.Leader), slog.String("reason", e.Reason),
			slog.Duration("joined", e.Joined), slog.Duration("took", e.Took),
			slog.Int("assigned", strategy.Count(e.Assigned)), slog.Int("added", strategy.Count(e.Added)), slog.Int("removed", strategy.Count(e.Removed)),
		}
	case CallbackReturned:
		level = slog.LevelDebug
		if e.Err != nil {
			level = slog.LevelError
		}
		return level, "callback returned", append(failure(e.Err), slog.String("callback", e.Callback), slog.Int("partitions", strategy.Count(e.Partitions)), slog.Duration("took", e.Took))
	case CallbackBlocked:
		return slog.LevelWarn, "callback blocks the group", []slog.Attr{slog.String("callback", e.Callback), slog.Duration("for", e.For), slog.Duration("left", e.Left)}
	case CommitFailed:
		return slog.LevelError, "commit failed", failure(e.Err)
	case HandlerFailed:
		return slog.LevelError, "handler failed", append(failure(e.Err.Err), slog.String("topic", e.Err.Partition.Topic), slog.Int("partition", int(e.Err.Partition.Partition)),
			slog.Int64("offset", e.Err.Offset), slog.Int("attempt", e.Attempt), slog.String("next", e.Next))
	case HandlerStuck:
		return slog.LevelError, "handler does not return", append(failure(e.Err), slog.Bool("lost", e.Lost))
	case HandlerCancelled:
		return slog.LevelWarn, "handler was cancelled, as its partition is revoked", []slog.Attr{slog.String("partition", name(e.Partition)), slog.Int64("offset", e.Offset),
			slog.Duration("after", e.After)}
	case HandlerReturned:
		return slog.LevelInfo, "handler returned after all", []slog.Attr{slog.String("partition", name(e.Partition))}
	}
	return otherLine(e)
}

func otherLine(e Event) (level slog.Level, text string, attrs []slog.Attr) {
	switch e := e.(type) {
	case OffsetOutOfRange:
		return slog.LevelError, "offset out of range", []slog.Attr{slog.String("partition", name(e.Partition)), slog.Int64("wanted", e.Wanted),
			slog.Int64("start", e.Start), slog.Int64("end", e.End), slog.Int64("next", e.Next)}
	case ReadTrouble:
		if e.Err == nil {
			return slog.LevelInfo, "partition can be read again", []slog.Attr{slog.String("partition", name(e.Partition))}
		}
		return slog.LevelWarn, "partition cannot be read", append(failure(e.Err), slog.String("partition", name(e.Partition)))
	case LeaderMoved:
		return slog.LevelInfo, "leader moved", []slog.Attr{slog.String("partition", name(e.Partition)), slog.Int("from", int(e.From)), slog.Int("to", int(e.To)),
			slog.Int("epoch", int(e.Epoch))}
	case FetchRestarted:
		return slog.LevelWarn, "partition was not read; its reading begins anew", []slog.Attr{slog.String("partition", name(e.Partition)),
			slog.Duration("for", e.For), slog.Int64("next", e.Next)}
	case TopicMissing:
		return slog.LevelWarn, "topic does not exist; waiting for it", []slog.Attr{slog.String("topic", e.Topic)}
	case TopicFound:
		return slog.LevelInfo, "topic found", []slog.Attr{slog.String("topic", e.Topic), slog.Int("partitions", int(e.Partitions))}
	case TopicRecreated:
		return slog.LevelWarn, "topic was deleted and made anew", []slog.Attr{slog.String("topic", e.Topic), slog.Int("partitions", int(e.Partitions))}
	case SignalTrouble:
		if e.Err == nil {
			return slog.LevelInfo, "signal can be measured again", []slog.Attr{slog.String("signal", e.Signal)}
		}
		return slog.LevelWarn, "signal cannot be measured", append(failure(e.Err), slog.String("signal", e.Signal))
	case SignalMissing:
		return slog.LevelWarn, "the plan is made without a signal", append(failure(e.Err), slog.Int("generation", int(e.Generation)), slog.String("signal", e.Signal),
			slog.Int("topics", len(e.Topics)), slog.Int("in part", len(e.Partly)), slog.Int("members", len(e.Members)))
	case CoordinatorLost:
		return slog.LevelWarn, "the group's coordinator is away", failure(e.Err)
	case CoordinatorFound:
		return slog.LevelInfo, "the group's coordinator is back", []slog.Attr{slog.Duration("away", e.Away)}
	}
	return slog.LevelInfo, "event", []slog.Attr{slog.Any("event", e)}
}

func failure(err error) []slog.Attr {
	if err == nil {
		return nil
	}
	return []slog.Attr{slog.Any("error", err)}
}
