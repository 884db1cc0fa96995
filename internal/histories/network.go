package histories

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// A conn is a connection of a process to a broker.
type conn struct {
	w        *World
	p        *Process
	lane     membership.Lane
	node     int // -1 for any
	broken   bool
	up, down time.Duration // arrival of the last message each way: later ones come later
}

// An origin is where a request at a broker came from.
type origin struct {
	c  *conn
	id uint64
}

// A message is a request on its way, with what its process knew of topics when it was sent.
type message struct {
	c     *conn
	r     membership.Request
	knows []membership.TopicCount
}

// A source is where a request that is being handled came from.
type source struct {
	p     *Process
	late  bool // its connection had broken
	knows []membership.TopicCount
}

// stray says that what the request says of a partition comes late, or is about an earlier topic of that name.
func (s source) stray(w *World, topic string) bool {
	return s.late || slices.ContainsFunc(s.knows, func(t membership.TopicCount) bool { return t.Topic == topic && t.ID != w.topics[topic].id })
}

// A rule picks requests, or the answers to them, by member and name; "*" is any.
type rule struct {
	member, name string
}

func (r rule) fits(p *Process, body any) bool {
	kind := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", body), "wire."), "Reply")
	return (r.member == "*" || r.member == p.Name) && strings.EqualFold(r.name, kind)
}

// send carries a request to its broker, over a new connection if the lane has none.
func (w *World) send(p *Process, r membership.Request) {
	if j, ok := r.Body.(wire.Join); ok && w.opts.Strict && j.Reason == "the follow-up did not come" && !w.someStatic() {
		w.fault("%s: %s, though nothing went wrong", p.Name, j.Reason)
	}
	if j, ok := r.Body.(wire.Join); ok && p.spec.Garbage {
		r.Body = w.garble(j)
	}
	if j, ok := r.Body.(wire.Join); ok && w.lying {
		r.Body = w.lieOfPartitions(j)
	}
	c := p.lanes[r.Lane]
	if c == nil {
		c = &conn{w: w, p: p, lane: r.Lane, node: int(r.Node)}
		p.lanes[r.Lane] = c
		c.up = w.now + w.delay() // to connect
	}
	if w.now < p.cutTo {
		c.broken = true
	}
	if c.broken {
		return // on a connection that is dead already, though the process does not know
	}
	if c.node >= 0 && !w.brokers[c.node].alive {
		c.breakOff(w.delay())
		return
	}
	c.up = max(c.up, w.now+w.delay())
	m := message{c, r, p.knows}
	w.at(c.up, func() { w.arrive(m) })
}

// arrive is a request at its broker. One whose connection broke on the way is carried out or lost, as chance has it, and perhaps much
// later: a broker handles what it has read, whatever has become of the connection.
func (w *World) arrive(m message) {
	c, r := m.c, m.r
	if c.broken {
		if w.rng.IntN(2) == 0 {
			return
		}
		if w.rng.IntN(3) == 0 {
			w.at(w.now+time.Duration(w.rng.Int64N(int64(time.Second))), func() { w.handle(m) })
			return
		}
	}
	for i, h := range w.holding {
		if h.fits(c.p, r.Body) && !c.broken {
			w.holding = slices.Delete(w.holding, i, i+1)
			w.held = append(w.held, func() { w.handle(m) })
			return
		}
	}
	for _, b := range w.blocked {
		if b.fits(c.p, r.Body) && !c.broken {
			w.at(w.now+10*time.Millisecond, func() { w.arrive(m) })
			return
		}
	}
	w.handle(m)
}

// handle has a broker deal with a request.
func (w *World) handle(m message) {
	c, r := m.c, m.r
	if _, ok := r.Body.(wire.FindCoordinator); ok {
		w.deliver(c, r.ID, w.find())
		return
	}
	b := w.brokers[c.node]
	if !b.alive {
		c.breakOff(w.delay())
		return
	}
	w.ids++
	w.pending[w.ids] = origin{c, r.ID}
	w.source = source{p: c.p, late: c.broken, knows: m.knows}
	b.step(coordinator.Received{ID: w.ids, Request: r.Body})
	w.source = source{}
}

// answer carries a reply back.
func (w *World) answer(id uint64, body wire.Reply) {
	o := w.pending[id]
	delete(w.pending, id)
	w.deliver(o.c, o.id, body)
}

func (w *World) deliver(c *conn, id uint64, body wire.Reply) {
	for i, l := range w.losing {
		if l.fits(c.p, body) {
			w.losing = append(w.losing[:i:i], w.losing[i+1:]...)
			w.note("%s: the answer to its %s is lost", c.p.Name, l.name)
			c.breakOff(w.delay())
			return
		}
	}
	c.down = max(c.down, w.now+w.delay())
	w.at(c.down, func() {
		if !c.broken {
			c.p.whenAwake(func() {
				if !c.broken {
					w.noteRefusal(c.p, body)
					c.p.step(membership.Replied{ID: id, Body: body})
				}
			})
		}
	})
}

// breakOff breaks the connection; the process learns of it after a while.
func (c *conn) breakOff(after time.Duration) {
	if c.broken {
		return
	}
	c.broken = true
	c.w.at(c.w.now+after, func() {
		c.p.whenAwake(func() {
			if c.p.lanes[c.lane] == c {
				c.p.lanes[c.lane] = nil
				c.p.step(membership.Disconnected{Lane: c.lane})
			}
		})
	})
}

// Break breaks a lane of a process.
func (w *World) Break(p *Process, lane membership.Lane) {
	if c := p.lanes[lane]; c != nil {
		w.note("%s: its %v connection breaks", p.Name, lane)
		c.breakOff(w.delay())
	}
}

// Block keeps requests of a kind back, until [World.Unblock].
func (w *World) Block(member, name string) {
	w.blocked = append(w.blocked, rule{member: member, name: name})
}

// Hold has a broker hold the next request of a kind, whatever becomes of its connection, until [World.Unblock].
func (w *World) Hold(member, name string) {
	w.holding = append(w.holding, rule{member: member, name: name})
}

// Unblock lets go what was kept back or is held.
func (w *World) Unblock() {
	w.blocked, w.holding = nil, nil
	for _, handle := range w.held {
		w.at(w.now, handle)
	}
	w.held = nil
}

// LoseReply loses the next answer to a request of a kind, and the connection with it.
func (w *World) LoseReply(member, name string) {
	w.losing = append(w.losing, rule{member: member, name: name})
}

// garble makes a join say nothing that makes sense.
func (w *World) garble(j wire.Join) wire.Join {
	j.Offers = slices.Clone(j.Offers)
	for i := range j.Offers {
		junk := make([]byte, w.rng.IntN(40))
		for k := range junk {
			junk[k] = byte(w.rng.IntN(256))
		}
		j.Offers[i].Metadata = append([]byte{0, 3, 0x7f}, junk...)
	}
	return j
}

// someStatic says whether there ever was a static member: one may leave without a word and without a fault.
func (w *World) someStatic() bool {
	for _, p := range w.procs {
		if p.Instance != "" {
			return true
		}
	}
	return false
}

// noteRefusal notes an answer that is not just success.
func (w *World) noteRefusal(p *Process, body wire.Reply) {
	if !w.opts.Verbose {
		return
	}
	if text := wire.Describe(body); !strings.Contains(text, "NONE") {
		w.note("%s: is told %s", p.Name, text)
	}
}
