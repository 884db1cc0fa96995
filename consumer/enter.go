package consumer

import (
	"context"
	"runtime"
	"strings"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// userCode is how the names of the functions begin through which the application's code is called: enterRecord, entering.Revoked.
const userCode = "github.com/assignkit/assignkit/consumer.enter"

// calledBack reports that this goroutine is in a handler or a callback.
func calledBack() bool {
	callers := make([]uintptr, 256)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, userCode) {
			return true
		}
		if !more {
			return false
		}
	}
}

func enterRecord(ctx context.Context, h Handler, m *Message) (err error) {
	defer strategy.Recover(&err)
	return h(ctx, m)
}

func enterBatch(ctx context.Context, h BatchHandler, b *Batch) (err error) {
	defer strategy.Recover(&err)
	return h(ctx, b)
}

func enterDeadLetter(ctx context.Context, f func(context.Context, *Message, error) error, m *Message, why error) (err error) {
	defer strategy.Recover(&err)
	return f(ctx, m, why)
}

func enterInterceptor(i sarama.ConsumerInterceptor, m *sarama.ConsumerMessage) (err error) {
	defer strategy.Recover(&err)
	i.OnConsume(m)
	return nil
}

// entering calls callbacks in methods by whose names [calledBack] knows them.
type entering struct{ callbacks.Callbacks }

func (e entering) Assigned(ctx context.Context, a *callbacks.Assignment) error {
	return e.Callbacks.Assigned(ctx, a)
}

func (e entering) Revoked(ctx context.Context, r *callbacks.Revocation) error {
	return e.Callbacks.Revoked(ctx, r)
}

func (e entering) Lost(ctx context.Context, l *callbacks.Loss) error {
	return e.Callbacks.Lost(ctx, l)
}

// enterCode is for what only returns an error: assignors, and handlers made for Sarama.
func enterCode(f func() error) (err error) {
	defer strategy.Recover(&err)
	return f()
}
