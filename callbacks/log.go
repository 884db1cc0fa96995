package callbacks

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Log writes a line for every call of cb when it has returned: at level Info, for a loss at Warn, and at Error if it failed or
// panicked, which is then a [*strategy.PanicError]. At level Debug there is a line as well when the call begins. A nil cb
// does nothing, so that Log can stand in a [Chain] of its own; a nil logger is [slog.Default].
//
// The attributes are group, member, generation, added or removed (as "orders[0-3,7] payments[1]", cut where it gets long), count (how
// many those are), current (how many the member owns now), took; reason and cause of a loss; error, and stack after a panic. Partitions
// are printed only if the line is.
func Log(cb Callbacks, logger *slog.Logger) Callbacks {
	if cb == nil {
		cb = Funcs{}
	}
	return logging{inner: cb, logger: logger}
}

type logging struct {
	inner  Callbacks
	logger *slog.Logger
}

func (l logging) Assigned(ctx context.Context, a *Assignment) error {
	attrs := append(eventAttrs(&a.Event), partitionAttrs("added", a.Added)...)
	return l.call(ctx, line{"assigning partitions", "partitions assigned", slog.LevelInfo, attrs}, func() error {
		return l.inner.Assigned(ctx, a)
	})
}

func (l logging) Revoked(ctx context.Context, r *Revocation) error {
	attrs := append(eventAttrs(&r.Event), partitionAttrs("removed", r.Removed)...)
	return l.call(ctx, line{"revoking partitions", "partitions revoked", slog.LevelInfo, attrs}, func() error {
		return l.inner.Revoked(ctx, r)
	})
}

func (l logging) Lost(ctx context.Context, x *Loss) error {
	attrs := append(eventAttrs(&x.Event), partitionAttrs("removed", x.Removed)...)
	attrs = append(attrs, slog.String("reason", string(x.Reason)))
	if x.Err != nil {
		attrs = append(attrs, slog.Any("cause", x.Err))
	}
	return l.call(ctx, line{"losing partitions", "partitions lost", slog.LevelWarn, attrs}, func() error {
		return l.inner.Lost(ctx, x)
	})
}

// A line is what is said of one call, before and after.
type line struct {
	before, after string
	level         slog.Level
	attrs         []slog.Attr
}

func (l logging) call(ctx context.Context, say line, f func() error) error {
	logger := l.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(ctx, slog.LevelDebug, say.before, say.attrs...)
	started := time.Now()
	err := protect(f)
	attrs := append(say.attrs, slog.Duration("took", time.Since(started))) //nolint:gocritic // say.attrs is of no further use
	if err != nil {
		say.level = slog.LevelError
		attrs = append(attrs, slog.Any("error", err))
		if panicked, ok := errors.AsType[*strategy.PanicError](err); ok {
			attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
		}
	}
	logger.LogAttrs(ctx, say.level, say.after, attrs...)
	return err
}

func eventAttrs(e *Event) []slog.Attr {
	return []slog.Attr{
		slog.String("group", e.Group), slog.String("member", e.Member), slog.Int("generation", int(e.Generation)),
		slog.Int("current", strategy.Count(e.Current)),
	}
}

func partitionAttrs(key string, list []strategy.TopicPartitions) []slog.Attr {
	return []slog.Attr{slog.Any(key, compact(list)), slog.Int("count", strategy.Count(list))}
}

// compact is partitions that become text only when a handler wants them.
type compact []strategy.TopicPartitions

// LogValue returns the text.
func (c compact) LogValue() slog.Value { return slog.StringValue(text(c)) }
