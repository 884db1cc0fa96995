package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/connect"
)

// A session is one look at a cluster: the requests of one call from outside.
type session struct {
	ctx    context.Context //nolint:containedctx // it lives no longer than the call that was given it
	client *connect.Client

	coordinator Broker // of the group that is read
}

// version is the newest that may be spoken.
func (s *session) version() sarama.KafkaVersion { return s.client.Config().Version }

// explain says what an error means, and what it takes to be allowed to. An end of the context goes before whatever it caused.
func (s *session) explain(err error, needs ...connect.Access) error {
	if err != nil && s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return s.client.Explain(err, needs...)
}

// ask sends a request to a broker, again if the connection had been closed before, as idle ones are.
func ask[T any](s *session, find func() (*sarama.Broker, error), send func(*sarama.Broker) (T, error)) (T, error) {
	var none T
	for again := false; ; again = true {
		b, err := find()
		if err != nil {
			return none, err
		}
		answer, err := patiently(s, b, send)
		if err == nil || again || !hungUp(err) || s.ctx.Err() != nil {
			return answer, err
		}
	}
}

// patiently sends a request, and waits as long as it takes to connect, to log in and to get an answer. Sarama waits longer if the broker has
// asked for that with its last answer, as with quotas.
func patiently[T any](s *session, b *sarama.Broker, send func(*sarama.Broker) (T, error)) (T, error) {
	most := 3 * s.client.Config().Net.ReadTimeout
	ctx, cancel := context.WithTimeout(s.ctx, most)
	defer cancel()
	answer, err := conn.Within(ctx.Done(), func() (T, error) { return send(b) })
	_, unreadable := errors.AsType[sarama.PacketDecodingError](err)
	switch {
	case errors.Is(err, conn.ErrCut):
		err = fmt.Errorf("the broker at %s takes no request for %v: it asks for a pause, as with a quota (--timeout)", b.Addr(), most)
	case hungUp(err):
		err = fmt.Errorf("the broker at %s closes the connection: %w", b.Addr(), err)
	case unreadable || errors.Is(err, sarama.ErrInsufficientData):
		err = fmt.Errorf("the broker at %s gives an answer that cannot be read: %w; try an older --kafka-version", b.Addr(), err)
	}
	return answer, err
}

// hungUp reports that the other side closed the connection, which says nothing about whether it takes a new one.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, sarama.ErrNotConnected) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// broker finds a broker by its number, one that the client has not heard of yet as well.
func (s *session) broker(id int32) func() (*sarama.Broker, error) {
	return func() (*sarama.Broker, error) {
		b, err := s.client.Broker(id)
		if errors.Is(err, sarama.ErrBrokerNotFound) {
			if err := s.client.RefreshMetadata(); err != nil {
				return nil, err
			}
			b, err = s.client.Broker(id)
		}
		return b, err
	}
}

// findCoordinator asks which broker coordinates a group. Sarama's own way sleeps for seconds where there is none yet.
func (s *session) findCoordinator(group string) error {
	v := choose(s.version(), sarama.V0_8_2_0, sarama.V0_11_0_0, sarama.V2_0_0_0, sarama.V2_4_0_0)
	req := &sarama.FindCoordinatorRequest{Version: v, CoordinatorKey: group, CoordinatorType: sarama.CoordinatorGroup}
	resp, err := askAny(s, func(b *sarama.Broker) (*sarama.FindCoordinatorResponse, error) { return b.FindCoordinator(req) })
	if err == nil && resp.Err != sarama.ErrNoError {
		err = resp.Err
	}
	if err != nil {
		return err
	}
	s.coordinator = Broker{ID: resp.Coordinator.ID(), Addr: resp.Coordinator.Addr()}
	return nil
}

// maxAsked is how many brokers are asked what all know.
const maxAsked = 3

// askAny sends a request that every broker can answer to one of them, and to others if it cannot be reached.
func askAny[T any](s *session, send func(*sarama.Broker) (T, error)) (T, error) {
	brokers := s.client.Brokers()
	if b := s.client.LeastLoadedBroker(); b != nil { // the one that is there already, as a rule
		brokers = append([]*sarama.Broker{b}, slices.DeleteFunc(brokers, func(o *sarama.Broker) bool { return o.ID() == b.ID() })...)
	}
	var answer T
	err := sarama.ErrOutOfBrokers
	for i, b := range brokers {
		if i == maxAsked || s.ctx.Err() != nil {
			break
		}
		answer, err = ask(s, func() (*sarama.Broker, error) {
			_ = b.Open(s.client.Config()) // which it may be; if it fails, the request says why
			return b, nil
		}, send)
		if err == nil {
			break
		}
	}
	return answer, err
}

// choose returns the newest version of a request that Kafka of the version given understands, which what a broker understands
// may lower further. from lists the versions of Kafka that brought each.
func choose(newest sarama.KafkaVersion, from ...sarama.KafkaVersion) int16 {
	best := 0
	for v, need := range from {
		if newest.IsAtLeast(need) {
			best = v
		}
	}
	return int16(best)
}
