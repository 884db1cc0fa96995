package recorded

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
)

// A world is where a lesson is played: on a broker, or on the model of one.
type world interface {
	// send begins a request of a member.
	send(id uint64, who string, r request) error
	// settle returns what has been answered and was not returned before, once no more is to be expected of what was sent.
	settle() ([]answer, error)
	// await lets time pass until a request is answered.
	await(id uint64) error
	// gone lets time pass until no member has that id.
	gone(memberID string) error
	// at lets time pass until so long after the lesson began.
	at(d time.Duration) error
	// disconnect ends what a member waits for.
	disconnect(who string)
	// state describes the group.
	state() (string, error)
	// remove deletes the group, if that is allowed.
	remove() error
	// restart ends the coordinator without a word and starts its successor.
	restart() error
}

// An answer is one to a request.
type answer struct {
	id     uint64
	body   wire.Reply
	beyond string // what only a broker says
}

// A sent request is one that may wait for its answer.
type sent struct {
	id    uint64
	who   *member
	label string
	body  wire.Request
}

// A player plays one lesson.
type player struct {
	w       world
	group   string
	members []*member
	names   map[string]string // of member ids
	waiting []sent
	last    uint64
	beyond  bool // whether to tell what only a broker says
	out     []string
}

var errUsage = errors.New("no such command, or not so")

// play plays the commands of a lesson and returns the lesson with what came of them. Unless the world is a broker, blocks beyond the
// model stay as they are.
func play(group, text string, w world, broker bool) (string, error) {
	p := &player{w: w, group: group, names: map[string]string{}}
	var out []string
	for _, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		commands, _, _ := strings.Cut(block, "\n----")
		if !broker && isBeyond(commands) {
			out = append(out, block, "")
			continue
		}
		out = append(out, commands)
		p.out = nil
		for _, line := range strings.Split(commands, "\n") {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' || strings.HasPrefix(line, "broker ") {
				continue
			}
			if err := p.do(line); err != nil {
				return strings.Join(append(out, p.out...), "\n"), fmt.Errorf("%s: %w", line, err)
			}
		}
		if len(p.out) > 0 {
			out = append(append(out, "----"), p.out...)
		}
		out = append(out, "")
	}
	return strings.Join(out[:len(out)-1], "\n") + "\n", nil
}

func isBeyond(commands string) bool {
	for _, line := range strings.Split(commands, "\n") {
		if strings.HasPrefix(line, "beyond ") {
			return true
		}
	}
	return false
}

// do carries a command out.
func (p *player) do(line string) error {
	f := strings.Fields(line)
	switch {
	case f[0] == "quietly" && len(f) > 1:
		before := p.out
		err := p.do(strings.Join(f[1:], " "))
		if err == nil {
			p.out = before
		}
		return err
	case f[0] == "beyond" && len(f) > 1:
		p.beyond = true
		defer func() { p.beyond = false }()
		return p.do(strings.Join(f[1:], " "))
	case f[0] == "group" && len(f) > 1:
		return p.gather(f[1:])
	case f[0] == "await" && len(f) == 3:
		for _, s := range p.waiting {
			if s.label == f[1]+" "+f[2] {
				return cmp.Or(p.w.await(s.id), p.settle(0))
			}
		}
		return fmt.Errorf("%w: it does not wait", errUsage)
	case f[0] == "gone" && len(f) == 2:
		return cmp.Or(p.w.gone(p.id(f[1])), p.settle(0))
	case f[0] == "at" && len(f) == 2:
		d, err := time.ParseDuration(f[1])
		return cmp.Or(err, p.w.at(d), p.settle(0))
	case line == "state":
		s, err := p.w.state()
		p.note("the group is %s", s)
		return err
	case line == "waiting":
		for _, s := range p.waiting {
			p.note("%s waits", s.label)
		}
	case line == "delete group":
		return cmp.Or(p.w.remove(), p.settle(0))
	case line == "restart broker":
		p.lose(nil)
		return cmp.Or(p.w.restart(), p.settle(0))
	case len(f) >= 2:
		return p.onMember(p.member(f[0]), f[1], f[2:])
	default:
		return errUsage
	}
	return nil
}

func (p *player) onMember(m *member, verb string, args []string) error {
	switch verb {
	case "disconnect":
		p.lose(m)
		p.w.disconnect(m.name)
		return p.settle(0)
	case "enter":
		if err := p.ask(m, "join", args); err != nil {
			return err
		}
		return p.ask(m, "join", nil)
	}
	return p.ask(m, verb, args)
}

// ask sends a request and notes what comes of it.
func (p *player) ask(m *member, verb string, args []string) error {
	r, err := p.request(m, verb, args)
	if err != nil {
		return err
	}
	p.last++
	label := m.name + " " + verb
	for n := 2; slices.ContainsFunc(p.waiting, func(s sent) bool { return s.label == label }); n++ {
		label = fmt.Sprintf("%s %s %d", m.name, verb, n)
	}
	p.waiting = append(p.waiting, sent{id: p.last, who: m, label: label, body: r.body})
	if err := p.w.send(p.last, m.name, r); err != nil {
		return err
	}
	return p.settle(p.last)
}

// settle notes the answers that have come, in the order of their requests, and whether the request with this id waits.
func (p *player) settle(id uint64) error {
	answers, err := p.w.settle()
	if err != nil {
		return err
	}
	slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(a.id, b.id) })
	var notes []func()
	for _, a := range answers {
		i := slices.IndexFunc(p.waiting, func(s sent) bool { return s.id == a.id })
		if i < 0 {
			continue // its connection is lost
		}
		s := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.learn(&s, a.body)
		notes = append(notes, func() { p.note("%s: %s", s.label, p.describe(&s, a)) })
	}
	for _, n := range notes { // once all names are known
		n()
	}
	for _, s := range p.waiting {
		if s.id == id {
			p.note("%s waits", s.label)
		}
	}
	return nil
}

// lose forgets what a member waits for, or all do.
func (p *player) lose(m *member) {
	p.waiting = slices.DeleteFunc(p.waiting, func(s sent) bool {
		if m == nil || s.who == m {
			p.note("%s: connection lost", s.label)
			return true
		}
		return false
	})
}

// gather has members enter one after another, and divides the partitions among them.
func (p *player) gather(names []string) error {
	var plan []string
	for i, name := range names {
		plan = append(plan, fmt.Sprintf("%s=%d", name, i))
		if err := p.do(name + " enter"); err != nil {
			return err
		}
		for _, other := range names[:i] {
			if err := p.do(other + " join"); err != nil {
				return err
			}
		}
		if err := p.do(names[0] + " sync " + strings.Join(plan, " ")); err != nil {
			return err
		}
		for _, other := range names[1 : i+1] {
			if err := p.do(other + " sync"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *player) note(format string, args ...any) {
	p.out = append(p.out, fmt.Sprintf(format, args...))
}

// member returns the one of that name, who may be new.
func (p *player) member(name string) *member {
	for _, m := range p.members {
		if m.name == name {
			return m
		}
	}
	m := &member{name: name, generation: -1, session: 5 * time.Minute, rebalance: 5 * time.Minute, offers: []string{"range"}}
	p.members = append(p.members, m)
	return m
}

// id returns the member id of that name, or the name if it is none.
func (p *player) id(name string) string {
	for id, n := range p.names {
		if n == name {
			return id
		}
	}
	return none(name)
}
