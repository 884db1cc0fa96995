package bench

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/golden"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// Results that somebody has kept are of the same workloads as later ones: what happens in them with a seed is written down, the beginning
// in words and all of it as a sum.
func TestHistories(t *testing.T) {
	const shown = 12
	var b strings.Builder
	for _, w := range All() {
		q, err := w.New(1)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for i, e := range q.Scenario.Events {
			at := time.Duration(0)
			if q.At != nil {
				at = q.At[i]
			}
			lines = append(lines, fmt.Sprintf("%v %v", at, everything(e)))
		}
		group := facts(q.Scenario.Group.Members, q.Scenario.Group.Topics)
		fmt.Fprintf(&b, "%s: %d members, %d events, %.6x\n", w.Name, len(q.Scenario.Group.Members), len(lines),
			sha256.Sum256([]byte(group+strings.Join(lines, "\n"))))
		if q.At == nil {
			continue
		}
		for i, e := range q.Scenario.Events[:min(len(lines), shown)] {
			fmt.Fprintf(&b, "  %v %v\n", q.At[i], e)
		}
	}
	golden.Check(t, "testdata/histories.txt", b.String())
}

// everything is an event with all that it names.
func everything(e simulation.Event) string {
	c, ok := e.(simulation.Change)
	if !ok {
		return fmt.Sprintf("%+v", e)
	}
	return fmt.Sprintf("%s %v %s %s", c.Label, c.Leave, facts(c.Set, nil), facts(c.Join, c.Topics))
}

// facts are what workloads say of members and topics.
func facts(members []strategy.Member, topics []strategy.Topic) string {
	var b strings.Builder
	for _, m := range members {
		fmt.Fprintf(&b, "%s %q %q %q %d %v %v\n", m.ID, m.InstanceID, m.Rack, m.Topics, m.Capacity, m.Draining, m.Labels)
	}
	for _, t := range topics {
		fmt.Fprintf(&b, "%s %d %q\n", t.Name, t.Partitions, t.Racks)
	}
	return b.String()
}

// What happens within 3 s of the first of it is one event, whoever comes and goes.
func TestWindow(t *testing.T) {
	tests := []struct {
		name  string
		turns []string // when, in seconds, and what
		want  []string
	}{
		{"a window is counted from its beginning", []string{"0 -1", "2 -2", "4 -3", "6 -4"}, []string{"0s leave pod-1, pod-2", "4s leave pod-3, pod-4"}},
		{"its end is part of it", []string{"1 -1", "4 -2", "5 -3"}, []string{"1s leave pod-1, pod-2", "5s leave pod-3"}},
		{"who is back at once is another", []string{"0 -1", "1 +1"}, []string{"0s leave pod-1; join pod-1~2"}},
		{"who is gone at once has never been there", []string{"0 -1", "5 +1", "6 -1", "9 -2"}, []string{"0s leave pod-1", "9s leave pod-2"}},
		{"static members return for themselves", []string{"0 -1", "1 =2", "2 =3"}, []string{"0s restart pod-2, pod-3", "0s leave pod-1"}},
	}
	for _, test := range tests {
		p := newPods(1, 1, 4)
		for _, turn := range test.turns {
			var at, i int
			var what rune
			if _, err := fmt.Sscanf(turn, "%d %c%d", &at, &what, &i); err != nil {
				t.Fatal(err)
			}
			p.after(time.Duration(at)*time.Second, func() {
				switch what {
				case '-':
					p.leave(p.members[i-1].ID)
				case '+':
					p.start(i-1, true)
				case '=':
					p.returned(p.members[i-1].ID)
				}
			})
		}
		q := p.sequence(deployedTopics())
		var got []string
		for i, e := range q.Scenario.Events {
			got = append(got, fmt.Sprintf("%v %v", q.At[i], e))
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Static members that are back in time are not missed; later than that they have left.
func TestStatic(t *testing.T) {
	missed, kept := 0, 0
	for seed := range uint64(40) {
		q := rolling(seed, true, deployed)
		for _, e := range q.Scenario.Events {
			switch e := e.(type) {
			case simulation.Restart:
				kept += len(e.Members)
			case simulation.Change:
				missed += len(e.Leave)
				for _, m := range e.Join {
					if m.InstanceID != m.ID {
						t.Errorf("seed %d: %s has the instance id %q", seed, m.ID, m.InstanceID)
					}
				}
			}
		}
	}
	if all := 40 * deployed; missed == 0 || missed > all/50 || missed+kept != all {
		t.Errorf("of %d, %d were missed and %d were not", all, missed, kept)
	}
}

// How long pods are down has the median and the 95th percentile that are said.
func TestDown(t *testing.T) {
	p := newPods(1, 1, 1)
	list := make([]time.Duration, 20_001)
	for i := range list {
		list[i] = p.down()
	}
	slices.Sort(list)
	if m, h := list[len(list)/2].Seconds(), list[len(list)*95/100].Seconds(); m < 14.7 || m > 15.3 || h < 34 || h > 36 {
		t.Errorf("the median is %v s, the 95th percentile %v s", m, h)
	}
}
