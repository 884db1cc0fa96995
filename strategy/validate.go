package strategy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Rule is one that every answer must hold to.
type Rule string

// The rules there are.
const (
	RuleMember       Rule = "member"       // every member of the group has an entry, and nobody else
	RuleTopic        Rule = "topic"        // only topics of the group
	RulePartition    Rule = "partition"    // only partitions that the topic has
	RuleSubscription Rule = "subscription" // only topics that the member subscribes to
	RuleOnce         Rule = "once"         // each partition once at most
	RuleComplete     Rule = "complete"     // each partition that a member could read is assigned, or in Unassigned
	RuleReason       Rule = "reason"       // what is in Unassigned is not assigned, and its reason is true
	RuleOrder        Rule = "order"        // topics by name, partitions by number, no topic without partitions
	RuleOwned        Rule = "owned"        // cooperative: nothing that another member owns
)

// A Violation is one rule that an answer breaks, and where.
type Violation struct {
	Rule      Rule
	Member    string // "" where it is about no one member
	Topic     string // "" where it is about no one topic
	Partition int32  // -1 where it is about no one partition
	Detail    string // what is wrong, in words
}

func (v Violation) String() string {
	var where []string
	if v.Topic != "" {
		if v.Partition >= 0 {
			where = append(where, fmt.Sprintf("%s-%d", v.Topic, v.Partition))
		} else {
			where = append(where, v.Topic)
		}
	}
	if v.Member != "" {
		where = append(where, fmt.Sprintf("member %q", v.Member))
	}
	return fmt.Sprintf("%s: %s: %s", v.Rule, strings.Join(where, ", "), v.Detail)
}

// InvalidError lists everything that is wrong with an answer, sorted, so that the same answer gives the same error. Of answers that
// are wrong throughout it lists 10,000, and counts the rest.
type InvalidError struct {
	Violations []Violation
	More       int // how many beside them
}

const maxViolations = 10_000

// Error names the first few violations and how many there are.
func (e *InvalidError) Error() string {
	const shown = 5
	var b strings.Builder
	total := len(e.Violations) + e.More
	plural := "s"
	if total == 1 {
		plural = ""
	}
	fmt.Fprintf(&b, "invalid assignment (%d violation%s)", total, plural)
	for i, v := range e.Violations {
		if i == shown {
			fmt.Fprintf(&b, "; and %d more", total-shown)
			break
		}
		b.WriteString("; ")
		b.WriteString(v.String())
	}
	return b.String()
}

// Breaks says whether a rule is among those broken.
func (e *InvalidError) Breaks(r Rule) bool {
	return slices.ContainsFunc(e.Violations, func(v Violation) bool { return v.Rule == r })
}

// Validate checks an answer to g against every [Rule], RuleOwned only for members that run cooperatively. It returns nil, an
// [*InvalidError] with all violations, or the [*GroupError] of a group that cannot be assigned.
//
// What only the assignor knows is taken on its word: that no member is eligible, or that all have reached a limit. A partition
// withheld in an eager round is a violation, as no further round would hand it out.
func Validate(g *Group, a *Assignment, p Protocol) error {
	t, err := Tabulate(g)
	if err != nil {
		return err
	}
	return t.Validate(a, p)
}

// Validate is the function of that name for a group that has been tabulated already.
func (t *Table) Validate(a *Assignment, p Protocol) error {
	if a == nil {
		a = &Assignment{}
	}
	v := validator{table: t, answer: a, protocol: p}
	v.withholds = p == ProtocolCooperative && a.Withholds()
	v.members()
	v.unassigned()
	v.complete()
	if len(v.found) == 0 {
		return nil
	}
	slices.SortFunc(v.found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition),
			cmp.Compare(a.Member, b.Member), cmp.Compare(a.Detail, b.Detail))
	})
	return &InvalidError{Violations: v.found, More: v.more}
}

type validator struct {
	table    *Table
	answer   *Assignment
	protocol Protocol
	owner    []int32 // of each partition number: the member it was given to, NoOwner, or mentioned in Unassigned
	holds    []int32 // partitions of each member
	topics   map[int32]standing
	ids      map[string]int // of members, once they are needed
	found    []Violation
	more     int

	withholds bool // something is withheld in this round
}

// mentioned marks a partition that stands in Unassigned.
const mentioned = -2

func (v *validator) report(r Rule, member, topic string, partition int32, format string, args ...any) {
	if len(v.found) == maxViolations {
		v.more++
		return
	}
	v.found = append(v.found, Violation{Rule: r, Member: member, Topic: topic, Partition: partition, Detail: fmt.Sprintf(format, args...)})
}

// members checks what each member is given.
func (v *validator) members() {
	g := v.table.Group
	v.owner = v.table.Unowned()
	v.holds = make([]int32, len(g.Members))
	known := 0
	for m := range g.Members {
		id := g.Members[m].ID
		list, ok := v.answer.Members[id]
		if !ok {
			v.report(RuleMember, id, "", -1, "has no entry")
			continue
		}
		known++
		v.list(int32(m), list)
	}
	if known == len(v.answer.Members) {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(v.answer.Members)) {
		if _, ok := v.member(id); !ok {
			v.report(RuleMember, id, "", -1, "is not in the group")
		}
	}
}

// member finds a member by its id.
func (v *validator) member(id string) (m int, ok bool) {
	if v.ids == nil {
		members := v.table.Group.Members
		v.ids = make(map[string]int, len(members))
		for i := range members {
			v.ids[members[i].ID] = i
		}
	}
	m, ok = v.ids[id]
	return m, ok
}

// list checks one member's list.
func (v *validator) list(m int32, list []TopicPartitions) {
	t := v.table
	id := t.Group.Members[m].ID
	at, step := int32(NoOwner), int32(1)
	for k := range list {
		tp := &list[k]
		n := t.names.guess(at+step, tp.Topic)
		if n < 0 {
			v.report(RuleTopic, id, tp.Topic, -1, "is not a topic of the group")
			continue
		}
		if n <= at {
			v.report(RuleOrder, id, tp.Topic, -1, "stands after %s", t.Group.Topics[at].Name)
		}
		step, at = n-at, n
		if len(tp.Partitions) == 0 {
			v.report(RuleOrder, id, tp.Topic, -1, "is listed without partitions")
		}
		if !t.Subscribed(int(m), int(n)) {
			v.report(RuleSubscription, id, tp.Topic, -1, "the member does not subscribe to it")
		}
		v.partitions(m, n, tp.Partitions)
	}
}

func (v *validator) partitions(m, topic int32, partitions []int32) {
	t := v.table
	id, name := t.Group.Members[m].ID, t.Group.Topics[topic].Name
	base, count := t.base[topic], t.base[topic+1]-t.base[topic]
	last := int32(-1)
	for _, p := range partitions {
		if p < 0 || p >= count {
			v.report(RulePartition, id, name, -1, "has no partition %d, only %d", p, count)
			continue
		}
		if p < last {
			v.report(RuleOrder, id, name, p, "stands after %d", last)
		}
		last = p
		if o := v.owner[base+p]; o != NoOwner {
			v.report(RuleOnce, id, name, p, "is with %q already", t.Group.Members[o].ID)
			continue
		}
		v.owner[base+p] = m
		v.holds[m]++
		if o := t.owner[base+p]; o == NoOwner || o == m || v.protocol == ProtocolEager {
			continue
		} else if o == Disputed {
			v.report(RuleOwned, id, name, p, "is claimed by two members of one generation")
		} else {
			v.report(RuleOwned, id, name, p, "is still owned by %q", t.Group.Members[t.Owner(int(base+p))].ID)
		}
	}
}

// unassigned checks what nobody is given.
func (v *validator) unassigned() {
	t := v.table
	for k := range v.answer.Unassigned {
		u := &v.answer.Unassigned[k]
		n := t.names.find(u.Topic)
		if n < 0 {
			v.report(RuleTopic, "", u.Topic, -1, "is not a topic of the group, in Unassigned")
			continue
		}
		if u.Partition < 0 || u.Partition >= t.Group.Topics[n].Partitions {
			v.report(RulePartition, "", u.Topic, -1, "has no partition %d, only %d, in Unassigned", u.Partition, t.Group.Topics[n].Partitions)
			continue
		}
		i := t.base[n] + u.Partition
		switch o := v.owner[i]; {
		case o >= 0:
			v.report(RuleReason, t.Group.Members[o].ID, u.Topic, u.Partition, "is assigned, and in Unassigned as well")
			continue
		case o == mentioned:
			v.report(RuleOnce, "", u.Topic, u.Partition, "is in Unassigned twice")
			continue
		}
		v.owner[i] = mentioned
		if problem := v.untrue(u, n, i); problem != "" {
			v.report(RuleReason, "", u.Topic, u.Partition, "%s: %s", u.Reason, problem)
		}
	}
}

// untrue says why the reason for leaving out partition number i cannot be, "" if it can.
func (v *validator) untrue(u *Unassigned, topic, i int32) string {
	switch u.Reason {
	case ReasonIneligible:
		return ""
	case ReasonLimit:
		// A member may be empty because what it is to have is withheld in this round.
		if !v.withholds && v.standing(topic).empty > 0 {
			return "a member that could read it has nothing at all"
		}
		return ""
	case ReasonDraining:
		if s := v.standing(topic); s.subscribers == 0 || s.live > 0 {
			return "it is not so that only draining members could read it"
		}
		return ""
	case ReasonWithheld:
		return v.notWithheld(u, topic, i)
	}
	return fmt.Sprintf("is no reason; there are %v", Reasons())
}

// standing counts a topic's subscribers, those that are not draining, and of these those that hold nothing.
type standing struct{ subscribers, live, empty int }

func (v *validator) standing(topic int32) standing {
	if s, ok := v.topics[topic]; ok {
		return s
	}
	var s standing
	for _, m := range v.table.Subscribers(int(topic)) {
		s.subscribers++
		if !v.table.Group.Members[m].Draining {
			s.live++
			if v.holds[m] == 0 {
				s.empty++
			}
		}
	}
	if v.topics == nil {
		v.topics = map[int32]standing{}
	}
	v.topics[topic] = s
	return s
}

func (v *validator) notWithheld(u *Unassigned, topic, i int32) string {
	t := v.table
	if v.protocol == ProtocolEager {
		return "an eager group has no further round"
	}
	if u.For != "" {
		if m, ok := v.member(u.For); !ok || !t.Subscribed(m, int(topic)) {
			return fmt.Sprintf("it is to go to %q, who may not have it", u.For)
		}
	}
	if u.With == nil {
		if t.Owner(int(i)) == NoOwner {
			return "nobody owns it"
		}
		return ""
	}
	n := t.names.find(u.With.Topic)
	if n < 0 || u.With.Partition < 0 || u.With.Partition >= t.Group.Topics[n].Partitions {
		return fmt.Sprintf("%s-%d, which it is to move with, does not exist", u.With.Topic, u.With.Partition)
	}
	if w := t.base[n] + u.With.Partition; v.owner[w] >= 0 || t.Owner(int(w)) == NoOwner {
		return fmt.Sprintf("%s-%d, which it is to move with, is not withheld from anybody", u.With.Topic, u.With.Partition)
	}
	return ""
}

// complete looks for partitions that were forgotten.
func (v *validator) complete() {
	t := v.table
	for n := range t.Group.Topics {
		for p, o := range v.owner[t.base[n]:t.base[n+1]] {
			if o == NoOwner && v.standing(int32(n)).subscribers > 0 {
				v.report(RuleComplete, "", t.Group.Topics[n].Name, int32(p), "nobody gets it, and no reason is given")
			}
		}
	}
}
