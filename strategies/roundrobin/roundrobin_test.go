package roundrobin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategy"
)

// TestJava compares answers with those that Java's RoundRobinAssignor gave for the same groups.
func TestJava(t *testing.T) {
	text, err := os.ReadFile("../../testdata/cases/java-assign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		g, err := groupjson.Decode(line)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		var want struct {
			RoundRobin map[string]map[string][]int32 `json:"roundrobin"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		a, err := roundrobin.Assignor{}.Assign(t.Context(), g)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		wanted, _ := json.Marshal(want.RoundRobin) // sorts its keys
		if got := groupjson.AppendAssignment(nil, &a); !bytes.Equal(got, wanted) {
			t.Errorf("line %d: %s\ngot  %s\nwant %s", i+1, line, got, wanted)
		}
	}
}

func TestAssign(t *testing.T) {
	for _, test := range []struct{ name, group, want string }{
		{"goes on from topic to topic", `{"topics":{"t0":3,"t1":3},"members":[{"id":"c0","topics":["t0","t1"]},{"id":"c1","topics":["t0","t1"]}]}`,
			`{"c0":{"t0":[0,2],"t1":[1]},"c1":{"t0":[1],"t1":[0,2]}}`},
		{"passes over who does not subscribe", `{"topics":{"t0":1,"t1":2,"t2":3},"members":[{"id":"c0","topics":["t0"]},{"id":"c1","topics":["t0","t1"]},{"id":"c2","topics":["t0","t1","t2"]}]}`,
			`{"c0":{"t0":[0]},"c1":{"t1":[0]},"c2":{"t1":[1],"t2":[0,1,2]}}`},
		{"static members first", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"]},{"id":"z","instance":"i","topics":["t"]}]}`,
			`{"a":{"t":[1]},"z":{"t":[0]}}`},
		{"more members than partitions", `{"topics":{"t":1},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]}]}`,
			`{"a":{"t":[0]},"b":{}}`},
		{"draining", `{"topics":{"t":3,"u":1},"members":[{"id":"a","topics":["t","u"],"capacity":0},{"id":"b","topics":["t"]},{"id":"c","topics":["t"]}]}`,
			`{"a":{"u":[0]},"b":{"t":[0,2]},"c":{"t":[1]}}`},
		{"all draining", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"capacity":0},{"id":"b","topics":["t"],"capacity":0}]}`,
			`{"a":{"t":[0,2]},"b":{"t":[1]}}`},
		{"nobody subscribes", `{"topics":{"t":3},"members":[{"id":"a"}]}`, `{"a":{}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := groupjson.Decode([]byte(test.group))
			if err != nil {
				t.Fatal(err)
			}
			a, err := roundrobin.Assignor{}.Assign(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(groupjson.AppendAssignment(nil, &a)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (roundrobin.Assignor{}).Assign(ctx, &strategy.Group{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	var malformed *strategy.GroupError
	if _, err := (roundrobin.Assignor{}).Assign(t.Context(), &strategy.Group{Members: []strategy.Member{{}}}); !errors.As(err, &malformed) {
		t.Errorf("a member without an id gives %v", err)
	}
}

func TestRegistered(t *testing.T) {
	for spec, name := range map[string]string{"roundrobin": "roundrobin", "roundrobin?cooperative": "cooperative-roundrobin"} {
		a, err := strategy.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if a.Name() != name {
			t.Errorf("%s has the name %q", spec, a.Name())
		}
	}
}

func ExampleAssignor() {
	g := &strategy.Group{
		Topics: []strategy.Topic{{Name: "orders", Partitions: 3}, {Name: "payments", Partitions: 3}},
		Members: []strategy.Member{
			{ID: "billing-1", Topics: []string{"orders", "payments"}},
			{ID: "billing-2", Topics: []string{"orders", "payments"}},
		},
	}
	a, err := roundrobin.Assignor{}.Assign(context.Background(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("billing-1:", a.Members["billing-1"])
	fmt.Println("billing-2:", a.Members["billing-2"])
	// Output:
	// billing-1: [{orders [0 2]} {payments [1]}]
	// billing-2: [{orders [1]} {payments [0 2]}]
}

func BenchmarkAssign(b *testing.B) {
	g := &strategy.Group{}
	var all []string
	for n := range 1000 {
		g.Topics = append(g.Topics, strategy.Topic{Name: fmt.Sprintf("topic-%04d", n), Partitions: 100})
		all = append(all, g.Topics[n].Name)
	}
	for m := range 500 {
		g.Members = append(g.Members, strategy.Member{ID: fmt.Sprintf("member-%03d", m), Topics: all})
	}
	mixed := g.Clone()
	for m := range mixed.Members {
		mixed.Members[m].Topics = slices.DeleteFunc(mixed.Members[m].Topics, func(topic string) bool { return (len(topic)+m+int(topic[len(topic)-1]))%3 == 0 })
	}
	for name, g := range map[string]*strategy.Group{"subscriptions=equal": g, "subscriptions=mixed": mixed} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (roundrobin.Assignor{}).Assign(b.Context(), g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
