//go:build kafka

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/assignkit/assignkit/internal/describe"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// A client's group, as the clients' documentation says that it should look.
type clientGroup struct {
	name     string
	kind     string
	strategy string
	clients  []string // the members' client ids
	static   bool     // the members' instance ids are their client ids
	rack     string   // of all members
	topics   []string // that all members read
	even     string   // the strategies that move nothing of what the group's own assignor did
}

var both = []string{"orders", "payments"}

var clientGroups = []clientGroup{
	{name: "franz", kind: "classic", strategy: "cooperative-sticky", clients: []string{"franz-0", "franz-1", "franz-2"}, rack: "rack-0", topics: both, even: "sticky"},
	{name: "idle", kind: "classic", strategy: "cooperative-sticky", clients: []string{"idle-0", "idle-1"}, topics: []string{"single"}, even: "sticky"},
	{name: "java-consumer", kind: "consumer", strategy: "uniform", clients: []string{"java-consumer-0", "java-consumer-1"}, topics: both, even: "sticky"},
	{name: "java-cooperative", kind: "classic", strategy: "cooperative-sticky", clients: []string{"java-cooperative-0", "java-cooperative-1"}, rack: "rack-0", topics: []string{"orders"}, even: "sticky"},
	{name: "java-range", kind: "classic", strategy: "range", clients: []string{"java-range-0", "java-range-1", "java-range-2"}, topics: both, even: "range-even"},
	{name: "sarama", kind: "classic", strategy: "sticky", clients: []string{"sarama-0", "sarama-1"}, topics: both, even: "sticky"},
	{name: "sarama-static", kind: "classic", strategy: "sticky", clients: []string{"static-0", "static-1"}, static: true, topics: both, even: "sticky"},
}

// TestKafka runs the commands against a broker, with groups of several clients. Java takes its time to start, so its members do while the
// groups of other clients are looked at.
func TestKafka(t *testing.T) {
	s := startSuite(t, kafkatest.Config{})
	s.populate(t)
	s.outside.Create(t, "single", 1)

	for group, names := range map[string][]string{"java-range": both, "java-cooperative": {"orders"}, "java-consumer": both} {
		s.commit(t, group, names...)
	}
	s.java(t, "java-range", "orders|payments", 3, "partition.assignment.strategy=org.apache.kafka.clients.consumer.RangeAssignor")
	s.java(t, "java-cooperative", "orders", 2, "partition.assignment.strategy=org.apache.kafka.clients.consumer.CooperativeStickyAssignor", "client.rack=rack-0")
	s.java(t, "java-consumer", "orders|payments", 2, "group.protocol=consumer")
	s.sarama(t, "sarama", "sarama-0", "", both...)
	s.sarama(t, "sarama", "sarama-1", "", both...)
	s.sarama(t, "sarama-static", "static-0", "static-0", both...)
	s.sarama(t, "sarama-static", "static-1", "static-1", both...)
	s.franz(t, "idle", "idle-0", kgo.ConsumeTopics("single"))
	s.franz(t, "idle", "idle-1", kgo.ConsumeTopics("single"))
	franz := map[string]*kgo.Client{}
	for i := range 3 {
		id := fmt.Sprintf("franz-%d", i)
		franz[id] = s.franz(t, "franz", id, kgo.ConsumeTopics(both...), kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.Rack("rack-0"))
	}
	d := s.settled(t, "franz", len(franz))
	for i := range d.Members {
		commitOwned(t, franz[d.Members[i].ClientID], &d.Members[i])
	}

	t.Run("states", s.testStates)
	t.Run("consumer protocol", s.testConsumerProtocol)
	for i := range clientGroups {
		s.settled(t, clientGroups[i].name, len(clientGroups[i].clients))
	}
	t.Run("list", s.testList)
	for i := range clientGroups {
		g := &clientGroups[i]
		t.Run(g.name, func(t *testing.T) {
			d := s.describe(t, g.name)
			g.check(t, s, d)
			s.checkTables(t, d)
			s.checkSimulate(t, d, g.even)
		})
	}
	t.Run("tool", func(t *testing.T) {
		var names []string
		for i := range clientGroups {
			names = append(names, clientGroups[i].name)
		}
		s.checkTool(t, names...)
	})
}

// The list has every group as its clients made it.
func (s *suite) testList(t *testing.T) {
	type summary struct {
		Group        string
		Type         string
		ProtocolType string `json:"protocol_type"`
		Strategy     string
		State        string
		Members      int
		Coordinator  struct{ Address string }
	}
	list := decoded[struct{ Groups []summary }](t, s.ok(t, "group", "list", "-o", "json"))
	if !slices.IsSortedFunc(list.Groups, func(a, b summary) int { return strings.Compare(a.Group, b.Group) }) {
		t.Errorf("not by name: %+v", list.Groups)
	}
	table := s.ok(t, "group", "list", "-o", "wide")
	for i := range clientGroups {
		g := &clientGroups[i]
		want := summary{Group: g.name, Type: g.kind, ProtocolType: "consumer", Strategy: g.strategy, State: "Stable", Members: len(g.clients)}
		want.Coordinator.Address = s.Addrs()[0]
		if !slices.Contains(list.Groups, want) {
			t.Errorf("wanted %+v in %+v", want, list.Groups)
		}
		row := fmt.Sprintf("%s %s (0) %s consumer %s Stable %d", g.name, s.Addrs()[0], g.kind, g.strategy, len(g.clients))
		if !slices.ContainsFunc(lines(table), func(words []string) bool { return strings.Join(words, " ") == row }) {
			t.Errorf("wanted %s in\n%s", row, table)
		}
	}
}

// check compares a description with what is known of the group beforehand.
func (g *clientGroup) check(t *testing.T, s *suite, d *described) {
	if d.Group != g.name || d.Type != g.kind || d.ProtocolType != "consumer" || d.Strategy != g.strategy || d.State != "Stable" || len(d.Remarks) != 0 {
		t.Errorf("%+v", d)
	}
	if d.Coordinator.ID != 0 || d.Coordinator.Address != s.Addrs()[0] {
		t.Errorf("coordinator %+v", d.Coordinator)
	}
	if consumer := g.kind == "consumer"; (d.Epoch != nil) != consumer {
		t.Errorf("epoch %v", d.Epoch)
	}
	var clients []string
	lag := int64(0)
	for _, m := range d.Members {
		clients = append(clients, m.ClientID)
		lag += m.Lag
		if m.Host != "127.0.0.1" || m.Rack != g.rack || !slices.Equal(m.Topics, g.topics) || m.ID == "" {
			t.Errorf("member %+v", m)
		}
		if instance := map[bool]string{true: m.ClientID}[g.static]; m.Instance != instance {
			t.Errorf("instance id %q, wanted %q", m.Instance, instance)
		}
	}
	if slices.Sort(clients); !slices.Equal(clients, g.clients) {
		t.Errorf("members %q, wanted %q", clients, g.clients)
	}
	if lag != d.Lag {
		t.Errorf("lags of members come to %d, that of the group is %d", lag, d.Lag)
	}
	if len(d.Topics) != len(g.topics) {
		t.Errorf("topics %+v", d.Topics)
		return
	}
	for i, topic := range d.Topics {
		if topic.Topic != g.topics[i] || !topic.Subscribed || topic.Topic != "single" && len(topic.Partitions) != int(topicSizes[topic.Topic]) {
			t.Errorf("topic %+v", topic)
		}
		for _, p := range topic.Partitions {
			end := recordsIn(topic.Topic, p.Partition)
			offset, committed := toCommit(topic.Topic, p.Partition)
			if topic.Topic == "single" {
				end, committed = 0, false
			}
			if p.Member == nil || !equal(p.End, end, true) || !equal(p.Committed, offset, committed) || !equal(p.Lag, end-offset, committed) || !slices.Equal(p.Racks, []string{"rack-0"}) {
				t.Errorf("%s:%d of %d records: %s", topic.Topic, p.Partition, end, show(p.Member, p.Committed, p.End, p.Lag))
			}
		}
	}
}

// equal compares a number that may not be known.
func equal(got *int64, want int64, known bool) bool {
	return (got != nil) == known && (!known || *got == want)
}

// show shows what may be null, in one line.
func show(member *string, numbers ...*int64) string {
	words := []string{"-"}
	if member != nil {
		words[0] = *member
	}
	for _, n := range numbers {
		word := "-"
		if n != nil {
			word = strconv.FormatInt(*n, 10)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// lines splits a text into lines, and these into words.
func lines(text string) [][]string {
	var out [][]string
	for line := range strings.Lines(text) {
		out = append(out, strings.Fields(line))
	}
	return out
}

// checkTables looks for what the document has in the tables.
func (s *suite) checkTables(t *testing.T, d *described) {
	wide := s.ok(t, "group", "describe", d.Group, "-o", "wide")
	rows := lines(wide)
	for _, topic := range d.Topics {
		for _, p := range topic.Partitions {
			words := strings.Fields(show(p.Member, p.Committed, p.End, p.Lag))
			want := slices.Concat([]string{topic.Topic, strconv.Itoa(int(p.Partition))}, words[1:], words[:1], []string{"rack-0"})
			if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Equal(row, want) }) {
				t.Errorf("there is no row %q in\n%s", want, wide)
			}
		}
	}
	for _, m := range d.Members {
		if !slices.ContainsFunc(rows, func(row []string) bool { return len(row) > 0 && row[0] == m.ID && slices.Contains(row, m.ClientID) }) {
			t.Errorf("member %s is not in\n%s", m.ID, wide)
		}
	}
	narrow := s.ok(t, "group", "describe", d.Group)
	listed := 0
	for _, row := range lines(narrow) {
		if len(row) == 6 && slices.Contains(topicsOf(d), row[0]) {
			listed++
		}
	}
	if !strings.Contains(narrow, fmt.Sprintf(", lag %d", d.Lag)) || strings.Contains(narrow, "NOBODY") || listed != len(d.owners()) {
		t.Errorf("%d partitions are listed\n%s", listed, narrow)
	}
	_, tables, _ := strings.Cut(narrow, "\n\n") // the line of the group itself is as wide as what it is called
	for line := range strings.Lines(tables) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > defaultWidth {
			t.Errorf("too wide: %s", line)
		}
	}
}

func topicsOf(d *described) []string {
	var names []string
	for _, topic := range d.Topics {
		names = append(names, topic.Topic)
	}
	return names
}

// checkSimulate previews one more member. What the members have at the start is what the description has, whatever the strategy, and a
// strategy that has nothing to put right, even if there is one, moves nothing.
func (s *suite) checkSimulate(t *testing.T, d *described, even string) {
	out := s.ok(t, "simulate", "--group", d.Group, "--strategy", "range-even,sticky", "--join", "1", "-o", "json")
	results := decoded[simulated](t, out).Results
	if len(results) != 2 {
		t.Fatalf("%s", out)
	}
	for i := range results {
		r := &results[i]
		if r.Strategy != []string{"range-even", "sticky"}[i] || len(r.Steps) != 2 {
			t.Fatalf("%s", out)
		}
		if !maps.Equal(r.before(), d.owners()) || r.Steps[0].Metrics.Placed != 0 {
			t.Errorf("%s starts from\n%v, there are\n%v", r.Strategy, r.before(), d.owners())
		}
		if n := len(r.Steps[0].Moved); r.Strategy == even && n != 0 {
			t.Errorf("%s moves at the start: %+v", r.Strategy, r.Steps[0].Moved)
		}
		if r.Strategy == "sticky" && d.Balance != nil && len(r.Steps[0].Moved) != d.Balance.Moves {
			t.Errorf("sticky moves %d, the description says %d", len(r.Steps[0].Moved), d.Balance.Moves)
		}
		for k, step := range r.Steps {
			if step.Metrics.Members != len(d.Members)+k || step.Metrics.Partitions != len(d.owners()) || len(step.Unassigned) != 0 {
				t.Errorf("step %s: %+v", step.Event, step.Metrics)
			}
		}
	}
}

// checkTool looks at groups with Kafka's own tool, which has to say the same, and what it says has to be a group to simulate.
func (s *suite) checkTool(t *testing.T, names ...string) {
	t.Helper()
	var which []string
	for _, name := range names {
		which = append(which, "--group", name)
	}
	members, err := s.ConsumerGroups(t.Context(), slices.Concat([]string{"--describe", "--members", "--verbose"}, which)...)
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := s.ConsumerGroups(t.Context(), slices.Concat([]string{"--describe", "--offsets"}, which)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := s.describe(t, name)
			fromMembers, fromOffsets := block(t, members, name), block(t, offsets, name)
			checkText(t, d, fromMembers+"\n"+fromOffsets, true, true)
			checkText(t, d, fromMembers, true, false)
			checkText(t, d, fromOffsets, false, true)
			for what, text := range map[string]string{
				"members": fromMembers, "offsets": fromOffsets, "both": fromMembers + "\n" + fromOffsets,
				"all groups": members + "\n" + offsets,
			} {
				args := []string{"simulate", "--import", "-", "--strategy", "range-even,sticky", "--join", "1", "-o", "json"}
				if what == "all groups" {
					args = append(args, "--group", name)
				}
				a := runMain(t.Context(), text, args...)
				if a.code != 0 {
					t.Errorf("%s: exit code %d: %s\n%s", what, a.code, a.errs, text)
					continue
				}
				for _, r := range decoded[simulated](t, a.out).Results {
					if !maps.Equal(r.before(), d.owners()) {
						t.Errorf("%s: %s starts from\n%v, there are\n%v", what, r.Strategy, r.before(), d.owners())
					}
				}
			}
		})
	}
}

// checkText compares a description with the tool's, whose table of offsets has no instance ids and no members that have nothing.
func checkText(t *testing.T, d *described, text string, members, lags bool) {
	t.Helper()
	groups, err := describe.Read("tool", strings.NewReader(text))
	if err != nil || len(groups) != 1 || groups[0].Name != d.Group {
		t.Fatalf("%+v, %v\n%s", groups, err, text)
	}
	g := &groups[0]
	theirs := map[string]string{}
	for _, m := range g.Members {
		owned := map[string][]int32{}
		for _, tp := range m.Owned {
			owned[tp.Topic] = tp.Partitions
		}
		theirs[m.ID] = fmt.Sprintf("%s %s %q %v", m.Host, m.ClientID, m.InstanceID, owned)
	}
	ours := map[string]string{}
	for _, m := range d.Members {
		if !members && m.Partitions == 0 {
			continue
		}
		if !members {
			m.Instance = ""
		}
		ours[m.ID] = fmt.Sprintf("/%s %s %q %v", m.Host, m.ClientID, m.Instance, m.Assignment)
	}
	if !maps.Equal(ours, theirs) {
		t.Errorf("members\n%v\nthe tool says\n%v\n%s", ours, theirs, text)
	}
	if !lags {
		return
	}
	if len(g.Topics) != len(d.Topics) {
		t.Errorf("%d topics\n%s", len(d.Topics), text)
		return
	}
	for i, topic := range d.Topics {
		if topic.Topic != g.Topics[i].Name || len(topic.Partitions) != int(g.Topics[i].Partitions) {
			t.Errorf("%s has %d partitions\n%s", topic.Topic, len(topic.Partitions), text)
			continue
		}
		for p, lag := range g.Topics[i].Lag {
			if !equal(topic.Partitions[p].Lag, lag, lag >= 0) {
				t.Errorf("%s:%d lags %s\n%s", topic.Topic, p, show(nil, topic.Partitions[p].Lag), text)
			}
		}
	}
}
