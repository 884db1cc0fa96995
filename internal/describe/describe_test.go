package describe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
	"github.com/assignkit/assignkit/strategy"
)

// TestTexts reads each text in testdata and compares with the file beside it.
func TestTexts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			groups, err := Read(filepath.Base(file), f)
			got := show(groups)
			if err != nil {
				got = err.Error() + "\n"
			}
			golden.Check(t, strings.TrimSuffix(file, ".txt")+".golden", got)
		})
	}
}

// show writes groups for people.
func show(groups []Group) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "group %q generation %d\n", g.Name, g.Generation)
		for _, t := range g.Topics {
			fmt.Fprintf(&b, "  topic %s %d", t.Name, t.Partitions)
			if t.Lag != nil {
				fmt.Fprintf(&b, " lag %v", t.Lag)
			}
			b.WriteString("\n")
		}
		for _, m := range g.Members {
			fmt.Fprintf(&b, "  member %s %s %s %s %d", m.ID, m.InstanceID, m.Host, m.ClientID, m.Generation)
			for _, tp := range m.Owned {
				fmt.Fprintf(&b, " %s:%s", tp.Topic, strings.Trim(strings.ReplaceAll(fmt.Sprint(tp.Partitions), " ", ","), "[]"))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestOneText reads two tables of one group in both orders.
func TestOneText(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	members, offsets := read("billing.members.txt"), read("billing.offsets.txt")
	a, err := Read("a", strings.NewReader(members+offsets))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read("b", strings.NewReader(offsets+members))
	if err != nil {
		t.Fatal(err)
	}
	for _, groups := range [][]Group{a, b} { // members are in the order of the text
		slices.SortFunc(groups[0].Members, func(x, y Member) int { return strings.Compare(x.ID, y.ID) })
	}
	if show(a) != show(b) {
		t.Errorf("members first:\n%s\noffsets first:\n%s", show(a), show(b))
	}
	if alone, _ := Read("c", strings.NewReader(offsets)); len(alone) != 1 || len(alone[0].Members) != 3 || len(alone[0].Members[0].Owned) == 0 {
		t.Errorf("offsets alone: %s", show(alone))
	}
}

func TestStrategy(t *testing.T) {
	const text = `
GROUP  CONSUMER-ID  HOST  CLIENT-ID  #PARTITIONS  CURRENT-EPOCH  CURRENT-ASSIGNMENT  TARGET-EPOCH  TARGET-ASSIGNMENT
g      a            /h    c          2            7              t:0,2               7             t:0,2
g      b            /h    c          0            6              -                   7             u:0

GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID
g      t      0          5               12              7    a            /h    c
g      t      2          -               12              -    a            /h    c
g      u      0          1               1               0    -            -     -
`
	groups, err := Read("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all := groups[0].Strategy(AllTopics)
	if err := all.Check(); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%d %v %v", all.Generation, all.Topics, all.Members[1].Topics)
	if want := "8 [{t 3 [] [7 0 0] [] map[lag:[7 0 0]]} {u 1 [] [0] [] map[lag:[0]]}] [t u]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	owned := groups[0].Strategy(OwnedTopics)
	if a, b := owned.Members[0], owned.Members[1]; !slices.Equal(a.Topics, []string{"t"}) || b.Topics == nil || len(b.Topics) > 0 || a.Generation != 7 || b.Generation != 6 {
		t.Errorf("got %+v and %+v", a, b)
	}
}

// TestNoLag: a group that has caught up is balanced by numbers of partitions.
func TestNoLag(t *testing.T) {
	f, err := os.Open("testdata/billing.offsets.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	groups, err := Read("x", f)
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range groups[0].Strategy(AllTopics).Topics {
		if topic.Weights != nil {
			t.Errorf("%s weighs %v", topic.Name, topic.Weights)
		}
		if lags := topic.Signals[strategy.SignalLag]; len(lags) != int(topic.Partitions) || slices.Max(lags) > 0 {
			t.Errorf("%s: lags of %v", topic.Name, lags)
		}
	}
}

func TestDamaged(t *testing.T) {
	const header = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"
	const offsets = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
	for _, c := range []struct{ text, want string }{
		{"", "x: has no table of kafka-consumer-groups.sh --describe with --members --verbose, or of offsets"},
		{"\n\nhello\n", "x:3: is no table of kafka-consumer-groups.sh --describe, which begins with GROUP: hello"},
		{"\x00\x01", "x: is not a text file"},
		{"\xff", "x: is not a text file"},
		{"GROUP OF PEOPLE\n", "x:1: is the header of no table that is known: GROUP OF PEOPLE"},
		{"GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS\ng a h c 1\n", "x:1: shows members without what they have; describe with --members --verbose"},
		{"GROUP " + columns(40), "x:1: has more than 32 columns"},
		{"GROUP GROUP TOPIC\n", "x:1: column GROUP is there twice"},
		{header + "g a /h c\n", "x:2: does not fit under its header: g a /h c"},
		{header + "g a /h c 2 t(0)\n", "x:2: member a: #PARTITIONS is 2, and 1 are listed"},
		{header + "g a /h c 1 t(x)\n", `x:2: "x" is no number of a partition; those below 1000000 are read`},
		{header + "g a /h c 1 t(-1)\n", `x:2: "-1" is no number of a partition; those below 1000000 are read`},
		{header + "g a /h c 1 t(4000000000)\n", `x:2: "4000000000" is no number of a partition; those below 1000000 are read`},
		{header + "g a /h c 1 t\n", `x:2: "t" is not what a member has, as in orders:0,1,2;payments:3 or orders(0,1,2), payments(3)`},
		{header + "g a /h c 1 t(0)\ng a /h c 1 t(1)\n", "x:3: member a is listed twice"},
		{header + "- a /h c 1 t(0)\n", "x:2: names no group or no member"},
		{offsets + "g t x 1 1 0 a /h c\n", `x:2: "x" is no number of a partition; those below 1000000 are read`},
		{offsets + "g t 0 1 1 many a /h c\n", "x:2: LAG is a number or -, not many"},
		{offsets + "- t 0 1 1 0 a /h c\n", "x:2: names no group"},
		{"Error: Consumer group 'g' does not exist.\n", "x:1: the command failed: Consumer group 'g' does not exist."},
		{"Consumer group 'g' does not exist.\n", "x:1: the command failed: Consumer group 'g' does not exist."},
		{strings.Repeat("a", MaxLine+10), "x:1: is longer than 1048576 bytes"},
		{"GROUP CONSUMER-ID CURRENT-EPOCH CURRENT-ASSIGNMENT\ng a 99999999999 t:1\n", "x:2: CURRENT-EPOCH is a number or -, not 99999999999"},
	} {
		_, err := Read("x", strings.NewReader(c.text))
		if e, ok := errors.AsType[*Error](err); !ok || e.Error() != c.want {
			t.Errorf("%.60q: got %v, want %q", c.text, err, c.want)
		}
	}
}

func TestRebalancing(t *testing.T) {
	for text, want := range map[string]bool{
		"Warning: Consumer group 'g' is rebalancing.\n":                                                     true,
		"\nConsumer group 'g' is rebalancing.\n\nGROUP TOPIC PARTITION CONSUMER-ID\ng t 0 -\n":              true,
		"Consumer group 'g' has no active members.\n":                                                       false,
		"GROUP TOPIC PARTITION CONSUMER-ID\ng t 0 a\n":                                                      false,
		"Consumer group 'rebalancing' has no active members.\n\nGROUP TOPIC PARTITION\nrebalancing t 0\n\n": false,
	} {
		groups, err := Read("x", strings.NewReader(text))
		if err != nil || len(groups) != 1 || groups[0].Rebalancing != want {
			t.Errorf("%q: %+v, %v", text, groups, err)
		}
	}
}

func columns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "C%d ", i)
	}
	return b.String()
}

func TestTooManyPartitions(t *testing.T) {
	var b strings.Builder
	b.WriteString("GROUP TOPIC PARTITION LAG\n")
	for i := range 5 {
		fmt.Fprintf(&b, "g t%d 999999 0\n", i)
	}
	_, err := Read("x", strings.NewReader(b.String()))
	if want := "x:6: more than 4194304 partitions in all"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	p[0] = '\n'
	return len(p), nil
}

func TestEndless(t *testing.T) {
	if _, err := Read("x", endless{}); err == nil || err.Error() != "x: is larger than 64 MiB" {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		groups, err := Read("x", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, g := range groups {
			for _, s := range []Subscriptions{AllTopics, OwnedTopics} {
				group := g.Strategy(s)
				if _, err := strategy.Tabulate(&group); err != nil {
					t.Errorf("%q: %v", text, err)
				}
			}
		}
	})
}
