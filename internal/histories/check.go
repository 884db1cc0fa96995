package histories

import (
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// A checker observes a history and says what must not be. It changes nothing.
type checker interface {
	after(w *World) error                                 // each event
	begun(p *Process, c *membership.Callback) error       // a callback
	ended(p *Process, c *membership.Callback) error       // a callback
	started(p *Process, tp strategy.TopicPartition) error // delivery of a partition
}

// silent is a checker that only says something where it says so.
type silent struct{}

func (silent) after(*World) error                              { return nil }
func (silent) begun(*Process, *membership.Callback) error      { return nil }
func (silent) ended(*Process, *membership.Callback) error      { return nil }
func (silent) started(*Process, strategy.TopicPartition) error { return nil }
