package membership

// A Reason is why a member joins anew. The zero Reason is none.
type Reason struct {
	Cause Cause
	Text  string // what the coordinator is told, and the log
}

// A Cause is a kind of reasons, in words that do for a label.
type Cause string

// All causes. What an application asks for is [Asked], whatever it says why; [Rejoin] may name another.
const (
	FirstJoin       Cause = "first_join"
	GroupRebalances Cause = "group" // somebody else came, went, or asked for it
	FollowUp        Cause = "follow_up"
	Announced       Cause = "announced"
	FollowUpMissing Cause = "follow_up_missing"
	Interrupted     Cause = "interrupted"
	TopicsChanged   Cause = "topics"
	Subscribed      Cause = "subscription"
	LeaderRestarted Cause = "leader_restarted"
	Draining        Cause = "drain"
	Parting         Cause = "leaving"
	SessionExpired  Cause = "session_expired"
	UnknownMember   Cause = "unknown_member"
	OtherGeneration Cause = "other_generation"
	SignalsChanged  Cause = "signals"
	Asked           Cause = "other"
)

// Causes has all of them.
var Causes = []Cause{
	FirstJoin, GroupRebalances, FollowUp, Announced, FollowUpMissing, Interrupted, TopicsChanged, Subscribed, LeaderRestarted, Draining,
	Parting, SessionExpired, UnknownMember, OtherGeneration, SignalsChanged, Asked,
}
