package connect

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded"
)

// headStart is how long an address has before the next one is tried as well.
const headStart = 250 * time.Millisecond

// Dial connects to the cluster that the flags, the environment and the profile name. It returns when one of the brokers has answered
// everything that a client needs, or when none has: within the timeout, and promptly once ctx ends, with its error. What ctx does later
// means nothing to the client.
//
// A command line that contradicts itself is a [*fault.UsageError]; what brokers did wrong is an [*Error]. Warnings are lines on warn,
// which may be nil.
func (o *Options) Dial(ctx context.Context, warn io.Writer) (*Client, error) {
	t, err := o.resolve(warn)
	if err != nil {
		return nil, err
	}
	if t.embedded() {
		return t.dialEmbedded(ctx)
	}
	secured, err := t.tlsConfig()
	if err != nil {
		return nil, err
	}
	return t.race(ctx, secured)
}

func (t *target) dialEmbedded(ctx context.Context) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	cluster, err := embedded.StartSample(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting the embedded cluster: %w", err)
	}
	c := &Client{target: t, gate: newGate(t.timeout), addr: cluster.Addrs()[0], cluster: cluster}
	if c.Client, err = sarama.NewClient(cluster.Addrs(), t.config(nil, c.gate)); err != nil {
		c.gate.Shut(err)
		cluster.Close()
		return nil, fmt.Errorf("connecting to the embedded cluster: %w", err)
	}
	return c, nil
}

// outcome is how an attempt at an address ended.
type outcome struct {
	number int
	client *Client
	err    error
}

// race tries the addresses in their order, each some time after the last, or when it has failed. The first that can be used wins. All
// attempts are over when it returns.
func (t *target) race(ctx context.Context, secured *tls.Config) (*Client, error) {
	until := time.Now().Add(t.timeout)
	attempts, cancel := context.WithDeadlineCause(ctx, until, errTimeout)
	defer cancel()
	outcomes := make(chan outcome)
	errs := make([]error, len(t.brokers))
	var winner *Client
	next := time.NewTimer(0)
	defer next.Stop()
	started, running := 0, 0
	for started < len(t.brokers) && winner == nil && attempts.Err() == nil || running > 0 {
		select {
		case <-next.C:
			if started == len(t.brokers) || attempts.Err() != nil {
				continue
			}
			go func(i int) {
				client, err := t.attempt(attempts, until, secured, t.brokers[i])
				outcomes <- outcome{i, client, err}
			}(started)
			started, running = started+1, running+1
			next.Reset(headStart)
		case done := <-outcomes:
			running--
			errs[done.number] = done.err
			switch {
			case done.client != nil && winner == nil:
				winner = done.client
				cancel()
			case done.client != nil:
				_ = done.client.Close() // both were in time; one is enough
			case errors.Is(done.err, ErrCredentials):
				cancel() // the same login would fail everywhere, and may be locked for it
			default:
				next.Reset(0)
			}
		}
	}
	switch {
	case winner != nil:
		return winner, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("connecting to %s: %w", strings.Join(t.brokers, ", "), ctx.Err())
	}
	for _, err := range errs {
		if errors.Is(err, ErrCredentials) {
			return nil, err
		}
	}
	for i, err := range errs {
		if err == nil { // there was no time left for it
			errs[i] = broker(t.brokers[i], ErrSilent, nil, "was not tried: %s (--timeout) were over", t.timeout)
		}
	}
	return nil, allFailed(errs)
}

// attempt connects to one broker. Nothing of it is left when it fails, which it does when ctx ends and when the time is over.
func (t *target) attempt(ctx context.Context, until time.Time, secured *tls.Config, addr string) (*Client, error) {
	g := newGate(t.timeout)
	stop := context.AfterFunc(ctx, func() { g.Shut(context.Cause(ctx)) })
	client, err := t.connect(until, secured, g, addr)
	if err != nil {
		stop()
		g.Shut(err)
		return nil, err
	}
	if !stop() { // it is too late, and the gate is being shut
		_ = client.Close()
		return nil, broker(addr, ErrSilent, context.Cause(ctx), "does not answer within %s (--timeout)", t.timeout)
	}
	return client, nil
}

func (t *target) connect(until time.Time, secured *tls.Config, g *gate, addr string) (*Client, error) {
	p := &prober{target: t, secured: secured, gate: g, addr: addr, until: until}
	if err := p.probe(); err != nil {
		return nil, err
	}
	c := &Client{target: t, gate: g, addr: addr}
	var err error
	if c.Client, err = sarama.NewClient([]string{addr}, t.config(secured, g)); err != nil {
		return nil, p.explainClient(err)
	}
	return c, nil
}

// explainClient is about a broker that the probe found nothing wrong with.
func (p *prober) explainClient(err error) error {
	if p.late(err) {
		return p.silent(err, "does not answer within %s (--timeout)")
	}
	return broker(p.addr, ErrUnreachable, err, "cannot be used: %s", reason(err))
}

// reason returns what is behind Sarama's errors that only say that something failed.
func reason(err error) string {
	for _, general := range []error{sarama.ErrOutOfBrokers, sarama.ErrSASLAuthenticationFailed} {
		if errors.Is(err, general) {
			if inner := errors.Unwrap(err); inner != nil {
				return reason(inner)
			}
		}
	}
	if closed(err) {
		return "the connection was closed"
	}
	return strings.TrimPrefix(err.Error(), "kafka: ")
}
