package group

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/strategy"
)

// uneven is a group with everything that can be wrong with one.
func uneven() *live.Group {
	return &live.Group{
		Name: "billing", Type: live.Consumer, ProtocolType: "consumer", Protocol: "uniform", State: "Stable", Epoch: 7,
		Coordinator: live.Broker{ID: 2, Addr: "kafka-2:9092"},
		Members: []live.Member{
			{
				ID: "b-10", ClientID: "app", Host: "10.0.0.10", Topics: []string{"orders"}, Epoch: 7, Rack: "z1", Capacity: 2,
				Labels: map[string]string{"tier": "gold", "az": "1"}, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{0, 1, 2, 4}}},
			},
			{ID: "b-2", InstanceID: "static-2", ClientID: "app", Host: "10.0.0.2", Pattern: "ord.*", Topics: []string{"orders"}, Epoch: 7, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{5}}}},
			{ID: "b-3", Host: "10.0.0.3", Epoch: 6, SetAside: true, Problem: "subscription: topics at byte 2: the bytes end too early"},
			{ID: "b-4", Topics: []string{"orders"}, Epoch: 7, Draining: true},
		},
		Topics: []live.Topic{{
			Name: "orders", Subscribed: true, Owner: []int32{0, 0, 0, -1, 0, 1}, Committed: []int64{5, 5, -1, 5, 5, 5}, End: []int64{9, 5, 7, 8, -1, 4},
			Racks: [][]string{{"z1", "z2"}, {"z1"}, {"z1"}, nil, {"z1"}, {"z2"}},
		}},
		Remarks: []string{`member "b-3" is set aside: subscription: topics at byte 2: the bytes end too early`},
	}
}

func render(t *testing.T, g *live.Group, format output.Format, full bool) string {
	t.Helper()
	streams, _, _ := iostreams.Test("")
	text, err := (&describeOptions{io: streams, format: format, full: full}).render(g)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReport(t *testing.T) {
	want := `GROUP                billing
COORDINATOR          kafka-2:9092 (2)
TYPE                 consumer
ASSIGNMENT-STRATEGY  uniform
STATE                Stable
GROUP-EPOCH          7
#MEMBERS             4

6 partitions of 1 topic, lag 7 and unknown of 2; loads 0..2; 0..2 once every
  partition is consumed
NOBODY CONSUMES orders:3
remark: member "b-3" is set aside: subscription: topics at byte 2: the bytes end
  too early

CONSUMER-ID  GROUP-INSTANCE-ID  HOST       CLIENT-ID  CAPACITY  #PARTITIONS  LAG  ASSIGNMENT
b-2          static-2           10.0.0.2   app               1            1    0  orders:5
b-3          -                  10.0.0.3   -                 1            0    0  (set aside)
b-4          -                  -          -          draining            0    0  -
b-10         -                  10.0.0.10  app               2            4    4  orders:0-2,4

TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID
orders          0               5               9    4  b-10
orders          1               5               5    0  b-10
orders          2               -               7    -  b-10
orders          3               5               8    3  NOBODY
orders          4               5               -    -  b-10
orders          5               5               4    0  b-2
`
	if got := render(t, uneven(), output.Table, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := render(t, uneven(), output.Wide, false)
	for _, want := range []string{"RACK  EPOCH  CAPACITY  LABELS          TOPICS", "z1        7         2  az=1,tier=gold ", "/ord.*/", "RACKS\n", "z1,z2\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// The JSON form is relied on: docs/groups.md has it.
func TestDocument(t *testing.T) {
	const want = `{"group":"billing","type":"consumer","protocol_type":"consumer","strategy":"uniform","state":"Stable","epoch":7,` +
		`"coordinator":{"id":2,"address":"kafka-2:9092"},"lag":7,"balance":{"max":2,"min":0,"best_max":2,"best_min":0,"moves":0},` +
		`"unconsumed":{"orders":[3]},"members":[` +
		`{"id":"b-10","client_id":"app","host":"10.0.0.10","rack":"z1","epoch":7,"topics":["orders"],"capacity":2,"labels":{"az":"1","tier":"gold"},"partitions":4,"lag":4,"assignment":{"orders":[0,1,2,4]}},` +
		`{"id":"b-2","instance":"static-2","client_id":"app","host":"10.0.0.2","epoch":7,"topics":["orders"],"pattern":"ord.*","partitions":1,"lag":0,"assignment":{"orders":[5]}},` +
		`{"id":"b-3","client_id":"","host":"10.0.0.3","epoch":6,"topics":[],"partitions":0,"lag":0,"assignment":{},"set_aside":true,"problem":"subscription: topics at byte 2: the bytes end too early"},` +
		`{"id":"b-4","client_id":"","host":"","epoch":7,"topics":["orders"],"capacity":0,"partitions":0,"lag":0,"assignment":{}}],` +
		`"topics":[{"topic":"orders","subscribed":true,"partitions":[` +
		`{"partition":0,"member":"b-10","committed":5,"end":9,"lag":4,"racks":["z1","z2"]},` +
		`{"partition":1,"member":"b-10","committed":5,"end":5,"lag":0,"racks":["z1"]},` +
		`{"partition":2,"member":"b-10","committed":null,"end":7,"lag":null,"racks":["z1"]},` +
		`{"partition":3,"member":null,"committed":5,"end":8,"lag":3},` +
		`{"partition":4,"member":"b-10","committed":5,"end":null,"lag":null,"racks":["z1"]},` +
		`{"partition":5,"member":"b-2","committed":5,"end":4,"lag":0,"racks":["z2"]}]}],` +
		`"remarks":["member \"b-3\" is set aside: subscription: topics at byte 2: the bytes end too early"]}` + "\n"
	if got := render(t, uneven(), output.JSON, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	empty := render(t, &live.Group{Name: "e<>", Type: live.Classic, State: "Empty", Epoch: strategy.NoGeneration}, output.JSON, false)
	if want := `{"group":"e<>","type":"classic","protocol_type":"","strategy":"","state":"Empty","epoch":null,"coordinator":{"id":0,"address":""},"lag":0,` +
		`"balance":null,"unconsumed":{},"members":[],"topics":[],"remarks":[]}` + "\n"; empty != want || !json.Valid([]byte(empty)) {
		t.Errorf("got\n%s\nwant\n%s", empty, want)
	}
}

// large has n members with a topic each, of which the last partitions are nobody's.
func large(n int) *live.Group {
	g := &live.Group{Name: "large", Type: live.Classic, Protocol: "range", State: "Stable", Epoch: strategy.NoGeneration}
	for i := range n {
		name := fmt.Sprintf("topic-%d", i)
		g.Members = append(g.Members, live.Member{
			ID: fmt.Sprintf("m-%d", i), InstanceID: fmt.Sprintf("m-%d", i), ClientID: "m", Topics: []string{name}, Epoch: -1, Host: "10.0.0.1",
			Owned: []strategy.TopicPartitions{{Topic: name, Partitions: []int32{0}}},
		})
		g.Topics = append(g.Topics, live.Topic{Name: name, Subscribed: true, Owner: []int32{int32(i), -1}, Committed: []int64{0, 0}, End: []int64{int64(i), 0}})
		g.Remarks = append(g.Remarks, fmt.Sprintf("remark %d", i))
	}
	return g
}

// Large groups are summarised, unless all is asked for.
func TestLargeReport(t *testing.T) {
	got := render(t, large(100), output.Table, false)
	for _, want := range []string{
		"NOBODY CONSUMES 100 partitions of 100 topics; --full lists them\n", "... and 90 more remarks; --full shows them\n",
		"m-99 ", "... and 90 more members, none further behind; --full shows them\n", "topic-99            2      1   99  0: 99\n",
		"... and 90 more topics, none further behind; --full shows each partition\n", "lag 4950; loads 1..1; 2..2 once every partition is\n  consumed",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "m-89 ") || strings.Contains(got, "CLIENT-ID") && len(slices.Collect(strings.Lines(got))) > 60 {
		t.Error(got)
	}
	if got := render(t, large(100), output.Table, true); strings.Contains(got, "--full") || !strings.Contains(got, "remark 99\n") || !strings.Contains(got, "m-3 ") {
		t.Error(got)
	}
}

func TestComparison(t *testing.T) {
	group := func(owners ...int32) *live.Group {
		g := &live.Group{Name: "g", Topics: []live.Topic{{Name: "t", Subscribed: true, Owner: owners, Committed: make([]int64, len(owners)), End: make([]int64, len(owners))}}}
		for i := range int32(3) {
			m := live.Member{ID: fmt.Sprintf("m-%d", i), Topics: []string{"t"}, Epoch: -1, Owned: []strategy.TopicPartitions{{Topic: "t"}}}
			for p, o := range owners {
				if o == i {
					m.Owned[0].Partitions = append(m.Owned[0].Partitions, int32(p))
				}
			}
			g.Members = append(g.Members, m)
		}
		return g
	}
	for _, c := range []struct {
		group *live.Group
		want  string
	}{
		{group(0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2), "loads 3..5; 4..4 is possible with 1 move"},
		{group(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2), "loads 2..6; 4..4 is possible with 2 moves"},
		{group(0, 0, 1, 1, 2, 2, 2), "loads 2..3, as even as can be"},
		{group(0, 1, -1), "loads 0..1; 1..1 once every partition is consumed"},
		{&live.Group{Name: "g"}, ""},
	} {
		got, err := compare(c.group)
		if err != nil || got.String() != c.want {
			t.Errorf("got %v, %v, want %s", got, err, c.want)
		}
	}
}

func TestAssertOwned(t *testing.T) {
	full := large(1)
	full.Topics[0].Owner[1] = 0
	for _, c := range []struct {
		group *live.Group
		want  string
	}{
		{full, ""},
		{uneven(), "group billing: nobody consumes 1 partition: orders:3"},
		{&live.Group{Name: "g"}, "group g has no members"},
		{&live.Group{Name: "g", Topics: []live.Topic{{Name: "t", Owner: []int32{-1, -1, -1}}}}, "group g has no members; nobody consumes t:0-2"},
	} {
		err := assertOwned(c.group)
		var assertion *fault.AssertionError
		if err == nil && c.want == "" {
			continue
		}
		if !errors.As(err, &assertion) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
