package strategy

// Protocol is a rebalance protocol of Kafka's classic consumer groups.
type Protocol uint8

const (
	// ProtocolEager has members give up all partitions before they join, so anything may be handed out at once.
	ProtocolEager Protocol = iota
	// ProtocolCooperative has members keep what they own while they join (KIP-429). What is to move is withheld for one
	// round, in which its owner gives it up, and handed out in the next.
	ProtocolCooperative
)

// String returns "eager" or "cooperative".
func (p Protocol) String() string {
	if p == ProtocolCooperative {
		return "cooperative"
	}
	return "eager"
}

// Protocoler is an optional interface of an [Assignor] whose answers are made for one rebalance protocol. Without it an
// assignor is eager. An assignor that says [ProtocolCooperative] must never hand a partition out while another member owns it;
// [Cooperative] does that for any assignor.
type Protocoler interface {
	Protocol() Protocol
}

// ProtocolOf returns the rebalance protocol of a. A member runs cooperatively only if all the assignors that it offers do.
func ProtocolOf(a Assignor) Protocol {
	if p, ok := As[Protocoler](a); ok {
		return p.Protocol()
	}
	return ProtocolEager
}
