package histories

import (
	"fmt"
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
	w.at(c.up, func() { w.arrive(c, r) })
}

// arrive is a request at its broker. One whose connection broke on the way arrives or is lost, as chance has it.
func (w *World) arrive(c *conn, r membership.Request) {
	if c.broken {
		if w.rng.IntN(2) == 0 {
			return
		}
		if _, ok := r.Body.(wire.Join); ok && w.rng.IntN(3) == 0 { // it may wait at the broker for long
			w.at(w.now+time.Duration(w.rng.Int64N(int64(time.Second))), func() { w.arrive(c, r) })
			return
		}
	}
	for _, b := range w.blocked {
		if b.fits(c.p, r.Body) && !c.broken {
			w.at(w.now+10*time.Millisecond, func() { w.arrive(c, r) })
			return
		}
	}
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
	b.step(coordinator.Received{ID: w.ids, Request: r.Body})
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

// Unblock lets go what was kept back.
func (w *World) Unblock() { w.blocked = nil }

// LoseReply loses the next answer to a request of a kind, and the connection with it.
func (w *World) LoseReply(member, name string) {
	w.losing = append(w.losing, rule{member: member, name: name})
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
