package rules

import (
	"context"
	"log/slog"
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

	Uptime  float64            `expr:"uptime" doc:"for how many seconds it has been running, 0 if it does not say"`
	Signals map[string]float64 `expr:"signals" doc:"what the application measured of it; one that is missing is 0, or what number() takes for it"`
}

// partitionVariables is what expressions see of a partition.
type partitionVariables struct {
	Topic  string   `expr:"topic" doc:"the topic's name"`
	Number int      `expr:"number" doc:"its number within the topic, from 0"`
	Racks  []string `expr:"racks" doc:"the racks of its replicas, none if they are not known"`
	Weight float64  `expr:"weight" doc:"how heavy it is as the group says: bytes a second, lag; 1 if that is not known"`

	LeaderRack string             `expr:"leader_rack" doc:"the rack of the broker that leads it, empty if it is not known"`
	Lag        float64            `expr:"lag" doc:"how many of its records the group has not committed yet; where that is not measured, the same as weight"`
	Rate       float64            `expr:"rate" doc:"how many records are written to it in a second, 0 if that is not known"`
	Active     bool               `expr:"active" doc:"whether there is something to be read, as the application says; true if it does not"`
	Signals    map[string]float64 `expr:"signals" doc:"all that is measured of it, lag and rate as well; one that is missing is 0, or what number() takes for it"`
}

// groupVariables is what expressions see of the group.
type groupVariables struct {
	Name       string `expr:"name" doc:"the group's name"`
	Members    int    `expr:"members" doc:"how many members it has"`
	Partitions int    `expr:"partitions" doc:"how many partitions all its topics have"`

	Uptime float64 `expr:"uptime" doc:"the largest uptime of its members"`
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
		Uptime: m.Uptime.Seconds(), Signals: m.Signals,
	}
}

func (v *partitionVariables) set(t *strategy.Topic, number int32, signals bool) {
	known := v.Signals // to be used again, as no rule gives a mapping
	*v = partitionVariables{
		Topic: t.Name, Number: int(number), Racks: of(t.Racks, number, nil), Weight: of(t.Weights, number, 1), LeaderRack: of(t.LeaderRacks, number, ""),
		Rate: of(t.Signals[strategy.SignalRate], number, 0), Active: of(t.Signals[strategy.SignalActive], number, 1) != 0,
	}
	v.Lag = of(t.Signals[strategy.SignalLag], number, v.Weight)
	if !signals {
		return
	}
	if v.Signals = known; known == nil {
		v.Signals = make(map[string]float64, len(t.Signals))
	}
	clear(v.Signals)
	for name, list := range t.Signals {
		v.Signals[name] = of(list, number, 0)
	}
}

// of is what a list says of a partition; lists are as long as there are partitions, or empty.
func of[T any](list []T, number int32, otherwise T) T {
	if int(number) < len(list) {
		return list[number]
	}
	return otherwise
}

func (v *groupVariables) set(g *strategy.Group) {
	*v = groupVariables{Name: g.Name, Members: len(g.Members)}
	for i := range g.Topics {
		v.Partitions += int(g.Topics[i].Partitions)
	}
	for i := range g.Members {
		v.Uptime = max(v.Uptime, g.Members[i].Uptime.Seconds())
	}
}

// reports tells of what is odd and not fatal, each kind once.
type reports struct {
	rules  string
	mu     sync.Mutex
	logger *slog.Logger // nil: slog.Default()
	told   map[string]bool
}

// maxKinds bounds how many kinds are remembered, as names of labels may be computed.
const maxKinds = 100

func (r *reports) logTo(logger *slog.Logger) {
	r.mu.Lock()
	r.logger = logger
	r.mu.Unlock()
}

func (r *reports) once(kind, message string, attrs ...slog.Attr) {
	if r == nil {
		return
	}
	r.mu.Lock()
	known := r.told[kind] || len(r.told) >= maxKinds
	if !known {
		r.told[kind] = true
	}
	logger := r.logger
	r.mu.Unlock()
	if known {
		return
	}
	if logger == nil {
		logger = slog.Default()
	}
	attrs = append([]slog.Attr{slog.String("rules", r.rules)}, attrs...)
	logger.LogAttrs(context.Background(), slog.LevelWarn, message, attrs...)
}
