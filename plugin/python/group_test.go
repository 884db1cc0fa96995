//go:build python

package python_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
)

// TestGroup has everything that a group says arrive in Python.
func TestGroup(t *testing.T) {
	a, _ := open(t, plugin.Config{}, `
import dataclasses, json
from assignkit_plugin import Answer, serve

def assign(group):
    text = json.dumps(dataclasses.asdict(group), default=bytes.decode)
    return Answer({m.id: {} for m in group.members}, user_data={group.members[0].id: text.encode()})

serve(assign, name="shows")
`)
	some := func(topic string, partitions ...int32) []strategy.TopicPartitions {
		return []strategy.TopicPartitions{{Topic: topic, Partitions: partitions}}
	}
	g := &strategy.Group{
		Name: "größe", Generation: 4, Leader: "b",
		Topics: []strategy.Topic{
			{Name: "none", Partitions: 0},
			{Name: "t", Partitions: 3, Weights: []float64{1, 0.5, 0}, Racks: [][]string{{"r1", "r2"}, {}, {"r2"}},
				LeaderRacks: []string{"r2", "", "r3"}, Signals: map[string][]float64{"lag": {7, 0, 1.5}, "größe": {1, 2, 3}}},
			{Name: "u", Partitions: 1},
		},
		Members: []strategy.Member{
			{ID: "b", InstanceID: "static", Rack: "r1", Topics: []string{"t"}, Owned: some("t", 2, 0), Generation: 3,
				Releasing: some("t", 0), Expecting: some("t", 1), Capacity: 5, Labels: map[string]string{"zone": "x"}, UserData: []byte("data"),
				Uptime: 90 * time.Second, Signals: map[string]float64{"cpu": 0.25}},
			{ID: "a", Topics: []string{"t", "unknown"}, Owned: some("gone", 7, -1), Generation: strategy.NoGeneration, Draining: true},
		},
	}
	answer, err := a.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"name": "größe", "generation": 4, "leader": "b",
		"topics": [
			{"name": "none", "partitions": 0, "weights": [], "racks": [], "leader_racks": [], "signals": {}},
			{"name": "t", "partitions": 3, "weights": [1, 0.5, 0], "racks": [["r1", "r2"], [], ["r2"]],
				"leader_racks": ["r2", "", "r3"], "signals": {"lag": [7, 0, 1.5], "größe": [1, 2, 3]}},
			{"name": "u", "partitions": 1, "weights": [], "racks": [], "leader_racks": [], "signals": {}}],
		"members": [
			{"id": "b", "instance_id": "static", "rack": "r1", "topics": ["t"], "owned": {"t": [2, 0]}, "generation": 3, "releasing": {"t": [0]},
				"expecting": {"t": [1]}, "capacity": 5, "draining": false, "labels": {"zone": "x"}, "user_data": "data",
				"uptime": 90, "signals": {"cpu": 0.25}},
			{"id": "a", "instance_id": "", "rack": "", "topics": ["t", "unknown"], "owned": {"gone": [7, -1]}, "generation": -1, "releasing": {},
				"expecting": {}, "capacity": 1, "draining": true, "labels": {}, "user_data": "", "uptime": 0, "signals": {}}]}`
	var gotAny, wantAny any
	if err := json.Unmarshal(answer.UserData["b"], &gotAny); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wantAny); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(gotAny, wantAny) {
		t.Errorf("got %s", answer.UserData["b"])
	}
}

// TestKeepers compares whose each partition is with what the Go side says.
func TestKeepers(t *testing.T) {
	a, _ := open(t, plugin.Config{}, `
from assignkit_plugin import Answer, serve

def assign(group):
    answer = Answer({m.id: {} for m in group.members})
    for topic, row in group.keepers().items():
        for p, member in enumerate(row):
            if member is None:
                answer.unassigned.setdefault(topic, {})[p] = "ineligible"
            else:
                answer.members[member].setdefault(topic, []).append(p)
    return answer

serve(assign, name="keeps")
`)
	for seed := range uint64(300) {
		g := claims(rand.New(rand.NewPCG(seed, 0)))
		table, err := strategy.Tabulate(g)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := a.Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		got := table.Owners(&answer)
		for i := range table.Len() {
			if int(got[i]) != table.Keeper(i) {
				t.Fatalf("seed %d, %v: kept by member %d, want %d, in\n%+v", seed, table.Name(i), got[i], table.Keeper(i), table.Group.Members)
			}
		}
	}
}

// claims makes a group whose members claim what comes to their mind.
func claims(random *rand.Rand) *strategy.Group {
	g := &strategy.Group{Name: "g", Generation: 9}
	topics := []string{"t", "u", "gone"}
	g.Topics = []strategy.Topic{{Name: "t", Partitions: 4}, {Name: "u", Partitions: 2}}
	for i := range 1 + random.IntN(5) {
		m := strategy.Member{ID: fmt.Sprint("m", i), Generation: int32(random.IntN(4)) - 1}
		for _, topic := range topics {
			if random.IntN(3) > 0 {
				m.Topics = append(m.Topics, topic)
			}
			if random.IntN(3) > 0 {
				claim := strategy.TopicPartitions{Topic: topic}
				for range random.IntN(6) {
					claim.Partitions = append(claim.Partitions, int32(random.IntN(7))-1)
				}
				m.Owned = append(m.Owned, claim)
			}
		}
		g.Members = append(g.Members, m)
	}
	g.Leader = g.Members[0].ID
	return g
}
