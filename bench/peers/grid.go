package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/bench"
)

// gridTimes is how much faster our cooperative sticky is to be, in the median over the groups of the grid, than each of the assignors of
// that name of gridLibraries. It is to be slower than one of them on no group.
const gridTimes = 10

var gridLibraries = []string{"franz-go", "java"}

const gridAssignor = "cooperative-sticky"

// warmUp lets the Java process see the first group of each kind of subscriptions for a second, so that no group is timed while its compiler
// is busy. That is not done again where the process has to be replaced.
func warmUp(ctx context.Context, cases []Case, peers []Peer, l limits) error {
	l.Warm, l.Calls = time.Second, 1
	seen := map[bench.Subscriptions]bool{}
	for _, c := range cases {
		if seen[c.Shape.Subscriptions] || c.Phase != "join" {
			continue
		}
		seen[c.Shape.Subscriptions] = true
		for i := range peers {
			if !peers[i].Outside {
				continue
			}
			if _, err := ask(ctx, &peers[i], c, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// presume returns the result of a peer that a smaller group of the same kind was too much for. It is not waited for again.
func (r *report) presume(p *Peer, c Case) (Result, bool) {
	for i := range r.Tables {
		t := &r.Tables[i]
		if !t.Case.smaller(c) {
			continue
		}
		if was := t.result(p.Library, p.Assignor); was != nil && !was.Presumed && (was.Status == Late || was.Status == Memory) {
			return Result{
				Library: p.Library, Assignor: p.Assignor, Status: was.Status, Presumed: true,
				Detail: fmt.Sprintf("not asked: on %s, %s", describe(t.Case), was.Detail),
			}, true
		}
	}
	return Result{}, false
}

// A standing is how one peer compares with ours over the groups of a run: cooperative assignors with our cooperative one, others with our
// eager one.
type standing struct {
	Library  string `json:"library"`
	Assignor string `json:"assignor"`

	Valid    int `json:"valid"`    // groups with right answers, which are compared
	Late     int `json:"late"`     // groups that took it too long
	Presumed int `json:"presumed"` // of those, groups that it was not asked about
	Wrong    int `json:"wrong"`    // groups with wrong answers, or none for any other reason
	Varying  int `json:"varying"`  // groups with different answers to the same question

	Better int `json:"better"` // groups on which its best answer is more even than our worst, or as even with fewer moves
	Worse  int `json:"worse"`  // groups on which its worst answer is less even than our best, or as even with more moves

	// How many times our time it takes, fastest call against fastest call, at least where it was late. Groups that it was not asked about do
	// not count.
	Timed   int     `json:"timed"` // groups that do
	Median  float64 `json:"median_times"`
	Least   float64 `json:"least_times"`
	LeastOn Case    `json:"least_on"`
	Slower  int     `json:"slower"` // groups on which ours is slower
}

// summarize compares each peer with ours.
func (r *report) summarize() []standing {
	if len(r.Tables) == 0 {
		return nil
	}
	var list []standing
	for _, peer := range r.Tables[0].Results {
		if peer.Library != ours {
			list = append(list, r.standing(peer.Library, peer.Assignor))
		}
	}
	return list
}

func (r *report) standing(library, assignor string) standing {
	s := standing{Library: library, Assignor: assignor}
	var times []float64
	for i := range r.Tables {
		t := &r.Tables[i]
		peer, our := t.result(library, assignor), t.match(assignor)
		if peer == nil || our == nil || our.Status != Valid {
			continue
		}
		s.count(peer, our)
		x, ok := slower(peer, our, r.Limits)
		if !ok {
			continue
		}
		times = append(times, x)
		if len(times) == 1 || x < s.Least {
			s.Least, s.LeastOn = x, t.Case
		}
		if x < 1 {
			s.Slower++
		}
	}
	if s.Timed = len(times); s.Timed > 0 {
		slices.Sort(times)
		s.Median = times[len(times)/2]
	}
	return s
}

func (s *standing) count(peer, our *Result) {
	if peer.Distinct > 1 {
		s.Varying++
	}
	switch peer.Status {
	case Valid:
		s.Valid++
		if peer.Best.compare(our.Worst) < 0 {
			s.Better++
		}
		if peer.Worst.compare(our.Best) > 0 {
			s.Worse++
		}
	case Late:
		s.Late++
		if peer.Presumed {
			s.Presumed++
		}
	default:
		s.Wrong++
	}
}

// match is the result of ours that a peer's assignor is compared with.
func (t *table) match(assignor string) *Result {
	if strings.HasPrefix(assignor, "cooperative-") {
		return t.result(ours, "cooperative-sticky")
	}
	return t.result(ours, "sticky")
}

// slower is how many times our time a peer takes; one that was late takes at least its limit. It is not ok where there is nothing to compare.
func slower(peer, our *Result, l limits) (times float64, ok bool) {
	if our.Status != Valid || our.Fastest <= 0 {
		return 0, false
	}
	switch peer.Status {
	case Valid:
		return float64(peer.Fastest) / float64(our.Fastest), true
	case Late:
		return float64(l.Time) / float64(our.Fastest), !peer.Presumed
	}
	return 0, false
}

// gridVerdict compares the speed of ours with that of a library over the grid.
func gridVerdict(r *report, library string) verdict {
	v := verdict{
		Target:  fmt.Sprintf("over the grid, at least %d × as fast as %s's %s in the median, and never slower", gridTimes, library, gridAssignor),
		Outcome: outcomeUnknown, Detail: "not in this run",
	}
	i := slices.IndexFunc(r.Summary, func(s standing) bool { return s.Library == library && s.Assignor == gridAssignor })
	if i < 0 {
		return v
	}
	switch s := &r.Summary[i]; {
	case s.Timed == 0:
		v.Detail = "no answer to compare with"
	case s.Median < gridTimes || s.Slower > 0:
		v.Outcome, v.Detail = outcomeMissed, s.speed()
	default:
		v.Outcome, v.Detail = outcomeReached, s.speed()
	}
	return v
}

func (s *standing) speed() string {
	return fmt.Sprintf("%s ×; least %s × (%s); slower on %d of %d groups", number(s.Median), number(s.Least), s.LeastOn, s.Slower, s.Timed)
}
