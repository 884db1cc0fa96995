package simulation

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/suggest"
	"github.com/assignkit/assignkit/strategy"
)

// A state is the group between two steps. Its slices are shared with the steps of a [Result], so they are replaced and never
// changed in place.
type state struct {
	name       string
	generation int32 // of the last rebalance
	leader     string

	topics     []strategy.Topic // by name
	topicNames []string
	partitions int64 // of all topics

	members   []strategy.Member // in canonical order, with the claims they would join with
	known     map[string]member // by id
	instances map[string]string // instance id -> member id

	effort int64
	size   int64 // partitions of all steps so far
}

// member is what the state knows of a member beside what [strategy.Member] says.
type member struct {
	follows  bool // reads all topics, also later ones
	instance string
}

// problem is an error without the event that it is about.
type problem struct{ subject, text string }

func (p *problem) Error() string { return p.text }

func fail(subject, format string, args ...any) error {
	return &problem{subject, fmt.Sprintf(format, args...)}
}

// newState is the start of s.
func newState(s *Scenario) (*state, error) {
	t := &state{name: s.Group.Name, known: map[string]member{}, instances: map[string]string{}}
	wrap := func(err error) error { return inEvent(0, "start", err) }
	if len(s.Group.Topics) == 0 {
		return nil, wrap(fail("", "there are no topics"))
	}
	if err := t.create(s.Group.Topics); err != nil {
		return nil, wrap(err)
	}
	if _, err := t.update(&change{join: s.Group.Members}); err != nil {
		return nil, wrap(err)
	}
	if err := t.keep(); err != nil {
		return nil, wrap(err)
	}
	t.leader = s.Group.Leader
	t.generation = max(0, s.Group.Generation-1)
	for i := range t.members {
		t.generation = max(t.generation, t.members[i].Generation)
	}
	if t.generation > maxGeneration {
		return nil, wrap(fail("", "generation %d is beyond %d", t.generation, maxGeneration))
	}
	return t, nil
}

// maxGeneration leaves room for those that follow.
const maxGeneration = 1 << 30

// inEvent says which event an error is about.
func inEvent(number int, text string, err error) error {
	e := &EventError{Event: number, Text: text, Problem: err.Error()}
	var p *problem
	if errors.As(err, &p) {
		e.subject = p.subject
	}
	return e
}

// group is the state as an assignor sees it in the generation at hand.
func (t *state) group() *strategy.Group {
	g := &strategy.Group{Name: t.name, Generation: t.generation, Leader: t.leader, Topics: t.topics, Members: t.members}
	if _, ok := t.known[g.Leader]; !ok && len(t.members) > 0 {
		g.Leader = t.members[0].ID
	}
	return g
}

// settle has every member own what a gives it, as of the generation at hand.
func (t *state) settle(a *strategy.Assignment) {
	members := slices.Clone(t.members)
	for i := range members {
		members[i].Owned = a.Members[members[i].ID]
		members[i].Generation = t.generation
	}
	t.members = members
}

// spend bounds what all events together look at: a few lines of a scenario may ask for thousands of steps with a hundred thousand
// members each.
func (t *state) spend(n int) error {
	if t.effort += int64(n) + 1; t.effort > maxEffort {
		return tooManyMembers()
	}
	return nil
}

// afford is spend without spending, for what is known to come.
func (t *state) afford(n int64) error {
	if t.effort+n > maxEffort {
		return tooManyMembers()
	}
	return nil
}

func tooManyMembers() error {
	return fail("", "too large: steps times members come to more than %d up to here; fewer members, or larger batches of a deploy, make it smaller", maxEffort)
}

// keep counts a step.
func (t *state) keep() error {
	if t.size += t.partitions; t.size > MaxSize {
		return fail("", "too large: steps times partitions come to more than %d up to here; fewer steps, or fewer partitions, make it smaller", MaxSize)
	}
	return nil
}

// match returns the members that a list of patterns means, each once, in natural order of their ids.
func (t *state) match(patterns []string) ([]*strategy.Member, error) {
	if len(patterns) == 0 {
		return nil, fail("", "names no members")
	}
	var found []*strategy.Member
	for _, p := range patterns {
		before := len(found)
		if k, ok := t.known[p]; ok {
			found = append(found, t.find(p, k.instance))
			continue
		}
		if strings.ContainsAny(p, `*?[\`) {
			if err := t.spend(len(t.members)); err != nil {
				return nil, err
			}
			for i := range t.members {
				ok, err := matches(p, t.members[i].ID)
				if err != nil {
					return nil, fail(p, "pattern %q is malformed", p)
				}
				if ok {
					found = append(found, &t.members[i])
				}
			}
		}
		if len(found) == before {
			return nil, t.nobody(p)
		}
	}
	if err := t.spend(4 * len(found)); err != nil { // each is compared, copied and named
		return nil, err
	}
	slices.SortFunc(found, func(a, b *strategy.Member) int { return compareIDs(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b *strategy.Member) bool { return a.ID == b.ID }), nil
}

// matches is path.Match in which * also stands for slashes.
func matches(pattern, id string) (bool, error) {
	slashless := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	return path.Match(slashless(pattern), slashless(id))
}

// find returns the member with this id, which must be in the group.
func (t *state) find(id, instance string) *strategy.Member {
	wanted := strategy.Member{ID: id, InstanceID: instance}
	i, ok := slices.BinarySearchFunc(t.members, &wanted, func(a strategy.Member, b *strategy.Member) int { return a.Compare(b) })
	if !ok {
		panic(fmt.Sprintf("simulation: member %q is known and not in the group", id))
	}
	return &t.members[i]
}

func (t *state) nobody(pattern string) error {
	if len(t.members) == 0 {
		return fail(pattern, "no member %q: the group is empty", pattern)
	}
	return fail(pattern, "no member %q%s", pattern, nearest(pattern, ids(t.members)))
}

// topic returns the place of a topic in t.topics.
func (t *state) topic(name string) (int, error) {
	i, ok := slices.BinarySearch(t.topicNames, name)
	if !ok {
		return 0, fail(name, "no topic %q%s", name, nearest(name, t.topicNames))
	}
	return i, nil
}

// nearest suggests the name that was meant. Of thousands of names only the first ones are looked at, as comparing takes time.
func nearest(written string, names []string) string {
	best := suggest.Nearest(written, names[:min(len(names), 2000)])
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
