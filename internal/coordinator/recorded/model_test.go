package recorded

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/coordinator"
)

// A model is a machine with its log, in virtual time.
type model struct {
	group   string
	cfg     coordinator.Config
	m       *coordinator.Machine
	log     []coordinator.Record
	epoch   int
	now     coordinator.Time
	wake    coordinator.Time
	answers []answer // not returned yet
	done    map[uint64]bool
}

// newModel returns a model of a broker with these properties.
func newModel(group string, properties map[string]string) (*model, error) {
	m := &model{group: group, done: map[uint64]bool{}}
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		n, err := strconv.Atoi(properties[key])
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", key, err)
		case key == "group.initial.rebalance.delay.ms":
			m.cfg.InitialDelay = time.Duration(n) * time.Millisecond
		case key == "group.max.size":
			m.cfg.MaxSize = n
		default:
			return nil, fmt.Errorf("the model has no %s", key)
		}
	}
	return m, m.restart()
}

func (m *model) step(in coordinator.Input) {
	out := m.m.Step(m.now, in)
	m.log = append(m.log, out.Append...)
	for _, r := range out.Replies {
		m.answers = append(m.answers, answer{id: r.ID, body: r.Body})
		m.done[r.ID] = true
	}
	m.wake = out.Wake
}

func (m *model) restart() error {
	m.m = coordinator.New(m.cfg)
	m.epoch++
	m.step(coordinator.Elected{Epoch: m.epoch})
	m.step(coordinator.Metadata{Partitions: map[string]int32{topic: partitions}})
	m.step(coordinator.Replayed{Records: m.log})
	return nil
}

func (m *model) send(id uint64, _ string, r request) error {
	m.now += time.Millisecond
	m.step(coordinator.Received{ID: id, Request: r.body})
	return nil
}

func (m *model) settle() ([]answer, error) {
	out := m.answers
	m.answers = nil
	return out, nil
}

func (m *model) await(id uint64) error { return m.until(func() bool { return m.done[id] }) }

func (m *model) gone(id string) error {
	return m.until(func() bool { return !slices.Contains(strings.Fields(m.m.Describe()), id) })
}

// until lets time pass until something is so.
func (m *model) until(yes func() bool) error {
	for end := m.now + 24*time.Hour; !yes(); {
		if m.wake > end {
			return errors.New("it does not happen\n" + m.m.Describe())
		}
		m.now = max(m.now, m.wake)
		m.step(coordinator.Tick{})
	}
	return nil
}

func (m *model) at(d time.Duration) error {
	end := max(m.now, d)
	for m.wake <= end {
		m.now = max(m.now, m.wake)
		m.step(coordinator.Tick{})
	}
	m.now = end
	return nil
}

func (m *model) disconnect(string) {}

func (m *model) state() (string, error) {
	s, _, n := m.m.State(m.group)
	return describeState(s.String(), m.m.Protocol(m.group), n), nil
}

// describeState tells the protocol of a stable group only, as brokers do.
func describeState(state, protocol string, members int) string {
	if state == coordinator.Stable.String() {
		state += " protocol=" + protocol
	}
	return fmt.Sprintf("%s members=%d", state, members)
}

func (m *model) remove() error {
	m.step(coordinator.Delete{Group: m.group})
	return nil
}
