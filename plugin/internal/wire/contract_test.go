package wire

import (
	"context"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	rangestrategy "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// over asks an assignor through messages, as a host asks a plugin, without a process.
type over struct{ strategy.Assignor }

func (o over) Unwrap() strategy.Assignor { return o.Assignor }

func (o over) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	request := &pluginproto.AssignRequest{}
	if err := copied(AssignRequest(t), request); err != nil {
		return strategy.Assignment{}, err
	}
	there, err := Group(request)
	if err != nil {
		return strategy.Assignment{}, err
	}
	a, err := o.Assignor.Assign(ctx, there)
	if err != nil {
		return strategy.Assignment{}, err
	}
	answer, err := AssignResponse(there, &a)
	if err != nil {
		return strategy.Assignment{}, err
	}
	response := &pluginproto.AssignResponse{}
	if err := copied(answer, response); err != nil {
		return strategy.Assignment{}, err
	}
	return Assignment(t, response)
}

func copied(from, to proto.Message) error {
	data, err := proto.Marshal(from)
	if err != nil {
		return err
	}
	return proto.Unmarshal(data, to)
}

func TestContract(t *testing.T) {
	for _, a := range []strategy.Assignor{sticky.Assignor{}, rangestrategy.Assignor{}, roundrobin.Assignor{}, strategy.Cooperative(joined{sticky.Assignor{}})} {
		t.Run(a.Name(), func(t *testing.T) {
			strategytest.Options{Patience: time.Minute}.Run(t, func() strategy.Assignor { return over{a} })
		})
	}
}
