package coordinator

import "github.com/assignkit/assignkit/internal/membership/wire"

// Never is a time to wake that does not come.
const Never Time = 1<<63 - 1

// An Output is what a step asks of the driver, in this order.
type Output struct {
	// Append is to be in the log, durably, before any of Replies is sent.
	Append []Record
	// Replies answer requests of this step or earlier ones. Each request is answered once, or never where its sender has sent another
	// that takes its place.
	Replies []Reply
	// Wake is when to step next if nothing else happens, or [Never].
	Wake Time
}

// A Reply answers the request that was received with this ID.
type Reply struct {
	ID   uint64
	Body wire.Reply
}
