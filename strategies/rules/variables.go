package rules

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"sync"

	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/strategy"
)

// memberVariables is what expressions see of a member. The doc tags are what docs/rules.md says.
type memberVariables struct {
	ID       string            `expr:"id" doc:"its member id, which the broker makes up anew at each start"`
	Instance string            `expr:"instance" doc:"its instance id, empty unless it is a static member"`
	Host     string            `expr:"host" doc:"its label host, empty without"`
	Rack     string            `expr:"rack" doc:"where it runs, empty if it does not say"`
	Labels   map[string]string `expr:"labels" doc:"what it says about itself; a label that it does not have is empty"`
	Capacity float64           `expr:"capacity" doc:"its configured capacity: 1 if nothing is configured, 0 while it drains"`
	Topics   []string          `expr:"topics" doc:"what it subscribes to"`
}

// partitionVariables is what expressions see of a partition.
type partitionVariables struct {
	Topic  string   `expr:"topic" doc:"the topic's name"`
	Number int      `expr:"number" doc:"its number within the topic, from 0"`
	Racks  []string `expr:"racks" doc:"the racks of its replicas, none if they are not known"`
	Lag    float64  `expr:"lag" doc:"the same as weight, for readers who weigh by lag"`
	Weight float64  `expr:"weight" doc:"how heavy it is as the group says: lag, bytes a second; 1 if that is not known"`
}

// groupVariables is what expressions see of the group.
type groupVariables struct {
	Name       string `expr:"name" doc:"the group's name"`
	Members    int    `expr:"members" doc:"how many members it has"`
	Partitions int    `expr:"partitions" doc:"how many partitions all its topics have"`
}

// base is what all environments have besides variables.
type base struct {
	expression.Env
	reports *reports
}

func (b *base) reporting() *reports { return b.reports }

// The environments of rules, by what they may look at.
type (
	onMember struct {
		base
		Member *memberVariables `expr:"member"`
		Group  *groupVariables  `expr:"group"`
	}
	onPartition struct {
		base
		Partition *partitionVariables `expr:"partition"`
		Group     *groupVariables     `expr:"group"`
	}
	onPair struct {
		base
		Member    *memberVariables    `expr:"member"`
		Partition *partitionVariables `expr:"partition"`
		Group     *groupVariables     `expr:"group"`
	}
)

// hostLabel is the label that member.host shows.
const hostLabel = "host"

func (v *memberVariables) set(m *strategy.Member) {
	*v = memberVariables{
		ID: m.ID, Instance: m.InstanceID, Host: m.Labels[hostLabel], Rack: m.Rack, Labels: m.Labels, Capacity: float64(m.Share()), Topics: m.Topics,
	}
}

func (v *partitionVariables) set(t *strategy.Topic, number int32) {
	*v = partitionVariables{Topic: t.Name, Number: int(number), Weight: 1}
	if int(number) < len(t.Racks) {
		v.Racks = t.Racks[number]
	}
	if int(number) < len(t.Weights) {
		v.Weight = t.Weights[number]
	}
	v.Lag = v.Weight
}

func (v *groupVariables) set(g *strategy.Group) {
	*v = groupVariables{Name: g.Name, Members: len(g.Members)}
	for i := range g.Topics {
		v.Partitions += int(g.Topics[i].Partitions)
	}
}

// number reads a number from a label. One that is missing or is no number is reported, and another number stands in for it.
var number = expression.Function{
	Name:  "number",
	Usage: "number(labels, name, otherwise)",
	Types: []any{(func(map[string]string, string, float64) float64)(nil), (func(map[string]string, string, int) float64)(nil)},
	Call: func(env any, arguments ...any) (any, error) {
		labels, _ := arguments[0].(map[string]string)
		name, _ := arguments[1].(string)
		otherwise, ok := arguments[2].(float64)
		if n, whole := arguments[2].(int); !ok && whole {
			otherwise = float64(n)
		}
		var r *reports
		if host, ok := env.(interface{ reporting() *reports }); ok {
			r = host.reporting()
		}
		text, ok := labels[name]
		if !ok {
			r.once("label "+name+" missing", "a member does not have a label that a rule reads as a number", slog.String("label", name), slog.Float64("taken", otherwise))
			return otherwise, nil
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			r.once("label "+name+" bad", "a member has a label that is no number where a rule reads one",
				slog.String("label", name), slog.String("value", fmt.Sprintf("%.64q", text)), slog.Float64("taken", otherwise))
			return otherwise, nil
		}
		return x, nil
	},
}

// reports tells of what is odd and not fatal, each kind once.
type reports struct {
	logger *slog.Logger // nil: slog.Default()
	rules  string
	mu     sync.Mutex
	told   map[string]bool
}

// maxKinds bounds how many kinds are remembered, as names of labels may be computed.
const maxKinds = 100

func (r *reports) once(kind, message string, attrs ...slog.Attr) {
	if r == nil {
		return
	}
	r.mu.Lock()
	known := r.told[kind] || len(r.told) >= maxKinds
	if !known {
		r.told[kind] = true
	}
	r.mu.Unlock()
	if known {
		return
	}
	logger := r.logger
	if logger == nil {
		logger = slog.Default()
	}
	attrs = append([]slog.Attr{slog.String("rules", r.rules)}, attrs...)
	logger.LogAttrs(context.Background(), slog.LevelWarn, message, attrs...)
}
