package simulation

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// What is measured changes while a scenario runs, and each step has it as it was then.
func TestMeasure(t *testing.T) {
	s, err := Read("x", strings.NewReader(`
topics:
  t: {partitions: 3, leader_racks: [a, ~], signals: {lag: [7, 0], rate: [0.5]}}
  u: 2
members: [{id: m, uptime: 90, signals: {cpu: 0.5}}, {id: n, uptime: 1h30m}]
events:
  - measure: {t: {signals: {lag: [1, 2, 3], depth: [-4, 4]}}, u: {weights: [9]}}
  - measure: {t: {weights: {1: 5}, signals: {lag: {2: 8}, rate: []}}}
  - grow: {t: 5}
  - measure: {t: {weights: []}, u: {weights: {0: 1}}}
  - set: {member: m, uptime: 10m, signals: {heap: 1e9}}
  - restart: n
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), s, "spec", keep{})
	if err != nil {
		t.Fatal(err)
	}
	type lists = map[string][]float64
	for i, want := range []struct {
		event   string
		weights []float64
		signals lists
		u       []float64
	}{
		{"start", nil, lists{"lag": {7, 0, 7}, "rate": {0.5, 0.5, 0.5}}, nil},
		{"measure depth and lag of t, weights of u", nil, lists{"lag": {1, 2, 3}, "rate": {0.5, 0.5, 0.5}, "depth": {-4, 4, -4}}, []float64{9, 9}},
		{"measure weights and lag and rate of t", []float64{1, 5, 1}, lists{"lag": {1, 2, 8}, "depth": {-4, 4, -4}}, []float64{9, 9}},
		{"grow t to 5", []float64{1, 5, 1, 5, 1}, lists{"lag": {1, 2, 8, 1, 2}, "depth": {-4, 4, -4, 4, -4}}, []float64{9, 9}},
		{"measure weights of t, weights of u", nil, lists{"lag": {1, 2, 8, 1, 2}, "depth": {-4, 4, -4, 4, -4}}, []float64{1, 9}},
		{"set m: uptime 10m0s, signal heap 1e+09", nil, lists{"lag": {1, 2, 8, 1, 2}, "depth": {-4, 4, -4, 4, -4}}, []float64{1, 9}},
	} {
		step := &r.Steps[i]
		topics := step.Group.Topics
		if step.Event != want.event || !reflect.DeepEqual(topics[0].Weights, want.weights) || !reflect.DeepEqual(topics[0].Signals, want.signals) || !reflect.DeepEqual(topics[1].Weights, want.u) {
			t.Errorf("%s: %+v", step.Event, topics)
		}
		if err := step.Group.Check(); err != nil || step.Rounds == 0 {
			t.Errorf("%s: %v, %d rounds", step.Event, err, step.Rounds)
		}
	}
	if leaders := fmt.Sprintf("%q %q", r.Steps[0].Group.Topics[0].LeaderRacks, r.Steps[3].Group.Topics[0].LeaderRacks); leaders != `["a" "" "a"] ["a" "" "a" "" "a"]` {
		t.Errorf("racks of leaders: %s", leaders)
	}
	said := func(step int, id string) string {
		for _, m := range r.Steps[step].Group.Members {
			if m.ID == id {
				return fmt.Sprint(m.Uptime, m.Signals)
			}
		}
		return "gone"
	}
	for _, c := range []struct {
		step     int
		id, want string
	}{
		{0, "m", "1m30s map[cpu:0.5]"}, {5, "m", "10m0s map[cpu:0.5 heap:1e+09]"}, {5, "n", "1h30m0s map[]"}, {6, "n", "gone"}, {6, "n~2", "0s map[]"},
	} {
		if got := said(c.step, c.id); got != c.want {
			t.Errorf("step %d: %s says %s, want %s", c.step, c.id, got, c.want)
		}
	}
}

// Events in code say in a line what they are.
func TestMeasureString(t *testing.T) {
	uptime := time.Minute
	for want, e := range map[string]Event{
		"measure weights and lag of t, rate of u": Measure{map[string]Measured{
			"u": {Signals: map[string]Numbers{strategy.SignalRate: {}}}, "t": {Weights: Numbers{All: []float64{1}}, Signals: map[string]Numbers{strategy.SignalLag: {}}},
		}},
		"set a, b: uptime 1m0s, signal cpu 1, signal heap 2": Set{Members: []string{"a", "b"}, Uptime: &uptime, Signals: map[string]float64{"heap": 2, "cpu": 1}},
	} {
		if e.String() != want {
			t.Errorf("got %s, want %s", e, want)
		}
	}
}
