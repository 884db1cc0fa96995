package main

import (
	"context"
	"errors"
	"log"
	"sync/atomic"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A member is a consumer in a group that a plugin assigns. It prints what it is given.
type member struct {
	*consumer.Consumer
	assignor *plugin.Assignor
	name     string
	out      *log.Logger
	read     atomic.Int64 // records
}

// newMember makes one. Members of one catalog share the plugin's process, which is started when one of them leads the group.
func newMember(catalog *plugin.Catalog, plugin, name string, cfg consumer.Config, out *log.Logger) (*member, error) {
	assignor, err := catalog.Load(plugin)
	if err != nil {
		return nil, err
	}
	m := &member{assignor: assignor, name: name, out: out}
	cfg.Assignors = []strategy.Assignor{strategy.Fallback(assignor, sticky.Assignor{})}
	cfg.Callbacks = callbacks.Funcs{OnAssign: m.assigned, OnRevoke: m.revoked}
	if m.Consumer, err = consumer.New(cfg); err != nil {
		return nil, errors.Join(err, assignor.Close())
	}
	return m, nil
}

// run runs the member, and lets go of the plugin afterwards.
func (m *member) run(ctx context.Context) error {
	err := m.Run(ctx, func(context.Context, *consumer.Message) error {
		m.read.Add(1)
		return nil
	})
	return errors.Join(err, m.assignor.Close())
}

func (m *member) assigned(_ context.Context, a *callbacks.Assignment) error {
	for _, list := range a.Added {
		m.out.Printf("%s reads %s %v\n", m.name, list.Topic, list.Partitions)
	}
	return nil
}

func (m *member) revoked(_ context.Context, r *callbacks.Revocation) error {
	for _, list := range r.Removed {
		m.out.Printf("%s leaves %s %v\n", m.name, list.Topic, list.Partitions)
	}
	return nil
}
