package signals

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

var (
	orders = strategy.Topic{Name: "orders", Partitions: 3}
	audit  = strategy.Topic{Name: "audit", Partitions: 1}
)

func at(topic string, p int32) strategy.TopicPartition {
	return strategy.TopicPartition{Topic: topic, Partition: p}
}

// scope has the signals lag and cpu, of two topics and two members.
func scope() Scope {
	return Scope{
		OfPartitions: []string{"lag"}, OfMembers: []string{"cpu"},
		Topics: []strategy.Topic{orders, audit}, Members: []strategy.Member{{ID: "a"}, {ID: "b"}},
	}
}

// shown is what an assignor sees.
func shown(s *Store, now Time) (lags map[string][]float64, cpu map[string]float64, missing []Missing) {
	g := strategy.Group{Topics: []strategy.Topic{orders, audit}, Members: []strategy.Member{{ID: "a"}, {ID: "b"}}}
	missing = s.Apply(now, &g)
	lags, cpu = map[string][]float64{}, map[string]float64{}
	for _, t := range g.Topics {
		if list, ok := t.Signals["lag"]; ok {
			lags[t.Name] = list
		}
	}
	for _, m := range g.Members {
		if x, ok := m.Signals["cpu"]; ok {
			cpu[m.ID] = x
		}
	}
	return lags, cpu, missing
}

func TestStore(t *testing.T) {
	s := New(time.Minute)
	s.Narrow(scope())
	if _, _, missing := shown(s, 0); s.Covers(0) || !reflect.DeepEqual(missing, []Missing{
		{Signal: "cpu", Members: []string{"a", "b"}}, {Signal: "lag", Topics: []string{"orders", "audit"}},
	}) {
		t.Errorf("an empty one lacks %+v", missing)
	}
	if err := s.PutTopics(0, "lag", map[string][]float64{"orders": {1, 2, 3}, "audit": {4}, "other": {5}}); err != nil {
		t.Error(err)
	}
	if err := s.PutMembers(0, "cpu", map[string]float64{"a": 1, "b": 0, "c": 7}); err != nil {
		t.Error(err)
	}
	lags, cpu, missing := shown(s, time.Minute)
	if !s.Covers(time.Minute) || len(missing) > 0 || !reflect.DeepEqual(lags, map[string][]float64{"orders": {1, 2, 3}, "audit": {4}}) ||
		!reflect.DeepEqual(cpu, map[string]float64{"a": 1, "b": 0}) {
		t.Errorf("lags %v, cpu %v, missing %+v", lags, cpu, missing)
	}
	if lags, cpu, missing := shown(s, time.Minute+1); s.Covers(time.Minute+1) || len(lags)+len(cpu) > 0 || len(missing) != 2 {
		t.Errorf("what is too old is shown: %v, %v, missing %+v", lags, cpu, missing)
	}
	// What nobody looks at, and what there is not, is passed over.
	s.PutPartition(0, "rate", at("orders", 0), 1)
	s.PutPartition(0, "lag", at("orders", 3), 1)
	s.PutPartition(0, "lag", at("orders", -1), 1)
	s.PutPartition(0, "lag", at("other", 0), 1)
	s.PutPartition(0, "lag", at("orders", 1), math.NaN())
	if lags, _, _ := shown(s, 0); !reflect.DeepEqual(lags["orders"], []float64{1, 2, 3}) {
		t.Errorf("lags %v", lags)
	}
}

// A broker that does not answer costs its partitions, which count as the others do; when most are not known, the topic goes without.
func TestPartsOfTopics(t *testing.T) {
	s := New(time.Minute)
	s.Narrow(scope())
	s.PutPartition(0, "lag", at("orders", 0), 10)
	lags, _, missing := shown(s, 0)
	if lags["orders"] != nil || len(missing) != 2 || !reflect.DeepEqual(missing[1].Topics, []string{"orders", "audit"}) {
		t.Errorf("a third is known: %v, missing %+v", lags, missing)
	}
	s.PutPartition(0, "lag", at("orders", 2), 20)
	lags, _, missing = shown(s, 0)
	if !reflect.DeepEqual(lags["orders"], []float64{10, 15, 20}) || !reflect.DeepEqual(missing[1], Missing{Signal: "lag", Topics: []string{"audit"}, Partly: []string{"orders"}}) {
		t.Errorf("two thirds are known: %v, missing %+v", lags, missing)
	}
	s.PutPartition(1, "lag", at("orders", 1), 0)
	s.PutPartition(1, "lag", at("audit", 0), 7)
	if lags, _, missing = shown(s, time.Minute+1); lags["orders"] != nil || !reflect.DeepEqual(lags["audit"], []float64{7}) || !reflect.DeepEqual(missing[1].Topics, []string{"orders"}) {
		t.Errorf("one third is not too old: %v, missing %+v", lags, missing)
	}
}

func TestNarrow(t *testing.T) {
	s := New(time.Minute)
	s.Narrow(scope())
	_ = s.PutTopics(0, "lag", map[string][]float64{"orders": {1, 2, 3}, "audit": {4}})
	_ = s.PutMembers(0, "cpu", map[string]float64{"a": 1, "b": 2})
	grown := scope()
	grown.Topics = []strategy.Topic{{Name: "orders", Partitions: 4}}
	grown.Members = []strategy.Member{{ID: "b"}}
	s.Narrow(grown)
	if s.Covers(0) {
		t.Error("it knows of a partition that was just added")
	}
	s.PutPartition(0, "lag", at("orders", 3), 9)
	if !s.Covers(0) || len(s.partitions["lag"]) != 1 || len(s.members["cpu"]) != 1 {
		t.Errorf("it keeps %v and %v", s.partitions, s.members)
	}
	s.Narrow(Scope{})
	if len(s.partitions) > 0 || len(s.members) > 0 || !s.Covers(0) {
		t.Errorf("it keeps %v and %v", s.partitions, s.members)
	}
	s.Narrow(scope()) // with fewer partitions than were known
	if lags, _, _ := shown(s, 0); len(lags) > 0 {
		t.Errorf("lags %v", lags)
	}
}

// Answers of the application that make no sense are not taken, and those beside them are.
func TestBadAnswers(t *testing.T) {
	for _, c := range []struct {
		why    string
		orders []float64
		want   error
		says   string
	}{
		{"too few", []float64{1, 2}, errLength, "2 numbers for the 3 partitions of topic orders"},
		{"too many", []float64{1, 2, 3, 4}, errLength, "4 numbers for the 3"},
		{"none", nil, errLength, "0 numbers"},
		{"NaN", []float64{1, math.NaN(), 3}, errNumber, "partition 1 of topic orders: NaN"},
		{"infinite", []float64{math.Inf(1), 2, 3}, errNumber, "+Inf"},
		{"immense", []float64{1, 2, -1e200}, errNumber, "-1e+200"},
	} {
		s := New(time.Minute)
		s.Narrow(scope())
		err := s.PutTopics(0, "lag", map[string][]float64{"orders": c.orders, "audit": {4}})
		if lags, _, _ := shown(s, 0); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || lags["orders"] != nil || lags["audit"] == nil {
			t.Errorf("%s: %v, lags %v", c.why, err, lags)
		}
	}
	s := New(time.Minute)
	s.Narrow(scope())
	if err := s.PutTopics(0, "lag", map[string][]float64{"audit": {1}}); err == nil || !strings.Contains(err.Error(), "nothing about topic orders") {
		t.Errorf("a topic is not there: %v", err)
	}
	err := s.PutMembers(0, "cpu", map[string]float64{"a": math.NaN()})
	if _, cpu, _ := shown(s, 0); !errors.Is(err, errNumber) || !strings.Contains(err.Error(), "nothing about member b") || len(cpu) > 0 {
		t.Errorf("%v, cpu %v", err, cpu)
	}
	many := Scope{OfPartitions: []string{"lag"}}
	for range 1000 {
		many.Topics = append(many.Topics, orders)
	}
	s.Narrow(many)
	if err := s.PutTopics(0, "lag", nil); len(err.Error()) > 200 || !strings.Contains(err.Error(), "and 997 more") {
		t.Errorf("%v", err)
	}
}

func TestWorse(t *testing.T) {
	lag := Missing{Signal: "lag", Topics: []string{"orders"}}
	for _, c := range []struct {
		now, before []Missing
		want        bool
	}{
		{nil, nil, false},
		{nil, []Missing{lag}, false},
		{[]Missing{lag}, nil, true},
		{[]Missing{lag}, []Missing{lag}, false},
		{[]Missing{lag}, []Missing{{Signal: "rate", Topics: []string{"orders"}}}, true},
		{[]Missing{{Signal: "lag", Partly: []string{"orders"}}}, []Missing{lag}, false},
		{[]Missing{{Signal: "lag", Partly: []string{"orders"}}}, nil, true},
		{[]Missing{{Signal: "cpu", Members: []string{"a", "b"}}}, []Missing{{Signal: "cpu", Members: []string{"b"}}}, true},
		{[]Missing{{Signal: "cpu", Members: []string{"b"}}}, []Missing{{Signal: "cpu", Members: []string{"a", "b"}}}, false},
	} {
		if got := Worse(c.now, c.before); got != c.want {
			t.Errorf("%+v after %+v: %v", c.now, c.before, got)
		}
	}
}

func TestScope(t *testing.T) {
	whole := scope()
	for _, c := range []struct {
		why  string
		do   func(*Scope)
		want bool
	}{
		{"the same", func(*Scope) {}, true},
		{"fewer members", func(s *Scope) { s.Members = s.Members[:1] }, true},
		{"another member", func(s *Scope) { s.Members = append(s.Members, strategy.Member{ID: "c"}) }, false},
		{"another member, and nothing of members", func(s *Scope) { s.OfMembers, s.Members = nil, append(s.Members, strategy.Member{ID: "c"}) }, true},
		{"a topic that grew", func(s *Scope) { s.Topics = []strategy.Topic{{Name: "orders", Partitions: 4}} }, false},
		{"another topic", func(s *Scope) { s.Topics = append(s.Topics, strategy.Topic{Name: "x"}) }, true}, // it has nothing
		{"another signal", func(s *Scope) { s.OfPartitions = []string{"lag", "rate"} }, false},
		{"another signal of members", func(s *Scope) { s.OfMembers = []string{"memory"} }, false},
	} {
		other := scope()
		c.do(&other)
		if got := whole.Has(&other); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestFollow has a group change from one round to the next: what was known at first stays as it was, missing or not, and of what is new counts
// what is known by then.
func TestFollow(t *testing.T) {
	live := New(time.Minute)
	live.Narrow(Scope{OfPartitions: []string{"lag"}, OfMembers: []string{"cpu"}, Topics: []strategy.Topic{orders}, Members: []strategy.Member{{ID: "a"}, {ID: "c"}}})
	put := func(now Time, orders []float64, cpu map[string]float64) {
		_ = live.PutTopics(now, "lag", map[string][]float64{"orders": orders, "audit": {9}})
		_ = live.PutMembers(now, "cpu", cpu)
	}
	put(0, []float64{1, 2, 3}, map[string]float64{"c": 1})
	round := live.Clone()
	live.Narrow(scope())
	put(time.Hour, []float64{4, 5, 6}, map[string]float64{"a": 5, "b": 6})
	round.Follow(scope(), live)
	lags, cpu, missing := shown(round, 0)
	if !reflect.DeepEqual(lags, map[string][]float64{"orders": {1, 2, 3}, "audit": {9}}) || !reflect.DeepEqual(cpu, map[string]float64{"b": 6}) ||
		!reflect.DeepEqual(missing, []Missing{{Signal: "cpu", Members: []string{"a"}}}) {
		t.Errorf("lags %v, cpu %v, missing %+v", lags, cpu, missing)
	}
	wide := scope()
	wide.OfPartitions, wide.Topics[0].Partitions = []string{"lag", "rate"}, 4
	live.Narrow(wide)
	_ = live.PutTopics(time.Hour, "rate", map[string][]float64{"orders": {1, 1, 1, 1}, "audit": {2}})
	_ = live.PutTopics(time.Hour, "lag", map[string][]float64{"orders": {6, 6, 6, 6}, "audit": {7}})
	round.Follow(wide, live)
	g := strategy.Group{Topics: wide.Topics}
	round.Apply(0, &g)
	if !reflect.DeepEqual(g.Topics[0].Signals, map[string][]float64{"lag": {6, 6, 6, 6}, "rate": {1, 1, 1, 1}}) ||
		!reflect.DeepEqual(g.Topics[1].Signals, map[string][]float64{"lag": {9}, "rate": {2}}) {
		t.Errorf("signals are %v and %v", g.Topics[0].Signals, g.Topics[1].Signals)
	}
	if lags, _, _ := shown(live, time.Hour); !reflect.DeepEqual(lags["audit"], []float64{7}) {
		t.Errorf("the other store has %v", lags)
	}
}
