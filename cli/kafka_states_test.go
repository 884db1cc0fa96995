//go:build kafka

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// testStates looks at groups that are not as one would have them.
func (s *suite) testStates(t *testing.T) {
	t.Run("missing", s.testMissing)
	t.Run("rebalance", s.testRebalance)
	t.Run("empty", s.testEmpty)
	t.Run("assert", s.testAssertOwned)
}

// fails runs a command that has to fail with a message, before it has printed anything.
func (s *suite) fails(t *testing.T, message string, args ...string) {
	t.Helper()
	if a := s.run(t, args...); a.code != exitError || a.out != "" || !strings.Contains(a.errs, message) {
		t.Errorf("%q: exit code %d, %s%s\nwanted %q", args, a.code, a.errs, a.out, message)
	}
}

// A name that is no group's is an error, whether or not a topic has it.
func (s *suite) testMissing(t *testing.T) {
	s.fails(t, `group "frantz" does not exist; did you mean "franz"?`, "group", "describe", "frantz")
	s.fails(t, `group "orders" does not exist`, "group", "describe", "orders", "--assert-owned")
	s.fails(t, `group "orders" does not exist`, "simulate", "--group", "orders", "--join", "1")
}

// A group of which a member takes its time to join again is waited for, as long as it may.
func (s *suite) testRebalance(t *testing.T) {
	s.outside.Create(t, "slow", 4)
	let := make(chan struct{})
	release := sync.OnceFunc(func() { close(let) })
	defer release() // before the cleanups, as the member could not leave else
	first := s.franz(t, "slow", "first", kgo.ConsumeTopics("slow"), kgo.Balancers(kgo.RangeBalancer()),
		kgo.OnPartitionsRevoked(func(context.Context, *kgo.Client, map[string][]int32) { <-let }))
	s.settled(t, "slow", 1)
	s.franz(t, "slow", "second", kgo.ConsumeTopics("slow"), kgo.Balancers(kgo.RangeBalancer()))
	s.waits(t, "slow", "PreparingRebalance", release)
	if _, generation := first.GroupMetadata(); generation < 2 {
		t.Errorf("generation %d", generation)
	}
}

// waits checks that a group in a state that does not last is waited for, and no longer than is said, and lets it settle with two members.
func (s *suite) waits(t *testing.T, group, state string, settle func()) {
	t.Helper()
	s.until(t, func(a answer) bool { return a.code == exitError && strings.Contains(a.errs, "("+state+")") }, "group", "describe", group, "--wait", "0")
	type result struct {
		args []string
		answer
	}
	results := make(chan result, 2)
	for _, args := range [][]string{
		{"group", "describe", group, "--assert-owned", "-o", "json", "--wait", patience.String()},
		{"simulate", "--group", group, "--join", "1", "-o", "json"}, // waits for 30 s
	} {
		go func() { results <- result{args, s.run(t, args...)} }()
	}
	began := time.Now()
	s.fails(t, fmt.Sprintf("group %q is rebalancing (%s) and has not come to rest within 1s", group, state), "group", "describe", group, "-o", "json", "--wait", "1s")
	if took := time.Since(began); took < time.Second || took > 20*time.Second {
		t.Errorf("--wait 1s took %v", took)
	}
	select {
	case r := <-results:
		t.Errorf("%q has not waited: %+v", r.args, r.answer)
		results <- r
	default:
	}
	settle()
	for range 2 {
		if r := <-results; r.code != exitOK {
			t.Errorf("%q: exit code %d: %s", r.args, r.code, r.errs)
		} else if r.args[0] == "group" {
			if d := decoded[described](t, r.out); len(d.Members) != 2 || len(d.owners()) != 4 || d.State != "Stable" {
				t.Errorf("%s", r.out)
			}
		}
	}
}

// A group whose members have left is one of which nobody consumes anything, from which a preview can start all the same.
func (s *suite) testEmpty(t *testing.T) {
	cl := s.franz(t, "left", "left", kgo.ConsumeTopics(both...))
	d := s.settled(t, "left", 1)
	commitOwned(t, cl, &d.Members[0])
	cl.Close()
	args := []string{"group", "describe", "left", "-o", "json"}
	s.until(t, func(a answer) bool { return a.code == exitOK && len(decoded[described](t, a.out).Members) == 0 }, args...)
	d = s.describe(t, "left")
	if d.State != "Empty" || d.Type != "classic" || d.Balance != nil || len(d.Topics) != 2 || d.Lag == 0 || fmt.Sprint(d.Unconsumed) != "map[orders:[0 1 2 3 4 5 6] payments:[0 1 2 3]]" {
		t.Errorf("%+v", d)
	}
	if out := s.ok(t, "group", "list", "-o", "wide"); !slices.ContainsFunc(lines(out), func(row []string) bool {
		return strings.Join(row, " ") == "left "+s.Addrs()[0]+" (0) classic consumer - Empty 0"
	}) {
		t.Errorf("no row of left in\n%s", out)
	}
	a := s.run(t, "group", "describe", "left", "--assert-owned")
	if want := "assignctl: group left has no members; nobody consumes orders:0-6 payments:0-3\n"; a.code != exitAssertion || a.errs != want ||
		!strings.Contains(a.out, "the group has no members\nNOBODY CONSUMES orders:0-6 payments:0-3\n") {
		t.Errorf("exit code %d, %s%s", a.code, a.errs, a.out)
	}
	s.fails(t, "group left has no members; have some join with --join N", "simulate", "--group", "left")
	r := decoded[simulated](t, s.ok(t, "simulate", "--group", "left", "--join", "2", "-o", "json")).Results[0]
	if last := r.Steps[len(r.Steps)-1]; last.Metrics.Members != 2 || last.Metrics.Partitions != 11 || len(last.Unassigned) != 0 {
		t.Errorf("%+v", r)
	}

	// One that somebody only committed for.
	s.commit(t, "committed", "payments")
	d = s.describe(t, "committed")
	if d.State != "Empty" || d.ProtocolType != "" || d.Strategy != "" || len(d.Topics) != 1 || len(d.Topics[0].Partitions) != 4 {
		t.Errorf("%+v", d)
	}
}

// Partitions that are added belong to nobody until a member hears of them. Groups that have everything pass.
func (s *suite) testAssertOwned(t *testing.T) {
	s.outside.Create(t, "grown", 2)
	s.franz(t, "grown", "grown", kgo.ConsumeTopics("grown"), kgo.MetadataMaxAge(time.Hour))
	s.settled(t, "grown", 1)
	if out := s.ok(t, "group", "describe", "grown", "--assert-owned", "-o", "json"); len(decoded[described](t, out).owners()) != 2 {
		t.Errorf("%s", out)
	}
	if err := s.outside.Admin.CreatePartitions("grown", 5, nil, false); err != nil {
		t.Fatal(err)
	}
	a := s.until(t, func(a answer) bool { return a.code != exitOK }, "group", "describe", "grown", "--assert-owned")
	if want := "assignctl: group grown: nobody consumes 3 partitions: grown:2-4\n"; a.code != exitAssertion || a.errs != want || !strings.Contains(a.out, "\nNOBODY CONSUMES grown:2-4\n") {
		t.Errorf("exit code %d, %s%s", a.code, a.errs, a.out)
	}
	r := decoded[simulated](t, s.ok(t, "simulate", "--group", "grown", "-o", "json")).Results[0]
	if len(r.before()) != 5 || r.Steps[0].Metrics.Placed != 3 || len(r.Steps[0].Moved) != 0 {
		t.Errorf("%+v", r)
	}
}
