package live

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/connect"
)

// Options say how to read a group.
type Options struct {
	// Wait is how long a group in the middle of a rebalance, or without a coordinator that is ready, is waited for: 30 s if 0, not at all
	// if negative. It comes on top of the time that requests take.
	Wait time.Duration
}

const defaultWait = 30 * time.Second

// A group that rebalances is looked at again after a while, at first soon.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

// Read reads one group. It returns a [*GroupError] for a group that does not exist, is no consumer group, or did not come to rest; other
// errors are explained by the client. Topics that may not be described, offsets that cannot be read and members that cannot be
// understood are remarked, and the rest is there.
//
// Each request is bounded by the client's timeout. When ctx ends, Read returns its error at once, and the client is cut: it is of no use
// any more.
func Read(ctx context.Context, client *connect.Client, name string, o Options) (*Group, error) {
	defer context.AfterFunc(ctx, client.Cut)()
	s := &session{ctx: ctx, client: client}
	g, err := s.atRest(name, cmp.Or(o.Wait, defaultWait))
	if err != nil {
		return nil, err
	}
	committed, err := s.committed(g)
	if err != nil {
		return nil, err
	}
	if err := s.topics(g, committed); err != nil {
		return nil, err
	}
	return g, nil
}

// atRest describes a group once it does not rebalance.
func (s *session) atRest(name string, wait time.Duration) (*Group, error) {
	until := time.Now().Add(wait)
	refresh := true
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		var g *Group
		var err error
		if refresh {
			err = s.findCoordinator(name)
		}
		if err == nil {
			g, err = s.describe(name)
		}
		refresh = err != nil
		state := "its coordinator is not ready"
		switch {
		case err == nil && g == nil:
			if err := s.missing(name); err != nil {
				return nil, err
			}
			state = "it is being formed"
		case err == nil && g.Type == Classic && g.ProtocolType != "" && g.ProtocolType != "consumer":
			return nil, notConsumers(name, g.ProtocolType)
		case err == nil && !moving(g.State):
			return g, nil
		case err == nil:
			state = g.State
		case !notReady(err):
			return nil, s.explain(err, describeGroup(name), anyTopic)
		}
		rest := time.Until(until)
		if rest <= 0 {
			if err != nil {
				return nil, s.explain(err, describeGroup(name))
			}
			return nil, rebalancing(name, state, max(0, wait))
		}
		if err := s.sleep(min(pause, rest)); err != nil {
			return nil, err
		}
	}
}

// anyTopic is what ConsumerGroupDescribe needs of each topic that a group has. It does not say which one it misses.
var anyTopic = connect.Access{Operation: "Describe", Resource: connect.Topic, Name: "*"}

// notReady reports that a coordinator is being elected, moves, or has yet to read its log.
func notReady(err error) bool {
	return errors.Is(err, sarama.ErrConsumerCoordinatorNotAvailable) || errors.Is(err, sarama.ErrNotCoordinatorForConsumer) ||
		errors.Is(err, sarama.ErrOffsetsLoadInProgress)
}

func (s *session) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// missing says what there is in place of a group that neither request found: nil if it is there by now.
func (s *session) missing(name string) error {
	brokers, err := s.listed()
	if err != nil {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		return noGroup(name, nil) // that it does not exist is known all the same
	}
	var others []string
	for _, b := range brokers {
		for group, protocolType := range b.resp.Groups {
			switch kind := cmp.Or(b.resp.GroupsData[group].GroupType, Classic); {
			case group != name:
			case kind != Classic && kind != Consumer:
				return notConsumers(name, kind)
			case protocolType == "" || protocolType == "consumer":
				return nil
			default:
				return notConsumers(name, protocolType)
			}
			others = append(others, group)
		}
	}
	slices.Sort(others)
	return noGroup(name, others)
}
