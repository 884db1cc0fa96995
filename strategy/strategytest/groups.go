package strategytest

import (
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// groups returns what every assignor has to answer for, each under a name of its own: first those that are written down, small ones
// first, then those that are made up.
func groups() []testGroup {
	var all []testGroup
	for _, w := range written {
		g, err := groupjson.Decode([]byte(w.line))
		if err != nil {
			panic(fmt.Sprintf("strategytest: group %q: %v", w.name, err))
		}
		all = append(all, testGroup{w.name, g})
	}
	all = append(all, unwritable()...)
	all = append(all, generated()...)
	for _, g := range all {
		g.Name, g.Generation = "group", 9
		if len(g.Members) > 0 {
			g.Leader = g.Members[0].ID
		}
	}
	return all
}

// written has groups that show one thing each.
var written = []struct{ name, line string }{
	{"nothing at all", `{"topics":{},"members":[]}`},
	{"topics without members", `{"topics":{"t":3},"members":[]}`},
	{"a member without topics in a group without any", `{"topics":{},"members":[{"id":"a"}]}`},
	{"one of each", `{"topics":{"t":1},"members":[{"id":"a","topics":["t"]}]}`},
	{"a member without topics", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"]},{"id":"b"}]}`},
	{"nobody subscribes", `{"topics":{"t":2},"members":[{"id":"a"},{"id":"b"}]}`},
	{"a topic that nobody subscribes to", `{"topics":{"t":2,"u":2},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]}]}`},
	{"a topic without partitions", `{"topics":{"t":0,"u":2},"members":[{"id":"a","topics":["t","u"]},{"id":"b","topics":["t"]}]}`},
	{"only topics without partitions", `{"topics":{"t":0,"u":0},"members":[{"id":"a","topics":["t","u"]}]}`},
	{"subscriptions to unknown topics", `{"topics":{"t":3},"members":[{"id":"a","topics":["nope","t"]},{"id":"b","topics":["nope"]},{"id":"c","topics":["aaa","t","zzz"]}]}`},
	{"more members than partitions", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]},{"id":"c","topics":["t"]},{"id":"d","topics":["t"]},{"id":"e","topics":["t"]}]}`},
	{"surplus partitions", `{"topics":{"t":7},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]},{"id":"c","topics":["t"]}]}`},
	{"chained subscriptions", `{"topics":{"t1":1,"t2":2},"members":[{"id":"a","topics":["t2"]},{"id":"b","topics":["t1","t2"]},{"id":"c","topics":["t1"]}]}`},
	{"disjoint subscriptions", `{"topics":{"t":3,"u":1},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["u"]}]}`},
	{"duplicates in a subscription", `{"topics":{"t":4},"members":[{"id":"a","topics":["t","t"]},{"id":"b","topics":["t"]}]}`},

	{"a steady group", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"],"owned":{"t":[0,1]},"generation":8},{"id":"b","topics":["t"],"owned":{"t":[2,3]},"generation":8}]}`},
	{"a newcomer", `{"topics":{"t":4,"u":4},"members":[{"id":"a","topics":["t","u"],"owned":{"t":[0,1,2,3],"u":[0,1,2,3]},"generation":8},{"id":"b","topics":["t","u"]}]}`},
	{"a third member", `{"topics":{"t":10},"members":[{"id":"a","topics":["t"],"owned":{"t":[1,3,5,7,9]},"generation":8},{"id":"b","topics":["t"],"owned":{"t":[0,2,4,6,8]},"generation":8},{"id":"c","topics":["t"]}]}`},
	{"a member that left", `{"topics":{"t":6},"members":[{"id":"a","topics":["t"],"owned":{"t":[0,3]},"generation":8},{"id":"b","topics":["t"],"owned":{"t":[1,4]},"generation":8}]}`},
	{"everybody back without claims", `{"topics":{"t":6},"members":[{"id":"b","topics":["t"]},{"id":"a","topics":["t"]}]}`},
	{"a claim by an older generation", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"owned":{"t":[0]},"generation":1},{"id":"b","topics":["t"],"owned":{"t":[0,1,2]},"generation":2}]}`},
	{"two claims of one generation", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"],"owned":{"t":[0,1]},"generation":3},{"id":"b","topics":["t"],"owned":{"t":[1,2]},"generation":3}]}`},
	{"two claims and a third member", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"owned":{"t":[0,1]},"generation":3},{"id":"b","topics":["t"],"owned":{"t":[1,2]},"generation":3},{"id":"c","topics":["t"]}]}`},
	{"three claims of one generation", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"owned":{"t":[0]},"generation":3},{"id":"b","topics":["t"],"owned":{"t":[0]},"generation":3},{"id":"c","topics":["t"],"owned":{"t":[0]},"generation":3}]}`},
	{"a claim on a topic not subscribed any more", `{"topics":{"t1":3,"t2":1},"members":[{"id":"a","topics":["t2"],"owned":{"t1":[0]},"generation":1},{"id":"b","topics":["t1"],"owned":{"t1":[0,1,2]},"generation":2},{"id":"c","topics":["t1","t2"]}]}`},
	{"an owner that does not subscribe any more", `{"topics":{"t":2,"u":2},"members":[{"id":"a","topics":["u"],"owned":{"t":[0,1]},"generation":8},{"id":"b","topics":["t","u"],"owned":{"u":[0,1]},"generation":8}]}`},
	{"claims on partitions that do not exist", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"owned":{"t":[0,7]},"generation":8},{"id":"b","topics":["t"],"owned":{"t":[1,2147483647]},"generation":8}]}`},
	{"negative claims", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"owned":{"t":[-1,0]},"generation":8},{"id":"b","topics":["t"],"owned":{"t":[-2,-2147483648]},"generation":8}]}`},
	{"claims on unknown topics", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"owned":{"gone":[0,1],"t":[0]},"generation":8},{"id":"b","topics":["gone","t"],"owned":{"":[0],"gone":[2]},"generation":8}]}`},
	{"a claim that names a partition twice", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"],"owned":{"t":[1,0,0,1]},"generation":8},{"id":"b","topics":["t"]}]}`},
	{"claims without a generation", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"owned":{"t":[0,1]}},{"id":"b","topics":["t"],"owned":{"t":[1,2]},"generation":5}]}`},
	{"a claim without partitions", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"owned":{"t":[]},"generation":8},{"id":"b","topics":["t"],"owned":{"t":[0,1]},"generation":8}]}`},
	{"a shrunken topic", `{"topics":{"t":2,"u":1},"members":[{"id":"a","topics":["t","u"],"owned":{"t":[0,1,2,3],"u":[0]},"generation":8},{"id":"b","topics":["t","u"],"owned":{"t":[4,5,6,7]},"generation":8}]}`},
	{"a pair swapped half", `{"topics":{"t":2,"u":2},"members":[{"id":"a","topics":["t","u"],"owned":{"t":[1]},"generation":8},{"id":"b","topics":["t","u"],"owned":{"t":[0],"u":[0]},"generation":8}]}`},

	{"static members", `{"topics":{"t":5},"members":[{"id":"z-1","instance":"a","topics":["t"]},{"id":"a-1","topics":["t"]},{"id":"y-1","instance":"b","topics":["t"]}]}`},
	{"two members of one instance", `{"topics":{"t":3},"members":[{"id":"z","instance":"i","topics":["t"],"owned":{"t":[0,1,2]},"generation":7},{"id":"y","instance":"i","topics":["t"]}]}`},
	{"racks", `{"topics":{"t":4,"u":4},"members":[{"id":"a","rack":"r1","topics":["t","u"]},{"id":"b","rack":"r2","topics":["t","u"]},{"id":"c","topics":["t"]}],"racks":{"t":[["r2"],["r2","r3"],["r1"],[]],"u":[["r1","r2"],["r3"]]}}`},
	{"racks that nobody is in", `{"topics":{"t":3},"members":[{"id":"a","rack":"x","topics":["t"]},{"id":"b","rack":"y","topics":["t"]}],"racks":{"t":[["r1"],["r2"]]}}`},
	{"weights", `{"topics":{"t":4,"u":2},"members":[{"id":"a","topics":["t","u"]},{"id":"b","topics":["t","u"]}],"weights":{"t":[10,1,1,0.5]}}`},
	{"weights of nothing", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]}],"weights":{"t":[0]}}`},
	{"the largest weights", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]}],"weights":{"t":[1e100,1e100,5e-324]}}`},
	{"capacities", `{"topics":{"t":7},"members":[{"id":"a","topics":["t"],"capacity":4},{"id":"b","topics":["t"]},{"id":"c","topics":["t"],"capacity":2}]}`},
	{"the largest capacity", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"capacity":1048575},{"id":"b","topics":["t"],"capacity":1}]}`},
	{"a draining member", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"],"capacity":0,"owned":{"t":[0,1]},"generation":8},{"id":"b","topics":["t"],"owned":{"t":[2,3]},"generation":8}]}`},
	{"a draining member with a topic to itself", `{"topics":{"t":2,"u":2},"members":[{"id":"a","topics":["t","u"],"capacity":0},{"id":"b","topics":["t"]}]}`},
	{"all draining", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"capacity":0,"owned":{"t":[0,1,2]},"generation":8},{"id":"b","topics":["t"],"capacity":0}]}`},
	{"labels", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"labels":{"tier":"gold","":"x"}},{"id":"b","topics":["t"],"labels":{"tier":""}}]}`},
	{"names of all sorts", `{"topics":{"A":1,"a":1,"a.b":1,"a_b":1,"été":2,"話題":2," ":1,"t\u0000":1},"members":[{"id":"m\n1","topics":["A","a","a.b","a_b","été","話題"," ","t\u0000"]},{"id":"𝒳\uffff","topics":["話題","été"]},{"id":"\ue000","topics":["été"," "]},{"id":"\"","instance":"é","topics":["a","A"]}]}`},
	{"numbers that sort as text", `{"topics":{"t1":2,"t10":2,"t2":2},"members":[{"id":"m1","topics":["t1","t10","t2"]},{"id":"m10","topics":["t1","t10","t2"]},{"id":"m2","topics":["t1","t10","t2"]}]}`},
}

// unwritable has groups that the notation has no place for.
func unwritable() []testGroup {
	long := strings.Repeat("ö長𝒳", 2000)
	return []testGroup{
		{"a member listed twice", &strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 2}},
			Members: []strategy.Member{
				{ID: "a", Topics: []string{"t"}, Generation: 3},
				{ID: "a", Topics: []string{"t"}, Generation: 3},
			},
		}},
		{"a member listed twice with other claims", &strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 4}, {Name: "u", Partitions: 1}},
			Members: []strategy.Member{
				{ID: "a", Topics: []string{"t"}, Generation: 3, Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1}}}},
				{ID: "b", Topics: []string{"t"}, Generation: 4, Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{2}}}},
				{ID: "a", Topics: []string{"u"}, Generation: 4, Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{3}}}},
			},
		}},
		{"a topic listed twice", &strategy.Group{
			Topics:  []strategy.Topic{{Name: "t", Partitions: 2}, {Name: "t", Partitions: 2}},
			Members: []strategy.Member{{ID: "a", Topics: []string{"t"}, Generation: -1}, {ID: "b", Topics: []string{"t"}, Generation: -1}},
		}},
		{"a topic in two claims of one member", &strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 4}},
			Members: []strategy.Member{
				{ID: "a", Topics: []string{"t"}, Generation: 3, Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{3}}, {Topic: "t", Partitions: []int32{0}}}},
				{ID: "b", Topics: []string{"t"}, Generation: -1},
			},
		}},
		{"long names", &strategy.Group{
			Topics:  []strategy.Topic{{Name: long, Partitions: 3}},
			Members: []strategy.Member{{ID: long + "1", Topics: []string{long}, Generation: -1}, {ID: long + "2", InstanceID: long, Rack: long, Topics: []string{long}, Generation: -1}},
		}},
		{"user data of another program", &strategy.Group{
			Topics: []strategy.Topic{{Name: "t", Partitions: 2}},
			Members: []strategy.Member{
				{ID: "a", Topics: []string{"t"}, Generation: -1, UserData: []byte{0xff, 0xff, 0xff, 0xff}},
				{ID: "b", Topics: []string{"t"}, Generation: -1, UserData: []byte("?")},
			},
		}},
	}
}
