package histories

import (
	"fmt"
	"time"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// Depose makes another broker the coordinator without the present one knowing, for so long or until it wants to write: as a broker
// that the controller has given up and that still has its clients' connections. It answers what it can from memory.
func (w *World) Depose(lasts time.Duration) {
	if w.leader < 0 {
		return
	}
	b := w.brokers[w.leader]
	life := b.life
	w.note("broker %d is deposed, and does not know", b.node)
	b.deposed = true
	w.elect((b.node+1)%len(w.brokers), 50*time.Millisecond)
	w.at(w.now+lasts, func() {
		if b.life == life {
			b.resign()
		}
	})
}

// resign ends what a deposed coordinator still does.
func (b *broker) resign() {
	if b.deposed {
		b.deposed = false
		b.step(coordinator.Resigned{})
	}
}

// learn is that the log refuses what a deposed coordinator writes: nothing of that step happens, and it resigns.
func (b *broker) learn(out *coordinator.Output) {
	b.deposed = false
	b.w.note("broker %d learns that it is deposed", b.node)
	out.Append = nil
	for i := range out.Replies {
		out.Replies[i].Body = notCoordinator(out.Replies[i].Body)
	}
	rest := b.machine.Step(b.w.now, coordinator.Resigned{})
	out.Replies = append(out.Replies, rest.Replies...)
	out.Wake = rest.Wake
}

// notCoordinator is the refusal that takes the place of an answer.
func notCoordinator(body wire.Reply) wire.Reply {
	const code = wire.NotCoordinator
	switch r := body.(type) {
	case wire.JoinReply:
		return wire.JoinReply{Code: code, MemberID: r.MemberID}
	case wire.SyncReply:
		return wire.SyncReply{Code: code}
	case wire.HeartbeatReply:
		return wire.HeartbeatReply{Code: code}
	case wire.LeaveReply:
		return wire.LeaveReply{Code: code}
	case wire.CommitReply:
		codes := make([]wire.Code, len(r.Codes))
		for i := range codes {
			codes[i] = code
		}
		return wire.CommitReply{Codes: codes}
	}
	panic(fmt.Sprintf("histories: no refusal for %T", body))
}
