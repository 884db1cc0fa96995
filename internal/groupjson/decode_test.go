package groupjson

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       strategy.Group
	}{
		{"nothing", `{"topics":{},"members":[]}`, strategy.Group{}},
		{"null is nothing", `{"topics":null,"members":null,"racks":null,"weights":null}`, strategy.Group{}},
		{"absent fields", ` { "topics" : { "t" : 3 } , "members" : [ { "id" : "a" } ] } `, strategy.Group{
			Topics:  []strategy.Topic{{Name: "t", Partitions: 3}},
			Members: []strategy.Member{{ID: "a", Generation: -1}},
		}},
		{"null fields", `{"topics":{},"members":[{"id":"a","topics":null,"owned":null,"generation":null,"instance":null,"rack":null,"capacity":null,"labels":null}]}`, strategy.Group{
			Members: []strategy.Member{{ID: "a", Generation: -1}},
		}},
		{"all fields", `{"topics":{"t":3,"s":0},"members":[{"id":"a","topics":["t","s","t"],"owned":{"t":[2,0,0,-1],"gone":[]},"generation":7,"instance":"i","rack":"r","capacity":4,"labels":{"tier":"gold","":""}}]}`, strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 3}, {Name: "s"}},
			Members: []strategy.Member{{
				ID: "a", InstanceID: "i", Rack: "r", Topics: []string{"t", "s", "t"}, Generation: 7, Capacity: 4,
				Owned:  []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{2, 0, 0, -1}}, {Topic: "gone"}},
				Labels: map[string]string{"tier": "gold", "": ""},
			}},
		}},
		{"draining", `{"topics":{},"members":[{"id":"a","capacity":0},{"id":"b","capacity":1}]}`, strategy.Group{
			Members: []strategy.Member{{ID: "a", Generation: -1, Draining: true}, {ID: "b", Generation: -1, Capacity: 1}},
		}},
		{"unknown fields", `{"note":{"topics":[1,{"a":"}\"]"}]},"topics":{},"members":[{"x":[[]],"id":"a","topic":true}],"note":1.5e3}`, strategy.Group{
			Members: []strategy.Member{{ID: "a", Generation: -1}},
		}},
		{"racks before topics, and repeating", `{"racks":{"t":[["a","b"],null]},"topics":{"t":5},"members":[]}`, strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 5, Racks: [][]string{{"a", "b"}, nil, {"a", "b"}, nil, {"a", "b"}}}},
		}},
		{"weights", `{"topics":{"t":3,"u":1},"members":[],"weights":{"t":[1,2.5e1],"u":[]}}`, strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 3, Weights: []float64{1, 25, 1}}, {Name: "u", Partitions: 1}},
		}},
		{"leaders' racks", `{"topics":{"t":3,"u":1},"members":[],"leader_racks":{"t":["a",null],"u":[]}}`, strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 3, LeaderRacks: []string{"a", "", "a"}}, {Name: "u", Partitions: 1}},
		}},
		{"signals before topics, and repeating", `{"signals":{"lag":{"t":[7,0],"u":[]},"temperature":{"u":[-2.5]},"rate":null},"topics":{"t":3,"u":1},"members":[]}`, strategy.Group{
			Topics: []strategy.Topic{
				{Name: "t", Partitions: 3, Signals: map[string][]float64{"lag": {7, 0, 7}}}, {Name: "u", Partitions: 1, Signals: map[string][]float64{"temperature": {-2.5}}},
			},
		}},
		{"what is measured of members", `{"topics":{},"members":[{"id":"a","uptime":90.5,"signals":{"cpu":0.75,"":-1}},{"id":"b","uptime":1e3},{"id":"c","uptime":null,"signals":null},{"id":"d","uptime":0.000000001},{"id":"e","uptime":9223372035.999999999}]}`, strategy.Group{
			Members: []strategy.Member{
				{ID: "a", Generation: -1, Uptime: 90500 * time.Millisecond, Signals: map[string]float64{"cpu": 0.75, "": -1}}, {ID: "b", Generation: -1, Uptime: 1000 * time.Second},
				{ID: "c", Generation: -1}, {ID: "d", Generation: -1, Uptime: 1}, {ID: "e", Generation: -1, Uptime: 9223372035999999999},
			},
		}},
		{"escapes", `{"topics":{"a\u00e9\n":1},"members":[{"id":"\"\\"}]}`, strategy.Group{
			Topics:  []strategy.Topic{{Name: "aé\n", Partitions: 1}},
			Members: []strategy.Member{{ID: `"\`, Generation: -1}},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := Decode([]byte(test.line))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*g, test.want) {
				t.Errorf("got  %+v\nwant %+v", *g, test.want)
			}
		})
	}
}

func TestDecodeSharesSubscriptions(t *testing.T) {
	g, err := Decode([]byte(`{"topics":{},"members":[{"id":"a","topics":["t","u"]},{"id":"b","topics":["t","u"]},{"id":"c","topics":["t"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if &g.Members[0].Topics[0] != &g.Members[1].Topics[0] || len(g.Members[2].Topics) != 1 {
		t.Error("equal lists of topics are read twice")
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{``, `not JSON: unexpected end of JSON input (byte 0)`},
		{`{"topics":{},"members":[]} x`, `not JSON: invalid character 'x' after top-level value (byte 28)`},
		{`[]`, `wants an object with topics and members, not a list`},
		{`null`, `wants an object with topics and members, not null`},
		{`{}`, `topics: is missing`},
		{`{"topics":{}}`, `members: is missing`},
		{`{"topics":[],"members":[]}`, `topics: wants an object, not a list`},
		{`{"topics":{"t":-1},"members":[]}`, `topics["t"]: -1 is no number of partitions`},
		{`{"topics":{"t":1.5},"members":[]}`, `topics["t"]: wants a whole number without fraction or exponent, not 1.5`},
		{`{"topics":{"t":1e3},"members":[]}`, `topics["t"]: wants a whole number without fraction or exponent, not 1e3`},
		{`{"topics":{"t":"3"},"members":[]}`, `topics["t"]: wants a whole number, not a string`},
		{`{"topics":{"t":null},"members":[]}`, `topics["t"]: wants a whole number, not null`},
		{`{"topics":{"t":33554433},"members":[]}`, `topics["t"]: more than 33554432 partitions in all`},
		{`{"topics":{"t":33554432,"u":1},"members":[]}`, `topics["u"]: more than 33554432 partitions in all`},
		{`{"topics":{"t":9999999999999999999999},"members":[]}`, `topics["t"]: 9999999999999999999999 is beyond -2147483648..2147483647`},
		{`{"topics":{"t":1,"t":1},"members":[]}`, `topics["t"]: stands twice`},
		{`{"topics":{"t":1,"\u0074":1},"members":[]}`, `topics["t"]: stands twice`},
		{`{"topics":{"":1},"members":[]}`, `topics: a topic has no name`},
		{`{"topics":{},"topics":{},"members":[]}`, `topics: stands twice`},
		{`{"topics":{},"members":{}}`, `members: wants a list, not an object`},
		{`{"topics":{},"members":["a"]}`, `members[0]: wants an object with an id, not a string`},
		{`{"topics":{},"members":[null]}`, `members[0]: wants an object with an id, not null`},
		{`{"topics":{},"members":[{}]}`, `members[0].id: is missing`},
		{`{"topics":{},"members":[{"id":""}]}`, `members[0].id: is missing`},
		{`{"topics":{},"members":[{"id":null}]}`, `members[0].id: wants a string, not null`},
		{`{"topics":{},"members":[{"id":1}]}`, `members[0].id: wants a string, not a number`},
		{`{"topics":{},"members":[{"id":"a"},{"id":"b"},{"id":"a"}]}`, `members[2].id: "a" is members[0] already`},
		{`{"topics":{},"members":[{"id":"a","id":"b"}]}`, `members[0].id: stands twice`},
		{`{"topics":{},"members":[{"id":"a","topics":"t"}]}`, `members[0].topics: wants a list, not a string`},
		{`{"topics":{},"members":[{"id":"a","topics":["t",2]}]}`, `members[0].topics[1]: wants a string, not a number`},
		{`{"topics":{},"members":[{"id":"a","owned":{"t.u":[0,true]}}]}`, `members[0].owned["t.u"][1]: wants a whole number, not a bool`},
		{`{"topics":{},"members":[{"id":"a","owned":{"t":[4294967296]}}]}`, `members[0].owned["t"][0]: 4294967296 is beyond -2147483648..2147483647`},
		{`{"topics":{},"members":[{"id":"a","owned":{"t":[],"t":[]}}]}`, `members[0].owned["t"]: stands twice`},
		{`{"topics":{},"members":[{"id":"a","owned":[]}]}`, `members[0].owned: wants an object, not a list`},
		{`{"topics":{},"members":[{"id":"a","generation":0.5}]}`, `members[0].generation: wants a whole number without fraction or exponent, not 0.5`},
		{`{"topics":{},"members":[{"id":"a","capacity":-1}]}`, `members[0].capacity: -1 is not within 0..1048575`},
		{`{"topics":{"t":1},"members":[],"weights":{"t":[1e101]}}`, `weights["t"][0]: 1e+101 is not within 0..1e+100`},
		{`{"topics":{},"members":[{"id":"a","capacity":1048576}]}`, `members[0].capacity: 1048576 is not within 0..1048575`},
		{`{"topics":{},"members":[{"id":"a","labels":{"cpu":2}}]}`, `members[0].labels["cpu"]: wants a string, not a number`},
		{`{"topics":{},"members":[{"id":"a","labels":{"z":"","z":""}}]}`, `members[0].labels["z"]: stands twice`},
		{`{"topics":{},"members":[],"racks":{"t":[]}}`, `racks["t"]: is not among the topics`},
		{`{"topics":{"t":1},"members":[],"racks":{"t":[["a"],["b"]]}}`, `racks["t"]: lists 2 partitions of 1`},
		{`{"topics":{"t":1},"members":[],"racks":{"t":["a"]}}`, `racks["t"][0]: wants a list, not a string`},
		{`{"topics":{"t":1},"members":[],"racks":{"t":[["a",1]]}}`, `racks["t"][0][1]: wants a string, not a number`},
		{`{"topics":{"t":1},"members":[],"racks":{"t":[],"t":[]}}`, `racks["t"]: stands twice`},
		{`{"topics":{"t":1},"members":[],"weights":{"u":[1]}}`, `weights["u"]: is not among the topics`},
		{`{"topics":{"t":1},"members":[],"weights":{"t":[-1]}}`, `weights["t"][0]: -1 is not within 0..1e+100`},
		{`{"topics":{"t":1},"members":[],"weights":{"t":[1e999]}}`, `weights["t"][0]: 1e999 is beyond what a number can be`},
		{`{"topics":{"t":1},"members":[],"weights":{"t":["1"]}}`, `weights["t"][0]: wants a number, not a string`},
		{`{"topics":{"t":1},"members":[],"leader_racks":{"t":["a","b"]}}`, `leader_racks["t"]: lists 2 partitions of 1`},
		{`{"topics":{"t":1},"members":[],"leader_racks":{"t":[["a"]]}}`, `leader_racks["t"][0]: wants a string, not a list`},
		{`{"topics":{"t":1},"members":[],"signals":{"lag":[1]}}`, `signals["lag"]: wants an object, not a list`},
		{`{"topics":{"t":1},"members":[],"signals":{"lag":{"u":[1]}}}`, `signals["lag"]["u"]: is not among the topics`},
		{`{"topics":{"t":1},"members":[],"signals":{"lag":{},"lag":{}}}`, `signals["lag"]: stands twice`},
		{`{"topics":{"t":1},"members":[],"signals":{"lag":{"t":[1,2]}}}`, `signals["lag"]["t"]: lists 2 partitions of 1`},
		{`{"topics":{"t":1},"members":[],"signals":{"lag":{"t":[-1e101]}}}`, `signals["lag"]["t"][0]: -1e+101 is not within -1e+100..1e+100`},
		{`{"topics":{"t":20000000},"members":[],"signals":{"a":{"t":[1]},"b":{"t":[1]}}}`, `signals["b"]["t"]: more than 33554432 numbers of signals in all`},
		{`{"topics":{},"members":[{"id":"a","uptime":-1}]}`, `members[0].uptime: -1 is not within 0..9223372037`},
		{`{"topics":{},"members":[{"id":"a","uptime":1e10}]}`, `members[0].uptime: 1e+10 is not within 0..9223372037`},
		{`{"topics":{},"members":[{"id":"a","uptime":"10m"}]}`, `members[0].uptime: wants a number, not a string`},
		{`{"topics":{},"members":[{"id":"a","signals":{"cpu":"high"}}]}`, `members[0].signals["cpu"]: wants a number, not a string`},
		{`{"topics":{},"members":[{"id":"a","signals":{"cpu":1,"cpu":1}}]}`, `members[0].signals["cpu"]: stands twice`},
		{`{"topics":{},"members":[{"id":"a","signals":{"cpu":1e101}}]}`, `members[0].signals["cpu"]: 1e+101 is not within -1e+100..1e+100`},
		{"{\"topics\":{},\"members\":[{\"id\":\"\xff\"}]}", `members[0].id: "\xff" is not UTF-8`},
	} {
		g, err := Decode([]byte(test.line))
		if err == nil {
			t.Errorf("%s\ngives %+v, no error", test.line, g)
		} else if e, ok := errors.AsType[*Error](err); !ok || e.Error() != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.line, err, test.want)
		}
	}
}

func TestDecodeDepth(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	if _, err := Decode([]byte(`{"note":` + deep)); err == nil || !strings.Contains(err.Error(), "depth") {
		t.Errorf("a million brackets: %v", err)
	}
	nested := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	if _, err := Decode([]byte(`{"note":` + nested + `,"topics":{},"members":[]}`)); err != nil {
		t.Errorf("nesting in a field that is passed over: %v", err)
	}
}

// TestDecodeCases reads every group among the project's cases, and reads back what is written of it.
func TestDecodeCases(t *testing.T) {
	for _, name := range []string{"java-assign", "optimum", "reported"} {
		for i, line := range lines(t, name) {
			g, err := Decode(line)
			if err != nil {
				t.Fatalf("%s line %d: %v", name, i+1, err)
			}
			again(t, g)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"topics":{"t":3,"s":0},"members":[{"id":"a","topics":["t","s","t"],"owned":{"t":[2,0,0,-1],"gone":[]},"generation":7,"instance":"i","rack":"r","capacity":4,"labels":{"tier":"gold"}}]}`))
	f.Add([]byte(`{"racks":{"t":[["a","b"],null]},"weights":{"t":[1,2.5e1]},"topics":{"t":5},"members":[{"id":"b\u00e9","capacity":0,"x":{"y":[{}]}}]}`))
	f.Add([]byte(`{"topics":{"t":3},"members":[{"id":"a","uptime":1.5,"signals":{"cpu":0.5}}],"leader_racks":{"t":["a",""]},"signals":{"lag":{"t":[1,-2]}}}`))
	f.Add([]byte(`{"topics":{"t":-1,"t":1.5},"members":null,"note":"\ud800"}`))
	for _, name := range []string{"java-assign", "optimum", "reported"} {
		for _, line := range lines(f, name)[:3] {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		g, err := decode(line, 1<<12)
		if err != nil {
			if g != nil || strings.Contains(err.Error(), "\n") && !bytes.Contains(line, []byte("\n")) {
				t.Fatalf("%v with %v", err, g)
			}
			return
		}
		if err := g.Check(); err != nil {
			t.Fatalf("decoded what cannot be assigned: %v", err)
		}
		again(t, g)
	})
}

// again writes g and reads it back.
func again(t *testing.T, g *strategy.Group) {
	t.Helper()
	line := AppendGroup(nil, g)
	if bytes.ContainsAny(line, "\r\n") {
		t.Fatalf("more than a line: %q", line)
	}
	back, err := Decode(line)
	if err != nil {
		t.Fatalf("%s\ncannot be read back: %v", line, err)
	}
	if !reflect.DeepEqual(g, back) {
		t.Fatalf("%s\nwas   %+v\nreads %+v", line, g, back)
	}
}

func lines(t testing.TB, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/cases", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		out = append(out, bytes.Clone(s.Bytes()))
	}
	return out
}
