package conn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// An Asker asks what any broker can answer, over a connection that it keeps. It is for one goroutine at a time.
type Asker struct {
	conf     *sarama.Config
	patience time.Duration
	conn     *Conn // nil if there is none
}

// NewAsker returns one that is not connected. It connects as conf says, and waits for patience at most until it is, and for as long for an
// answer.
func NewAsker(conf *sarama.Config, patience time.Duration) *Asker {
	return &Asker{conf: conf, patience: patience}
}

// Ask calls ask with a broker that is connected, until ask returns no error: with the one that was asked last, then with those at addrs
// in turn. After an error that connection is closed. When none is left or ctx ends, Ask returns the errors of those at addrs, and says
// nothing of the connection that was kept, as it may have been old and its broker well.
func Ask[T any](ctx context.Context, a *Asker, addrs []string, ask func(*sarama.Broker) (T, error)) (none T, err error) {
	if a.conn != nil {
		if answer, err := try(ctx, a, ask); err == nil {
			return answer, nil
		}
	}
	var errs []error
	for _, addr := range addrs {
		if ctx.Err() != nil {
			break
		}
		err := a.open(ctx, addr)
		if err == nil {
			var answer T
			if answer, err = try(ctx, a, ask); err == nil {
				return answer, nil
			}
		}
		errs = append(errs, err)
	}
	if cause := context.Cause(ctx); cause != nil {
		errs = append(errs, cause)
	}
	if len(errs) == 0 {
		return none, sarama.ErrOutOfBrokers // there are no addresses
	}
	return none, errors.Join(errs...)
}

func (a *Asker) open(ctx context.Context, addr string) (err error) {
	ctx, cancel := a.patient(ctx)
	defer cancel()
	a.conn, err = Open(ctx, a.conf, addr, a.patience)
	return err
}

func (a *Asker) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, a.patience, fmt.Errorf("no answer within %v", a.patience))
}

func try[T any](ctx context.Context, a *Asker, ask func(*sarama.Broker) (T, error)) (T, error) {
	ctx, cancel := a.patient(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, a.conn.Cut)
	answer, err := Do(a.conn, ask)
	if !stop() && err == nil {
		err = context.Cause(ctx) // the answer is as good as any, but the connection is cut
	}
	if err != nil {
		a.Close()
	}
	return answer, err
}

// Addr returns the address of the broker that was asked last, "" if it is not connected to any more.
func (a *Asker) Addr() string {
	if a.conn == nil {
		return ""
	}
	return a.conn.Addr()
}

// Close closes the connection. Ask makes a new one.
func (a *Asker) Close() {
	if a.conn != nil {
		a.conn.Close()
		a.conn = nil
	}
}
