package strategytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// always makes the same assignor over and over.
func always(a strategy.Assignor) func() strategy.Assignor {
	return func() strategy.Assignor { return a }
}

// spoiled answers as good does and then has spoil change the answer.
func spoiled(spoil func(g *strategy.Group, a *strategy.Assignment)) func() strategy.Assignor {
	return always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
		a, err := good(ctx, g)
		if err == nil {
			spoil(g, &a)
		}
		return a, err
	}))
}

// some returns the first member that is given something.
func some(g *strategy.Group, a *strategy.Assignment) (id string, list []strategy.TopicPartitions) {
	for i := range g.Members {
		if list := a.Members[g.Members[i].ID]; len(list) > 0 {
			return g.Members[i].ID, list
		}
	}
	return "", nil
}

func TestGood(t *testing.T) {
	Run(t, always(assignorFunc(good)))
	if err := Check(always(strategy.Cooperative(assignorFunc(good)))); err != nil {
		t.Error(err)
	}
}

func TestBroken(t *testing.T) {
	for _, test := range []struct {
		name, rule, says string // what has to catch it, and a part of what it says
		options          Options
		make             func() strategy.Assignor
	}{
		{name: "has no name", rule: "name", says: "empty", make: always(named{})},
		{name: "has another name each time", rule: "name", says: "the name is", make: func() strategy.Assignor { return named{strconv.FormatUint(rand.Uint64(), 10)} }},
		{name: "cannot be made", rule: "name", says: "nil", make: func() strategy.Assignor { return nil }},
		{name: "order of a map", rule: "deterministic", says: "asked again", make: func() strategy.Assignor { return &turning{} }},
		{name: "order of members", rule: "deterministic", says: "in reverse", make: always(assignorFunc(memberOrder))},
		{name: "drops a partition", rule: "valid", says: "nobody gets it", make: spoiled(func(g *strategy.Group, a *strategy.Assignment) {
			if id, list := some(g, a); id != "" && len(list[0].Partitions) > 1 {
				list[0].Partitions = list[0].Partitions[1:]
			}
		})},
		{name: "assigns twice", rule: "valid", says: "is with", make: spoiled(func(g *strategy.Group, a *strategy.Assignment) {
			id, list := some(g, a)
			for i := range g.Members {
				if m := &g.Members[i]; m.ID != id && slices.Contains(m.Topics, "t") && id != "" && list[0].Topic == "t" {
					a.Members[m.ID] = list
					return
				}
			}
		})},
		{name: "a member that is not there", rule: "valid", says: "not in the group", make: spoiled(func(g *strategy.Group, a *strategy.Assignment) {
			a.Members["stranger"] = nil
		})},
		{name: "a topic not subscribed", rule: "valid", says: "does not subscribe", make: always(assignorFunc(everybody))},
		{name: "a partition that does not exist", rule: "valid", says: "has no partition", make: spoiled(func(g *strategy.Group, a *strategy.Assignment) {
			if id, list := some(g, a); id != "" {
				list[0].Partitions = append(list[0].Partitions, 1<<20)
			}
		})},
		{name: "forgets members without partitions", rule: "valid", says: "has no entry", make: spoiled(func(g *strategy.Group, a *strategy.Assignment) {
			for id, list := range a.Members {
				if len(list) == 0 {
					delete(a.Members, id)
				}
			}
		})},
		{name: "lies in Unassigned", rule: "valid", says: "it is not so", make: unassigning(strategy.ReasonDraining)},
		{name: "withholds although it is eager", rule: "valid", says: "no further round", make: unassigning(strategy.ReasonWithheld)},
		{name: "finds nobody eligible", rule: "reasons", says: `reason "ineligible"`, make: unassigning(strategy.ReasonIneligible)},
		{name: "has limits that are not its own", rule: "reasons", says: `reason "limit"`, options: Options{Ineligible: true}, make: limiting},
		{name: "sorts the members in place", rule: "input", says: "it is changed", make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			slices.SortFunc(g.Members, func(a, b strategy.Member) int { return b.Compare(&a) })
			return good(ctx, g)
		}))},
		{name: "cleans claims in place", rule: "input", says: "it is changed", make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			for i := range g.Members {
				for k := range g.Members[i].Owned {
					slices.Sort(g.Members[i].Owned[k].Partitions)
				}
			}
			return good(ctx, g)
		}))},
		{name: "writes user data", rule: "input", says: "it is changed", make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			for i := range g.Members {
				clear(g.Members[i].UserData)
			}
			return good(ctx, g)
		}))},
		{name: "appends to a subscription", rule: "input", says: "in place", make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			for i := range g.Members {
				_ = append(g.Members[i].Topics, "one more")
			}
			return good(ctx, g)
		}))},
		{name: "keeps state", rule: "state", says: "after other groups", make: func() strategy.Assignor { return &rotating{} }},
		{name: "gives the same memory again", rule: "state", says: "later calls changed", make: func() strategy.Assignor { return &recycling{} }},
		{name: "has one scratch for all calls", rule: "concurrent", says: "among calls from other goroutines", make: func() strategy.Assignor { return &scratch{} }},
		{name: "hangs", rule: "answers", says: "does not return", options: Options{Patience: 50 * time.Millisecond},
			make: always(assignorFunc(func(context.Context, *strategy.Group) (strategy.Assignment, error) { select {} }))},
		{name: "ignores the context and hangs", rule: "context", says: "does not return", options: Options{Patience: 200 * time.Millisecond}, make: always(assignorFunc(waits))},
		{name: "answers with nothing when the context ends", rule: "context", says: "without an error", make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			if ctx.Err() != nil {
				return strategy.Assignment{}, nil //nolint:nilerr // that is what is wrong with it
			}
			return good(ctx, g)
		}))},
		{name: "hides why it gives up", rule: "context", says: "gave up", make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			if ctx.Err() != nil {
				return strategy.Assignment{}, errors.New("gave up")
			}
			return good(ctx, g)
		}))},
		{name: "panics on an empty group", rule: "answers", says: `group "nothing at all": Assign panics: `, make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			_ = g.Members[0]
			return good(ctx, g)
		}))},
		{name: "panics on a negative claim", rule: "answers", says: `group "negative claims": Assign panics: `, make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			for i := range g.Members {
				for _, tp := range g.Members[i].Owned {
					for _, p := range tp.Partitions {
						_ = make([]bool, 1<<10)[max(p, -1)&^(1<<30-1<<10)]
					}
				}
			}
			return good(ctx, g)
		}))},
		{name: "returns an error for odd members", rule: "answers", says: "returns the error: strange", make: always(assignorFunc(func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			for i := range g.Members {
				if len(g.Members[i].Topics) == 0 {
					return strategy.Assignment{}, errors.New("strange")
				}
			}
			return good(ctx, g)
		}))},
		{name: "hands out what is owned", rule: "cooperative", says: "still owned by", make: always(claiming{assignorFunc(good)})},
		{name: "never settles", rule: "cooperative", says: "not settled", make: always(strategy.Cooperative(assignorFunc(restless)))},
		{name: "withholds for ever", rule: "cooperative", says: "not settled", make: always(claiming{assignorFunc(stubborn)})},
		{name: "panics on user data", rule: "userdata", says: "Assign panics", make: always(trusting{assignorFunc(good)})},
		{name: "sends too much", rule: "userdata", says: "bytes", make: always(talkative{assignorFunc(good)})},
		{name: "sorts the topics of a join", rule: "userdata", says: "changes the list", make: always(sorting{assignorFunc(good)})},
		{name: "explains another answer", rule: "explained", says: "it is said to be", make: always(lying{assignorFunc(good)})},
		{name: "panics when it is told", rule: "userdata", says: "OnAssignment panics", make: always(touchy{assignorFunc(good)})},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// Only the one rule: some of these assignors would have the race detector fail the test under another.
			c := newChecker(test.options, test.make)
			faults := c.apply(rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == test.rule })])
			for _, f := range faults {
				if f.Rule == test.rule && strings.Contains(f.Detail, test.says) {
					return
				}
			}
			t.Errorf("rule %q does not say %q, but\n%.3000v", test.rule, test.says, faults)
		})
	}
}

func faults(err error) []*Fault {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var out []*Fault
	for _, err := range joined.Unwrap() {
		var f *Fault
		if errors.As(err, &f) {
			out = append(out, f)
		}
	}
	return out
}

// TestCheck has what is broken in several ways reported by all rules that see it.
func TestCheck(t *testing.T) {
	err := Check(spoiled(func(g *strategy.Group, a *strategy.Assignment) {
		a.Members["stranger"] = nil
		a.UserData = map[string][]byte{"stranger": fmt.Append(nil, rand.Uint64())}
	}))
	broken := map[string]int{}
	for _, f := range faults(err) {
		broken[f.Rule]++
	}
	for _, rule := range []string{"valid", "deterministic", "state", "concurrent"} {
		if broken[rule] != maxFaults+1 { // and one that counts the rest
			t.Errorf("rule %q reports %d faults: %v", rule, broken[rule], broken)
		}
	}
}

// TestEach tells of every rule once, kept or not, and says why it is one.
func TestEach(t *testing.T) {
	var kept, broken []string
	err := Options{}.Each(spoiled(func(_ *strategy.Group, a *strategy.Assignment) { a.Members["stranger"] = nil }), func(rule, demand string, faults []*Fault) {
		if demand == "" {
			t.Errorf("rule %q demands nothing", rule)
		}
		if len(faults) == 0 {
			kept = append(kept, rule)
		} else {
			broken = append(broken, rule)
		}
	})
	if err != nil || len(kept)+len(broken) != len(rules) || !slices.Contains(kept, "name") || !slices.Contains(broken, "valid") {
		t.Errorf("kept are %v, broken are %v; %v", kept, broken, err)
	}
}

// TestFaultNamesGroup reads the group back from a fault: it is what one gives to the command that shows assignments.
func TestFaultNamesGroup(t *testing.T) {
	err := Check(spoiled(func(g *strategy.Group, a *strategy.Assignment) { a.Members["stranger"] = nil }))
	for _, f := range faults(err)[:maxFaults] {
		lines := strings.Split(f.Detail, "\n")
		if _, err := groupjson.Decode([]byte(lines[len(lines)-1])); err != nil {
			t.Errorf("%v\n%v", f, err)
		}
	}
}

func TestOptions(t *testing.T) {
	for reason, options := range map[strategy.Reason]Options{strategy.ReasonIneligible: {Ineligible: true}, strategy.ReasonLimit: {Ineligible: true, Limit: true}} {
		assignor := unassigning(strategy.ReasonIneligible)
		if reason == strategy.ReasonLimit {
			assignor = limiting
		}
		if err := options.Check(assignor); err != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// An assignor with a limit of its own is right, also where it is made cooperative and members wait for what they are to have.
func TestLimits(t *testing.T) {
	for name, assignor := range map[string]func() strategy.Assignor{
		"eager":       func() strategy.Assignor { return assignorFunc(capped) },
		"cooperative": func() strategy.Assignor { return strategy.Cooperative(assignorFunc(capped)) },
	} {
		if err := (Options{Limit: true}).Check(assignor); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCloses(t *testing.T) {
	var open, closed atomic.Int32
	if err := Check(func() strategy.Assignor { open.Add(1); return closing{assignorFunc(good), &closed} }); err != nil {
		t.Error(err)
	}
	if open.Load() != closed.Load() || open.Load() == 0 {
		t.Errorf("%d made, %d closed", open.Load(), closed.Load())
	}
}

// TestGroups holds the groups to what the rules take for granted.
func TestGroups(t *testing.T) {
	names := map[string]bool{}
	large, readable := 0, 0
	for _, g := range groups() {
		if names[g.name] {
			t.Errorf("there are two groups %q", g.name)
		}
		names[g.name] = true
		if err := g.Check(); err != nil {
			t.Errorf("group %q: %v", g.name, err)
		}
		if g.large() {
			large++
		}
		if _, err := groupjson.Decode(groupjson.AppendGroup(nil, g.Group)); err == nil {
			readable++
		}
	}
	if large < 3 || readable < len(names)-5 {
		t.Errorf("of %d groups, %d are large and %d can be read back", len(names), large, readable)
	}
}

// lying explains that everything is as it was.
type lying struct{ assignorFunc }

func (lying) Explain(_ context.Context, g *strategy.Group, _ *strategy.Assignment, of strategy.TopicPartition) (strategy.Explanation, error) {
	return strategy.Derive(g, &strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}, of, strategy.Terms{Assignor: "lying"})
}
