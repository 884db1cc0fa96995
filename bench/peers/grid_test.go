package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/bench"
)

// Of groups that differ in size only the smaller ones come first, and a peer that they are too much for is not asked again.
func TestGridCasesAscend(t *testing.T) {
	list := gridCases()
	if len(list) != len(bench.Grid())*7 {
		t.Errorf("%d cases", len(list))
	}
	pairs := 0
	for i, c := range list {
		for k, other := range list {
			if c.smaller(other) {
				if pairs++; k < i {
					t.Errorf("%s stands behind %s", c, other)
				}
			}
		}
	}
	if pairs == 0 {
		t.Error("no case is smaller than another")
	}
}

func TestSmaller(t *testing.T) {
	c := Case{bench.Shape{Topics: 10, Partitions: 100, Members: 20, Subscriptions: bench.Equal}, "join"}
	change := func(f func(c *Case)) Case {
		other := c
		f(&other)
		return other
	}
	for _, x := range []struct {
		other Case
		want  bool
	}{
		{c, false},
		{change(func(c *Case) { c.Shape.Members = 200 }), true},
		{change(func(c *Case) { c.Shape.Topics, c.Shape.Partitions = 100, 10 }), true},
		{change(func(c *Case) { c.Shape.Topics, c.Shape.Partitions = 100, 9 }), false},
		{change(func(c *Case) { c.Shape.Members, c.Phase = 200, "leave" }), false},
		{change(func(c *Case) { c.Shape.Members, c.Shape.Skewed = 200, true }), false},
		{change(func(c *Case) { c.Shape.Members, c.Shape.Subscriptions = 200, bench.Nested }), false},
	} {
		if got := c.smaller(x.other); got != x.want {
			t.Errorf("smaller than %s: %v", x.other, got)
		}
	}
}

// gridReport has a small group and a large one. peer is what became of a cooperative peer on the small one.
func gridReport(peer Result) (r report, larger Case) {
	larger = tiny
	larger.Shape.Members *= 2
	peer.Library, peer.Assignor = "franz-go", "cooperative-sticky"
	our := Result{Library: ours, Assignor: "cooperative-sticky", Status: Valid, Fastest: time.Millisecond, Distinct: 1}
	r = report{Limits: limits{Time: time.Second}, Tables: []table{{tiny, []Result{our, peer}}}}
	return r, larger
}

func TestPresume(t *testing.T) {
	p := &Peer{Library: "franz-go", Assignor: "cooperative-sticky"}
	for status, want := range map[Status]bool{Late: true, Memory: true, Valid: false, Invalid: false} {
		r, larger := gridReport(Result{Status: status, Detail: "no answer in 1s"})
		got, ok := r.presume(p, larger)
		if ok != want || ok && (got.Status != status || !got.Presumed || !strings.HasSuffix(got.Detail, "no answer in 1s")) {
			t.Errorf("%s: %v, %+v", status, ok, got)
		}
		if _, ok := r.presume(p, tiny); ok {
			t.Errorf("%s: not asked on a group that is no larger", status)
		}
		if _, ok := r.presume(&Peer{Library: "java", Assignor: "cooperative-sticky"}, larger); ok {
			t.Errorf("%s: another peer is not asked", status)
		}
	}
}

func TestStandingAndVerdict(t *testing.T) {
	valid := func(took time.Duration, q Quality) Result {
		return Result{Status: Valid, Fastest: took, Best: q, Worst: q, Distinct: 1}
	}
	for name, c := range map[string]struct {
		peer    Result
		want    standing
		outcome string
	}{
		"fast enough": {valid(20*time.Millisecond, Quality{}), standing{Valid: 1, Timed: 1, Median: 20, Least: 20}, outcomeReached},
		"too slow":    {valid(9*time.Millisecond, Quality{}), standing{Valid: 1, Timed: 1, Median: 9, Least: 9}, outcomeMissed},
		"slower":      {valid(time.Millisecond/2, Quality{}), standing{Valid: 1, Timed: 1, Median: 0.5, Least: 0.5, Slower: 1}, outcomeMissed},
		"better":      {valid(20*time.Millisecond, Quality{Regret: -1}), standing{Valid: 1, Timed: 1, Median: 20, Least: 20, Better: 1}, outcomeReached},
		"worse":       {valid(20*time.Millisecond, Quality{0, 1}), standing{Valid: 1, Timed: 1, Median: 20, Least: 20, Worse: 1}, outcomeReached},
		"late":        {Result{Status: Late}, standing{Late: 1, Timed: 1, Median: 1000, Least: 1000}, outcomeReached},
		"not asked":   {Result{Status: Late, Presumed: true}, standing{Late: 1, Presumed: 1}, outcomeUnknown},
		"wrong":       {Result{Status: Invalid, Distinct: 2}, standing{Wrong: 1, Varying: 1}, outcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := gridReport(c.peer)
			r.Summary = r.summarize()
			want := c.want
			want.Library, want.Assignor = "franz-go", "cooperative-sticky"
			if want.Median > 0 {
				want.LeastOn = tiny
			}
			if len(r.Summary) != 1 || r.Summary[0] != want {
				t.Errorf("got %+v, want %+v", r.Summary, want)
			}
			if v := gridVerdict(&r, "franz-go"); v.Outcome != c.outcome {
				t.Errorf("%+v", v)
			}
			if v := gridVerdict(&r, "java"); v.Outcome != outcomeUnknown {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestRunGrid(t *testing.T) {
	args := []string{"-grid", "-calls", "1", "-peers", "franz-go/cooperative-sticky", "-shapes", "equal/topics=10/partitions=1000/members=20/step=(fresh|join)$"}
	var out, complaints bytes.Buffer
	if code := run(t.Context(), args, &out, &complaints); code != exitOK {
		t.Fatalf("exit %d: %s", code, &complaints)
	}
	for _, want := range []string{
		"\n| equal/topics=10/partitions=1000/members=20/step=join | ", "\n| franz-go | cooperative-sticky | 2 | 0 (0) | 0 | ",
		"\n| over the grid, at least 10 × as fast as franz-go's cooperative-sticky in the median, and never slower | ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the output:\n%s", want, &out)
		}
	}
	out.Reset()
	if code := run(t.Context(), append(args, "-o", "json"), &out, &complaints); code != exitOK {
		t.Fatalf("exit %d: %s", code, &complaints)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tables) != 2 || len(r.Summary) != 1 || r.Summary[0].Valid != 2 || r.Summary[0].Better != 0 || r.Tables[0].Results[2].Fastest <= 0 {
		t.Errorf("got %+v", r)
	}
}
