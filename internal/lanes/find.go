package lanes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// patience is how long a broker may say nothing before another one is asked as well: one whose machine is gone does not even refuse.
const patience = time.Second

// dial connects to a node that an answer or the client has named.
func (l *Lanes) dial(ctx context.Context, node int32, readTimeout time.Duration) (*conn.Conn, error) {
	l.mu.Lock()
	addr := l.addrs[node]
	l.mu.Unlock()
	if addr == "" {
		for _, b := range l.cfg.Client.Brokers() {
			if b.ID() == node {
				addr = b.Addr()
			}
		}
	}
	if addr == "" {
		return nil, fmt.Errorf("lanes: the address of broker %d is not known", node)
	}
	return l.open(ctx, addr, readTimeout)
}

// open connects to an address. That takes no longer than a request, however long answers may take later.
func (l *Lanes) open(ctx context.Context, addr string, readTimeout time.Duration) (*conn.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.cfg.Request, fmt.Errorf("no answer within %v", l.cfg.Request))
	defer cancel()
	c, err := conn.Open(ctx, l.cfg.Client.Config(), addr, readTimeout)
	if err != nil {
		return nil, conn.ExplainOpen(err, l.cfg.Client.Config())
	}
	return c, nil
}

// find asks brokers who coordinates the group until one answers: the next one when one fails, or has nothing to say for a while. Each time
// another one is asked first.
func (l *Lanes) find(ctx context.Context) (wire.FindCoordinatorReply, error) {
	type answer struct {
		reply wire.FindCoordinatorReply
		err   error
	}
	addrs := l.brokers()
	answers := make(chan answer, len(addrs))
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	errs := []error{errNobody}
	for asked := 0; len(errs) <= len(addrs); {
		var impatient <-chan time.Time
		if asked < len(addrs) {
			addr := addrs[asked]
			asking.Go(func() {
				reply, err := l.findAt(ctx, addr)
				answers <- answer{reply, err}
			})
			asked++
			impatient = time.After(patience)
		}
		select {
		case a := <-answers:
			if a.err == nil {
				return a.reply, nil
			}
			errs = append(errs, a.err)
		case <-impatient:
		}
	}
	return wire.FindCoordinatorReply{}, errors.Join(errs...)
}

// errNobody heads the list of what each broker did instead of answering.
var errNobody = fmt.Errorf("nobody says who coordinates the group: %w", sarama.ErrOutOfBrokers)

func (l *Lanes) findAt(ctx context.Context, addr string) (wire.FindCoordinatorReply, error) {
	none := wire.FindCoordinatorReply{Node: -1}
	c, err := l.open(ctx, addr, l.cfg.Request)
	if err != nil {
		return none, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, c.Cut)()
	resp, err := conn.Do(c, func(b *sarama.Broker) (*sarama.FindCoordinatorResponse, error) {
		return b.FindCoordinator(&sarama.FindCoordinatorRequest{Version: 3, CoordinatorKey: l.cfg.Group, CoordinatorType: sarama.CoordinatorGroup})
	})
	if err != nil {
		return none, fmt.Errorf("asking broker %s for the coordinator: %w", addr, conn.Explain(err))
	}
	if resp.Err != sarama.ErrNoError {
		return wire.FindCoordinatorReply{Code: wire.Code(resp.Err), Node: -1}, nil
	}
	if resp.Coordinator == nil || resp.Coordinator.ID() < 0 {
		return wire.FindCoordinatorReply{Code: wire.CoordinatorNotAvailable, Node: -1}, nil
	}
	node := resp.Coordinator.ID()
	l.mu.Lock()
	l.addrs[node] = resp.Coordinator.Addr()
	l.mu.Unlock()
	return wire.FindCoordinatorReply{Node: node}, nil
}

// brokers returns all addresses at which a broker may be, in the order in which to ask them. The client forgets brokers that do not
// answer it; they may be back.
func (l *Lanes) brokers() []string {
	var addrs []string
	for _, b := range l.cfg.Client.Brokers() {
		addrs = append(addrs, b.Addr())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(addrs) > 0 {
		l.known = slices.Clone(addrs)
	} else {
		addrs = append(addrs, l.known...)
	}
	for _, addr := range l.addrs {
		addrs = append(addrs, addr)
	}
	addrs = append(addrs, l.cfg.Seeds...)
	slices.Sort(addrs)
	addrs = slices.Compact(addrs)
	if len(addrs) == 0 {
		return nil
	}
	first := l.turn % len(addrs)
	l.turn++
	return slices.Concat(addrs[first:], addrs[:first])
}
