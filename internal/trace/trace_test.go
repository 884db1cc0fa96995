package trace_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/assignkit/assignkit/internal/golden"
	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

const recorded = "testdata/rebalances.jsonl"

// history is what two members write of three generations: a alone, b joins, and the follow-up round in which it gets its partitions.
func history(t *testing.T) []*trace.Rebalance {
	assignor := strategy.Cooperative(sticky.Assignor{})
	began := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	topics := []strategy.Topic{{Name: "orders", Partitions: 4, Racks: [][]string{{"r1"}, {"r2"}, {"r1"}, {"r2"}}}, {
		Name: "pay", Partitions: 1, Weights: []float64{2.5}, LeaderRacks: []string{"r1"}, Signals: map[string][]float64{"lag": {12}, "temperature": {-1.5}},
	}}
	members := []strategy.Member{
		{ID: "a", Topics: []string{"orders", "pay"}, Generation: strategy.NoGeneration, Labels: map[string]string{"tier": "gold"}, UserData: []byte("not recorded"), Uptime: 90 * time.Second, Signals: map[string]float64{"cpu": 0.5}},
		{ID: "b-1", InstanceID: "b", Rack: "r2", Capacity: 2, Topics: []string{"orders"}, Generation: strategy.NoGeneration},
	}
	var lines []*trace.Rebalance
	owned := map[string][]strategy.TopicPartitions{}
	for i, present := range []int{1, 2, 2} {
		generation := int32(i + 1)
		g := &strategy.Group{Name: "billing", Generation: generation, Leader: "a", Topics: topics, Members: slices.Clone(members[:present])}
		a, err := assignor.Assign(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		for k := present - 1; k >= 0; k-- {
			m := &members[k]
			r := &trace.Rebalance{
				Time: began.Add(time.Duration(i) * time.Second), Group: "billing", Generation: generation, Assignor: "cooperative-sticky", Mode: "cooperative",
				Reason: "a member <joined>", Member: m.ID, Instance: m.InstanceID, Leader: k == 0, LeaderID: "a", JoinedMS: 1.5, TookMS: 3,
				Assigned: a.Members[m.ID],
			}
			if k == 0 {
				r.SetPlan(g, &a, 1500*time.Microsecond)
				r.Spec, r.Failures = "sticky?cooperative", []trace.Failure{{Assignor: "mine", Cause: "panic", Error: "panic: \x1b[31m"}}
			}
			switch {
			case i == 1 && k == 0:
				r.Removed = trace.Partitions{{Topic: "orders", Partitions: []int32{1, 2, 3}}}
				r.Callbacks = []trace.Callback{{Callback: "revoke", Partitions: r.Removed, MS: 1}}
			case i == 2 && k == 0: // it has lost all it had, and gets it again
				r.Added, r.Removed = r.Assigned, owned[m.ID]
				r.Callbacks = []trace.Callback{
					{Callback: "lost", Partitions: r.Removed, MS: 1.25, Error: "no time"},
					{Callback: "assign", Partitions: r.Added, MS: 0.25},
				}
			default:
				r.Added = r.Assigned
				r.Callbacks = []trace.Callback{{Callback: "assign", Partitions: r.Added, MS: 0.25}}
			}
			lines = append(lines, r)
		}
		for k := range members[:present] {
			m := &members[k]
			owned[m.ID] = a.Members[m.ID]
			m.Owned, m.Generation = a.Members[m.ID], generation
		}
	}
	return lines
}

func write(t *testing.T, lines []*trace.Rebalance) []byte {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b)
	for _, r := range lines {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func read(text []byte) (lines []*trace.Rebalance, err error) {
	for r, err := range trace.Read("t", bytes.NewReader(text)) {
		if err != nil {
			return lines, err
		}
		lines = append(lines, r)
	}
	return lines, nil
}

// TestGolden has the format stay what it is: other programs read it.
func TestGolden(t *testing.T) {
	golden.Check(t, recorded, write(t, history(t)))
}

func TestRoundTrip(t *testing.T) {
	lines := history(t)
	text := write(t, lines)
	if bytes.Contains(text, []byte("not recorded")) || bytes.Contains(text, []byte("bm90IHJlY29yZGVk")) {
		t.Error("user data is recorded")
	}
	got, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(lines) {
		t.Fatalf("%d lines, not %d", len(got), len(lines))
	}
	for i, r := range got {
		want := lines[i]
		if g, err := r.Strategy(); want.Leader != (err == nil) || errors.Is(err, trace.ErrNotLeader) == want.Leader || g != r.Asked {
			t.Errorf("line %d: the group %v, error %v", i+1, g, err)
		}
		if r.Asked != nil {
			withoutUserData := want.Asked.Clone()
			withoutUserData.Members[0].UserData = nil
			if !reflect.DeepEqual(r.Asked, withoutUserData) {
				t.Errorf("line %d: the group is\n%+v, and was\n%+v", i+1, r.Asked, withoutUserData)
			}
			for j := range want.Answer.Unassigned {
				want.Answer.Unassigned[j].For = "" // the next line tells who got it
			}
			if !reflect.DeepEqual(r.Answer.Unassigned, want.Answer.Unassigned) || !reflect.DeepEqual(r.Answer.Members["a"], want.Answer.Members["a"]) {
				t.Errorf("line %d: the answer is\n%+v, and was\n%+v", i+1, r.Answer, want.Answer)
			}
		}
		r.Asked, r.Answer, want.Asked, want.Answer = nil, nil, nil, nil
		if a, b := write(t, []*trace.Rebalance{r}), write(t, []*trace.Rebalance{want}); !bytes.Equal(a, b) {
			t.Errorf("line %d is\n%s, and was\n%s", i+1, a, b)
		}
	}
	if kept := got[1].Kept; len(kept) != 0 {
		t.Errorf("who comes has kept %v", kept)
	}
	if kept := got[2].Kept; !reflect.DeepEqual(kept, got[2].Assigned) {
		t.Errorf("who stays has kept %v", kept)
	}
	if lost := got[4].Lost; len(got[4].Kept) != 0 || !reflect.DeepEqual(lost, got[4].Removed) {
		t.Errorf("who lost everything has lost %v and kept %v", lost, got[4].Kept)
	}
}

const start = `{"v":1,"kind":"rebalance","time":"2026-01-02T03:04:05Z","group":"g","generation":4,"member":"a"`

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ text, says string }{
		{"{}", `t:1: is no line of a trace: there is no "v"`},
		{"\n \n[1]\n", "t:3:1: is no line of a trace: wants an object, not a list"},
		{"nonsense\n", "t:1:2: is no line of a trace: invalid character"},
		{`{"v":"1","kind":"rebalance"}`, `t:1:6: is no line of a trace: v: wants a whole number, not a string`},
		{`{"kind":"rebalance","x":[{"v":1}],"v":2}`, "t:1: the version of this line is not known: it is 2, and not 1"},
		{`{"v":1,"kind":"rebalance"}`, "t:1:1: time: is missing"},
		{`{"v":1,"kind":"rebalance","generation":"x"}`, "t:1:40: generation: wants a whole number, not a string"},
		{`{"v":1,"kind":"rebalance","generation":1.5}`, "t:1:40: generation: 1.5 is no whole number"},
		{`{"v":1,"kind":"rebalance","time":"yesterday"}`, `t:1:34: time: "yesterday" is no time`},
		{`{"v":1,"kind":"rebalance","leader":1}`, "t:1:36: leader: wants true or false, not a number"},
		{`{"v":1,"kind":"rebalance","joined_ms":1e999}`, "t:1:39: joined_ms: 1e999 is beyond what a number can be"},
		{start + `,"group":"h"}`, "t:1:97: group: stands twice"},
		{start + `,"assigned":{"t":[0, 3000000000]}}`, `t:1:117: assigned.t[1]: 3000000000 is no whole number`},
		{start + `,"assigned":{"T 1":[-1]}}`, `t:1:116: assigned["T 1"][0]: -1 is no partition`},
		{start + `,"added":{"t":[0],"t":[1]}}`, "added.t: stands twice"},
		{start + `,"added":[]}`, "added: wants an object, not a list"},
		{start + `,"callbacks":[{"callback":"assign"},{"partitions":{"t":{}}}]}`, "callbacks[1].partitions.t: wants a list, not an object"},
		{start + `,"asked":{"topics":{"t":1}}}`, "t:1:105: asked: members: is missing"},
		{start + `,"asked":{"topics":{"t":1},"members":[{"id":"a","capacity":-1}]}}`, "asked: members[0].capacity: -1 is not within"},
		{start + `,"answer":{"assignment":{"a":{"t":["x"]}}}}`, "answer.assignment.a.t[0]: wants a whole number, not a string"},
	} {
		_, err := read([]byte(test.text))
		var e *trace.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, and not %s", test.text, err, test.says)
		}
		if newer := strings.Contains(test.text, `"v":2`); errors.Is(err, trace.ErrVersion) != newer {
			t.Errorf("%s: %v", test.text, err)
		}
	}
}

func TestReadPassesOver(t *testing.T) {
	text := "\xef\xbb\xbf\r\n" + `{"v":1,"kind":"another","group":3}` + "\r\n\n" + start + `,"GROUP":"h","later":{"t":[1,{}]},"asked":null,"answer":null,"added":null}` + "\n"
	lines, err := read([]byte(text))
	if err != nil || len(lines) != 1 || lines[0].Group != "g" || lines[0].Asked != nil || lines[0].Answer != nil {
		t.Errorf("%v, %v", lines, err)
	}
}

// TestCut has the last line end anywhere, as that of a writer that was killed.
func TestCut(t *testing.T) {
	text := write(t, history(t)[:2])
	second := bytes.IndexByte(text, '\n') + 1
	for end := second + 1; end < len(text)-1; end++ {
		lines, err := read(text[:end])
		var e *trace.Error
		if len(lines) != 1 || !errors.Is(err, trace.ErrCut) || !errors.As(err, &e) || e.Line != 2 {
			t.Fatalf("up to %s: %d lines, %v", text[second:end], len(lines), err)
		}
	}
	if lines, err := read(text[:len(text)-1]); len(lines) != 2 || err != nil {
		t.Errorf("without the last line's end: %d lines, %v", len(lines), err)
	}
	if _, err := read(append(bytes.Clone(text[:second+9]), '\n')); err == nil || errors.Is(err, trace.ErrCut) {
		t.Errorf("a line that ended: %v", err)
	}
}

func TestReadPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken cable")
	text := write(t, history(t)[:1])
	for half := range 2 {
		in := io.MultiReader(bytes.NewReader(text), strings.NewReader(strings.Repeat(start, half)), iotest.ErrReader(broken))
		n := 0
		var last error
		for _, err := range trace.Read("t", in) {
			if last = err; err == nil {
				n++
			}
		}
		if n != 1 || !errors.Is(last, broken) {
			t.Errorf("%d lines, %v", n, last)
		}
	}
	endless := trace.Read("t", io.MultiReader(strings.NewReader(`{"v":1,"x":"`), spaces{}))
	for _, err := range endless {
		if err == nil || !strings.Contains(err.Error(), "t:1: the line is longer than 67108864 bytes") {
			t.Errorf("an endless line: %v", err)
		}
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// calls counts calls of Write, and fails if one is not a line.
type calls struct {
	mu    sync.Mutex
	t     *testing.T
	lines int
}

func (c *calls) Write(p []byte) (int, error) {
	if !c.mu.TryLock() {
		c.t.Error("two calls at a time")
		return len(p), nil
	}
	defer c.mu.Unlock()
	if c.lines++; bytes.IndexByte(p, '\n') != len(p)-1 {
		c.t.Errorf("a call with %q", p)
	}
	return len(p), nil
}

func TestWriterWritesLinesWholly(t *testing.T) {
	out := &calls{t: t}
	w := trace.NewWriter(out)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := w.Write(&trace.Rebalance{Group: "two\nlines", Member: strings.Repeat("m", 10_000)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if out.lines != 160 {
		t.Errorf("%d calls", out.lines)
	}
}

func TestWriterFails(t *testing.T) {
	full := errors.New("no space left")
	r, w := io.Pipe()
	r.CloseWithError(full)
	if err := trace.NewWriter(w).Write(&trace.Rebalance{Group: "g", Generation: 3}); !errors.Is(err, full) || !strings.Contains(err.Error(), `generation 3 of group "g"`) {
		t.Errorf("%v", err)
	}
	if err := trace.NewWriter(w).Write(&trace.Rebalance{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil || errors.Is(err, full) {
		t.Errorf("a time that cannot be written: %v", err)
	}
}

// FuzzRead has what is read mean the same once it is written.
func FuzzRead(f *testing.F) {
	text, err := os.ReadFile(recorded)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for line := range bytes.Lines(text) {
		f.Add(line)
	}
	f.Add([]byte(start + `,"asked":{"topics":{"t":2},"members":[{"id":"a","owned":{"t":[7]}}]},"answer":{"assignment":{"b":{"u":[1,1]}},"unassigned":{"x":{"t":[0]}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, _ := read(text)
		for _, r := range lines {
			if g, err := r.Strategy(); err == nil {
				if err := g.Check(); err != nil {
					t.Errorf("a group that makes no sense: %v", err)
				}
			}
		}
		once := write(t, lines)
		again, err := read(once)
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		if twice := write(t, again); !bytes.Equal(once, twice) {
			t.Errorf("written\n%s\nand read and written\n%s", once, twice)
		}
	})
}
