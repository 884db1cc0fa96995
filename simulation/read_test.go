package simulation

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestBadInput holds every way in which a file can be wrong against the message it gets.
func TestBadInput(t *testing.T) {
	const two = "topics: {a: 3}\nmembers: [m-1, m-2]\n"
	for _, c := range []struct{ text, want string }{
		// not a scenario at all
		{"", "x: is empty: a scenario has at least topics"},
		{"# nothing\n", "x: is empty: a scenario has at least topics"},
		{"a\x00b", "x: is not a text file"},
		{"a\xffb", "x: is not a text file"},
		{"just text", "x:1:1: a scenario is a mapping of assert, events, group, members, strategy, topics, not just text"},
		{"- a", "x:1:1: a scenario is a mapping of assert, events, group, members, strategy, topics, not a list"},
		{"members: 3", "x:1:1: there are no topics"},
		{"topics: {}", "x:1:9: there are no topics"},
		{"topics: {a: 1}\nmemers: 3", `x:2:1: a scenario has no field "memers"; did you mean "members"?`},
		{"topics: {a: 1}\nxyzzyplugh: 3", `x:2:1: a scenario has no field "xyzzyplugh"; there are assert, events, group, members, strategy, topics`},
		{"topics: {a: 1}\ntopics: {b: 1}", "x:2:1: topics is there twice, first in line 1"},
		// not YAML, or more of it than is needed
		{"a: [1, 2", "x:2:1: while parsing a flow sequence that begins in line 1, column 4: did not find expected ',' or ']'"},
		{"a: {b: 1", "x:2:1: while parsing a flow mapping that begins in line 1, column 4: did not find expected ',' or '}'"},
		{"a: b: c", "x:1:5: mapping values are not allowed in this context"},
		{"a: - b", "x:1:4: block sequence entries are not allowed in this context"},
		{"topics: {a: 1}\n members: 1", "x:2:2: while parsing a block mapping that begins in line 1, column 1: did not find expected key"},
		{"topics:\n\ta: 1", "x:2:1: a tab cannot indent; spaces can"},
		{`"abc`, "x:1:5: while scanning a quoted scalar that begins in line 1, column 1: found unexpected end of stream"},
		{"topics: {a: 1}\n---\ntopics: {a: 1}", "x:2:1: a second document; a scenario is one"},
		{"a: &x 1", "x:1:4: anchors are not supported in scenarios"},
		{"a: *x", "x:1:4: aliases are not supported in scenarios (a pattern that begins with * has to be quoted)"},
		{"<<: {a: 1}", "x:1:1: merge keys are not supported in scenarios"},
		{"a: !!int 1", "x:1:4: tags are not supported in scenarios"},
		{"%YAML 1.2\n---\na: 1", "x:1:1: found incompatible YAML document"},
		{"[a]: 1", "x:1:1: a key is a word, not a list"},
		{"{[a]: 1}", "x:1:2: a key is a word, not a list"},
		{"[a b: c]", "x:1:1: a scenario is a mapping of assert, events, group, members, strategy, topics, not a list"},
		{"[,]", "x:1:2: while parsing a flow node that begins in line 1, column 2: did not find expected node content"},
		{strings.Repeat("[", 100), "x:1:33: is nested more than 32 deep"},
		{strings.Repeat("- ", 100), "x:1:65: is nested more than 32 deep"},
		// topics
		{"topics: [a]", "x:1:9: topics is a mapping of names to numbers of partitions, not a list"},
		{"topics: 3", "x:1:9: topics is a mapping of names to numbers of partitions, not 3"},
		{"topics: {a: -1}", "x:1:13: a number of partitions -1 is not within 0..33554432"},
		{"topics: {a: 1000000000}", "x:1:13: a number of partitions 1000000000 is not within 0..33554432"},
		{"topics: {a: 99999999999999999999}", "x:1:13: a number of partitions 99999999999999999999 is not within 0..33554432"},
		{"topics: {a: 1.5}", "x:1:13: a number of partitions is a whole number, not 1.5"},
		{"topics: {a: 0x10}", "x:1:13: a number of partitions is a whole number, not 0x10"},
		{"topics: {a: 012}", "x:1:13: a number of partitions is a whole number without leading zeros, not 012"},
		{"topics: {a: '3'}", `x:1:13: a number of partitions is a whole number, not "3"`},
		{"topics: {a: }", "x:1:13: a number of partitions is a whole number, not nothing"},
		{"topics: {'': 3}", "x:1:10: a topic's name is empty"},
		{"topics: {\"a\\nb\": 3}", `x:1:10: a topic's name "a\nb" has characters that cannot be shown`},
		{"topics: {a: 3, a: 4}", "x:1:16: a is there twice, first in line 1"},
		{"topics: {a: 33554432, b: 1}", `x:1:23: topic "b": more than 33554432 partitions in all`},
		{"topics: {a: {racks: [[a]]}}", `x:1:13: topic "a" does not say how many partitions it has`},
		{"topics: {a: {partitions: 1, wieghts: [1]}}", `x:1:29: a topic has no field "wieghts"; did you mean "weights"?`},
		{"topics: {a: {partitions: 1, racks: a}}", "x:1:36: racks is a list with an item for each partition, not a"},
		{"topics: {a: {partitions: 1, racks: [a]}}", "x:1:37: the racks of a partition are a list, not a"},
		{"topics: {a: {partitions: 1, weights: [-1]}}", "x:1:39: a weight is a number within 0..1e+100, not -1"},
		{"topics: {a: {partitions: 1, weights: [.nan]}}", "x:1:39: a weight is a number within 0..1e+100, not .nan"},
		{"topics: {a: {partitions: 1, weights: [.inf]}}", "x:1:39: a weight is a number within 0..1e+100, not .inf"},
		{"topics: {a: {partitions: 1, weights: [1e101]}}", "x:1:39: a weight is a number within 0..1e+100, not 1e101"},
		{"topics: {a: {partitions: 1, weights: [1, 2]}}", "x:1:38: weights has 2 items for 1 partitions"},
		{"topics: {a: {partitions: 33000000, weights: [1]}}", "x:1:45: racks, weights and signals of more than 4194304 partitions in all"},
		{"topics: {a: {partitions: 3000000, signals: {lag: [1], rate: [1]}}}", "x:1:61: racks, weights and signals of more than 4194304 partitions in all"},
		{"topics: {a: {partitions: 1, signals: [1]}}", "x:1:38: signals is a mapping of names to what was measured, not a list"},
		{"topics: {a: {partitions: 1, signals: {'': [1]}}}", "x:1:39: a signal's name is empty"},
		{"topics: {a: {partitions: 1, signals: {lag: 1}}}", "x:1:44: signal lag is a list with an item for each partition, not 1"},
		{"topics: {a: {partitions: 1, signals: {lag: [1, 2]}}}", "x:1:44: signal lag has 2 items for 1 partitions"},
		{"topics: {a: {partitions: 1, signals: {lag: [-1e101]}}}", "x:1:45: a signal is a number within ±1e+100, not -1e101"},
		{"topics: {a: {partitions: 1, signals: {lag: ['1']}}}", `x:1:45: a signal is a number within ±1e+100, not "1"`},
		{"topics: {a: {partitions: 1, leader_racks: [a, b]}}", "x:1:43: leader_racks has 2 items for 1 partitions"},
		{"topics: {a: {partitions: 1, leader_racks: [[a]]}}", "x:1:44: a rack is a word, not a list"},
		// members
		{"topics: {a: 3}\nmembers: -1", "x:2:10: a number of members -1 is not within 0..100000"},
		{"topics: {a: 3}\nmembers: 100001", "x:2:10: a number of members 100001 is not within 0..100000"},
		{"topics: {a: 3}\nmembers: m", "x:2:10: members is a list or a number, not m"},
		{"topics: {a: 3}\nmembers: {m: 1}", "x:2:10: members is a list or a number, not a mapping"},
		{"topics: {a: 3}\nmembers: [m, m]", `x:2:14: member "m" is in the group already`},
		{"topics: {a: 3}\nmembers: [[m]]", "x:2:11: a member is a mapping of capacity, generation, id, instance, labels, owned, rack, signals, topics, uptime, not a list"},
		{"topics: {a: 3}\nmembers: [{rack: a}]", "x:2:11: a member has no id"},
		{"topics: {a: 3}\nmembers: [{id: m, capcity: 1}]", `x:2:19: a member has no field "capcity"; did you mean "capacity"?`},
		{"topics: {a: 3}\nmembers: [{id: m, capacity: 1.5}]", "x:2:29: a capacity is a whole number, not 1.5"},
		{"topics: {a: 3}\nmembers: [{id: m, capacity: -1}]", "x:2:29: a capacity -1 is not within 0..1048575"},
		{"topics: {a: 3}\nmembers: [{id: m, topics: [b]}]", `x:2:28: no topic "b", now or later; did you mean "a"?`},
		{"topics: {a: 3}\nmembers: [{id: m, topics: }]", "x:2:27: topics says nothing; a member without topics reads all, and none with topics: []"},
		{"topics: {a: 3}\nmembers: [{id: m, labels: [b]}]", "x:2:27: labels is a mapping of names to words, not a list"},
		{"topics: {a: 3}\nmembers: [{id: m, labels: {b: [c]}}]", "x:2:31: label b is a word, not a list"},
		{"topics: {a: 3}\nmembers: [{id: m, owned: [0]}]", "x:2:26: owned is a mapping of topics to lists of partitions, not a list"},
		{"topics: {a: 3}\nmembers: [{id: m, owned: {a: 0}}]", "x:2:30: what is owned of a is a list of partitions, not 0"},
		{"topics: {a: 3}\nmembers: [{id: m, owned: {a: [-1]}}]", "x:2:31: a partition -1 is not within 0..33554431"},
		{"topics: {a: 3}\nmembers: [{id: m, owned: {b: [0]}}]", `x:2:27: no topic "b", now or later; did you mean "a"?`},
		{"topics: {a: 3}\nmembers: [{id: m, generation: 99999999999}]", "x:2:31: a generation 99999999999 is not within -1..1073741824"},
		{"topics: {a: 3}\nmembers:\n- {id: m, instance: i}\n- {id: n, instance: i}", `x:4:8: member "n" has the instance id "i" of member "m"`},
		{"topics: {a: 3}\nmembers: [{id: m, uptime: -1}]", "x:2:27: uptime is a duration such as 10m, or a number of seconds, not -1"},
		{"topics: {a: 3}\nmembers: [{id: m, uptime: -10m}]", "x:2:27: uptime is a duration such as 10m, or a number of seconds, not -10m"},
		{"topics: {a: 3}\nmembers: [{id: m, uptime: 1e10}]", "x:2:27: uptime is a duration such as 10m, or a number of seconds, not 1e10"},
		{"topics: {a: 3}\nmembers: [{id: m, uptime: [1]}]", "x:2:27: uptime is a duration such as 10m, or a number of seconds, not a list"},
		{"topics: {a: 3}\nmembers: [{id: m, signals: {cpu: high}}]", "x:2:34: a signal is a number within ±1e+100, not high"},
		// strategies
		{"topics: {a: 3}\nstrategy: {a: 1}", "x:2:11: a strategy is a word, not a mapping"},
		{"topics: {a: 3}\nstrategy: [a, '']", "x:2:15: a strategy is empty"},
		// events
		{two + "events: join", "x:3:9: events is a list, not join"},
		{two + "events: [join]", "x:3:10: an event is one of create, delete, deploy, grow, join, leave, measure, restart, set with what it is about, not join"},
		{two + "events: [{join: a, leave: b}]", "x:3:20: an event is one of create, delete, deploy, grow, join, leave, measure, restart, set; this has 2 fields"},
		{two + "events: [{jion: a}]", `x:3:11: no event "jion"; did you mean "join"?`},
		{two + "events:\n- join:", "x:4:8: join does not say what it is about"},
		{two + "events: [{join: m-2}]", `x:3:17: member "m-2" is in the group already`},
		{two + "events: [{join: [n, m-2]}]", `x:3:21: member "m-2" is in the group already`},
		{two + "events: [{join: 0}]", "x:3:17: a number of members 0 is not within 1..100000"},
		{two + "events: [{join: 100000}]", `x:3:10: more than 100000 members`},
		{two + "events: [{join: []}]", "x:3:17: join names no members"},
		{two + "events: [{leave: m-3}]", `x:3:18: no member "m-3"; did you mean "m-1"?`},
		{two + "events: [{leave: [m-1, 'k*']}]", `x:3:24: no member "k*"`},
		{two + "events: [{leave: 2}]", "x:3:18: leave takes ids or patterns of members, not a number; an id such as this has to be quoted"},
		{two + "events: [{leave: '[a'}]", `x:3:18: pattern "[a" is malformed`},
		{two + "events: [{leave: m-1}, {leave: m-1}]", `x:3:32: no member "m-1"; did you mean "m-2"?`},
		{two + "events: [{leave: '*'}, {restart: m-1}]", `x:3:34: no member "m-1": the group is empty`},
		{two + "events: [{deploy: {members: '*', surge: -1}}]", "x:3:41: surge -1 is not within 0..100000"},
		{two + "events: [{deploy: {members: '*', max_unavailable: 0}}]", "x:3:51: deploy with max_unavailable 0 and without surge would never replace anybody"},
		{two + "events: [{deploy: {surge: 1}}]", "x:3:19: deploy does not say which members"},
		{two + "events: [{deploy: {members: '*', batch: 1}}]", `x:3:34: deploy has no field "batch"; there are max_unavailable, members, surge`},
		{two + "events: [{grow: {a: 3}}]", `x:3:21: topic "a" has 3 partitions, and can only become more than that: not 3`},
		{two + "events: [{grow: {b: 4}}]", `x:3:21: no topic "b"; did you mean "a"?`},
		{two + "events: [{grow: a}]", "x:3:17: grow is a mapping of topics to their new numbers of partitions, not a"},
		{two + "events: [{grow: {a: 33554433}}]", "x:3:21: a number of partitions 33554433 is not within 0..33554432"},
		{two + "events: [{create: {a: 4}}]", `x:3:20: topic "a" is there already`},
		{two + "events: [{create: {}}]", "x:3:10: names no topics"},
		{two + "events: [{delete: b}]", `x:3:19: no topic "b"; did you mean "a"?`},
		{two + "events: [{delete: [a, a]}]", `x:3:23: topic "a" is named twice`},
		{two + "events: [{set: {member: m-1}}]", "x:3:10: sets nothing; there are capacity, labels, rack, signals, topics, uptime"},
		{two + "events: [{set: {capacity: 1}}]", "x:3:16: set does not say which member"},
		{two + "events: [{set: {member: m-1, capacity: half}}]", "x:3:40: a capacity is a whole number, not half"},
		{two + "events: [{set: {member: m-1, uptime: soon}}]", "x:3:38: uptime is a duration such as 10m, or a number of seconds, not soon"},
		{two + "events: [{measure: a}]", "x:3:20: measure is a mapping of topics to their weights and signals, not a"},
		{two + "events: [{measure: {}}]", "x:3:20: measure is a mapping of topics to their weights and signals, not an empty mapping"},
		{two + "events: [{measure: {a: 3}}]", "x:3:24: what is measured is a mapping of signals, weights, not 3"},
		{two + "events: [{measure: {a: {}}}]", `x:3:21: topic "a": says nothing that is measured; there are signals, weights`},
		{two + "events: [{measure: {b: {weights: [1]}}}]", `x:3:21: no topic "b"; did you mean "a"?`},
		{two + "events: [{measure: {a: {weights: 1}}}]", "x:3:34: weights is a list with an item for each partition, or a mapping of some partitions, not 1"},
		{two + "events: [{measure: {a: {weights: [1, 2, 3, 4]}}}]", `x:3:21: topic "a": weights has 4 items for 3 partitions`},
		{two + "events: [{measure: {a: {weights: {3: 1}}}}]", `x:3:21: topic "a": weights of partition 3, of which there are 3`},
		{two + "events: [{measure: {a: {weights: {x: 1}}}}]", "x:3:35: a partition is a whole number, not x"},
		{two + "events: [{measure: {a: {weights: {0: -1}}}}]", "x:3:38: a weight is a number within 0..1e+100, not -1"},
		{two + "events: [{measure: {a: {signals: {lag: {0: 1}}}}}]", `x:3:21: topic "a": signal "lag" is not known of its partitions so far; list it for all of them first`},
		{two + "events: [{measure: {a: {signals: {lag: [1, x]}}}}]", "x:3:44: a signal is a number within ±1e+100, not x"},
		{"topics: {a: 1}\nmembers: 60000\nevents: [{deploy: '*'}]", "x:3:10: too large: steps times members come to more than 16777216 up to here; fewer members, or larger batches of a deploy, make it smaller"},
		{"topics: {a: 1}\nmembers: 40000\nevents: [{deploy: '*'}]", "x:3:10: too large: steps times members come to more than 16777216 up to here; fewer members, or larger batches of a deploy, make it smaller"},
		{"topics: {a: 20000000}\nmembers: 2\nevents: [{join: 1}, {join: 1}]", "x:3:21: too large: steps times partitions come to more than 40000000 up to here; fewer steps, or fewer partitions, make it smaller"},
		{"topics: {a: 1}\nmembers: 1\nevents: [" + strings.Repeat("{set: {member: '*', capacity: 1}}, ", 100_000) + "]", "x:3:9: more than 100000 steps in all"},
		// assertions
		{two + "assert:", "x:3:8: an assertion is an expression, not nothing"},
		{two + "assert: {skew: 1}", "x:3:9: an assertion is an expression, not a mapping; one with a colon in it has to be quoted"},
		{two + "assert: [[skew]]", "x:3:10: an assertion is an expression, not a list"},
		{two + "assert: ['']", "x:3:11: assert: the expression is empty; true or false is wanted"},
		{two + "assert: skw <= 1", `x:3:9: assert: unknown name "skw"; did you mean "skew"?`},
		{two + "assert:\n  - skew <= 1\n  - skew <= memers", `x:5:13: assert: unknown name "memers"; did you mean "members"?`},
		{two + "assert: 'moved.volunary < 1'", `x:3:16: assert: moved has no "volunary"; did you mean "voluntary"?`},
		{two + "assert:\n  - |\n    skew <= 1 and\n    all(members, .lod < 2)", `x:6:19: assert: members has no "lod"; did you mean "load"?`},
		{two + "assert:\n  - \"owner('\\u0061', 0) == skw\"", `x:4:5: assert: unknown name "skw"; did you mean "skew"?`},
		{two + "assert:\n  - skew <= 1\n    and skw <= 1", `x:4:5: assert: unknown name "skw"; did you mean "skew"?`},
		{two + "assert: skew", "x:3:9: assert: this gives a number; true or false is wanted; did you mean (...) > 0?"},
		{two + "assert: step > 0", "x:3:14: assert: > does not go with something with fields and number; step.number is its number"},
		{two + "assert: members > 3", "x:3:17: assert: > does not go with a list and number; len(members) and len(partitions) are how many there are"},
		{two + "assert: max(1, 2) > 1", "x:3:9: assert: number is not callable; max, min and mean are measures of the step here"},
		{two + "assert: skew = 1", `x:3:14: assert: unexpected token Operator("="); == compares`},
		{two + "assert: moved < 1", "x:3:15: assert: < does not go with something with fields and number; moved.total is how many there are"},
		{two + "assert: owner(0, 'a') == 'a'", `x:3:15: assert: the arguments of owner do not fit; it is called as owner("topic", number)`},
		{two + "assert: owner(0) == 'a'", `x:3:9: assert: the arguments of owner do not fit; it is called as owner("topic", number)`},
		{two + "assert: [" + strings.Repeat("true, ", 1001) + "]", "x:3:9: more than 1000 assertions"},
	} {
		_, err := Read("x", strings.NewReader(c.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%.100q\n got %s\nwant %s", c.text, got, c.want)
		}
		var syntax *SyntaxError
		if err != nil && !errors.As(err, &syntax) {
			t.Errorf("%.100q: %T is not a *SyntaxError", c.text, err)
		}
	}
}

// What is wrong with a strategy is told with its place in the file.
func TestStrategyError(t *testing.T) {
	cause := errors.New("unknown")
	for text, want := range map[string][]string{
		"topics: {a: 3}\nmembers: 2\nstrategy: x\n":             {"f:3:11: unknown", "unknown"},
		"topics: {a: 3}\nmembers: 2\nstrategy:\n  - x\n  - y\n": {"f:4:5: unknown", "f:5:5: unknown", "unknown"},
		"topics: {a: 3}\nmembers: 2\n":                          {"unknown"},
	} {
		s, err := Read("f", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if err := s.StrategyError(i, cause); err.Error() != want[i] || !errors.Is(err, cause) {
				t.Errorf("%q: strategy %d: %v, not %s", text, i, err, want[i])
			}
		}
	}
}

func TestExcerpt(t *testing.T) {
	_, err := Read("x", strings.NewReader("topics: {a: 1}\r\nmemers: 1\r\n"))
	var e *SyntaxError
	if !errors.As(err, &e) || e.Excerpt != "memers: 1" || e.Line != 2 || e.Column != 1 {
		t.Errorf("got %+v", e)
	}
}

func TestByteOrderMark(t *testing.T) {
	if _, err := Read("x", strings.NewReader("\uFEFFtopics: {a: 1}\r\nmembers: 2\r\n")); err != nil {
		t.Error(err)
	}
}

// TestTooLarge reads from what never ends.
func TestTooLarge(t *testing.T) {
	_, err := Read("x", endless{})
	if err == nil || err.Error() != "x: is larger than 16 MiB" {
		t.Errorf("got %v", err)
	}
	_, err = Read("x", strings.NewReader(strings.Repeat(",", maxSigns+1)))
	if err == nil || err.Error() != "x: has more than 2000000 lines, commas, colons, quotes and brackets" {
		t.Errorf("got %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	return len(p), nil
}

func TestReaderFails(t *testing.T) {
	if _, err := Read("x", iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"a: 1\nb:\n- x\n- y: 2\n  z: 'q'\nc:\n  d: |\n    abc\n", "- - a\n  - b\n-\n- e: f\n", "--- \na: b\n...\n", "a: &x [*x]", "<<: {a: 1}", "? [a]\n: b", "a: !!int 1",
	} {
		f.Add(text)
	}
	for _, text := range []string{"skew <= 1", "'owner(\"a\", 0) == \"m\"'", "|\n  all(members,\n    .lod < 3)\n", "\"\\u0061ll(\"", "[a, >-\n  b == \n\n  c]"} {
		f.Add("topics: {a: 1}\nmembers: 2\nassert: " + text)
	}
	for i := range 8 {
		f.Add(fmt.Sprintf("topics: {a: %d}\nmembers: [m-1, {id: m-2, instance: i}]\nevents: [{deploy: {members: '*', surge: 1}}, {join: 2}, {grow: {a: 9}}, {leave: 'm-*'}]\n", i))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read("x", strings.NewReader(text))
		if (s == nil) == (err == nil) {
			t.Errorf("%q: %v and %v", text, s, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: the error has several lines: %q", text, err)
		}
	})
}
