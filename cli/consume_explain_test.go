package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategy"
)

// printed is what a command that runs has printed.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// member runs assignctl consume until it is interrupted.
func member(t *testing.T, cluster *embedded.Cluster, more string) (out *printed, interrupt func()) {
	t.Helper()
	out = &printed{}
	var errs printed
	ctx, cancel := context.WithCancel(context.Background())
	args := strings.Fields("consume --brokers " + strings.Join(cluster.Addrs(), ",") + " --group g --topics orders --no-records --heartbeat 50ms " + more)
	ended := make(chan int, 1)
	go func() { ended <- Main(ctx, args, Streams{In: strings.NewReader(""), Out: out, Err: &errs}) }()
	var once sync.Once
	interrupt = func() {
		once.Do(func() {
			cancel()
			if code := <-ended; code != exitOK {
				t.Errorf("assignctl %v: exit %d, %s", args, code, errs.String())
			}
		})
	}
	t.Cleanup(interrupt)
	return out, interrupt
}

// told is a line of JSON that explains.
type told struct {
	Event       string
	Generation  int32
	Member      string
	Leader      string
	Strategy    string
	Explanation *strategy.Explanation
	More        int
}

func allTold(t *testing.T, text string) (list []told) {
	t.Helper()
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		var x told
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		if x.Event == "explain" {
			list = append(list, x)
		}
	}
	return list
}

// TestConsumeExplain has the leader of a group tell why partitions move, some of them and how many more, and the other member who knows.
func TestConsumeExplain(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 40})
	leads, end := member(t, cluster, "-o json --explain moved --explain orders:39 --explain orders:39")
	embeddedtest.Eventually(t, "the first member has all", func() bool { return strings.Contains(leads.String(), `"more":29`) })
	follows, endOther := member(t, cluster, "--explain moved")
	embeddedtest.Eventually(t, "the second member has some", func() bool { return strings.Contains(follows.String(), "+orders:") })
	endOther()
	end()

	if text := follows.String(); !strings.Contains(text, "explain assignctl-") || !strings.Contains(text, " leads and knows why; this member does not  generation 2\n") {
		t.Errorf("the second member says:\n%s", text)
	}
	asked, moved, withheld := 0, map[int32]int{}, 0
	for _, x := range allTold(t, leads.String()) {
		if x.Leader != "" {
			t.Errorf("the leader says that %s leads", x.Leader)
		}
		if x.Generation > 2 || x.Explanation == nil {
			continue
		}
		if e := x.Explanation; e.Partition == 39 {
			asked++
			if len(e.Members) != int(x.Generation) {
				t.Errorf("of the partition that was asked for, %d members are told", len(e.Members))
			}
			continue
		} else if e.Fate == strategy.FateWithheld {
			withheld++
			if e.Decided != strategy.ObjectiveBalance || e.Before != x.Member || e.For == "" || e.For == x.Member {
				t.Errorf("one that is withheld is told as %+v", e)
			}
		}
		moved[x.Generation]++
		if x.Strategy != "sticky?cooperative" || x.Explanation.Fate == strategy.FateKept {
			t.Errorf("one that moved is told as %+v", x)
		}
	}
	if asked != 2 || moved[1] != 10 || moved[2] != 10 || withheld != 10 {
		t.Errorf("told were %d that were asked for, %d and %d that moved, %d withheld:\n%s", asked, moved[1], moved[2], withheld, leads.String())
	}
}
