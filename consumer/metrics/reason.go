package metrics

import "strings"

// A known reason is one of those that a consumer gives for a rebalance, and the value it has as a label.
type known struct {
	value string
	text  string
	part  bool // the text stands behind what was refused, such as a heartbeat
}

// reasons has all of them that the member itself may give. Who calls Rejoin may say anything: that is other.
var reasons = []known{
	{value: "first_join", text: "joining for the first time"},
	{value: "group", text: "the group is rebalancing"}, // somebody else came, went, or asked for it
	{value: "follow_up", text: "partitions were given up"},
	{value: "announced", text: "the round that was announced"},
	{value: "follow_up_missing", text: "the follow-up did not come"},
	{value: "interrupted", text: "another rebalance began"},
	{value: "interrupted", text: "the round is over"},
	{value: "interrupted", text: "the round was interrupted"},
	{value: "topics", text: "topics changed"},
	{value: "subscription", text: "the subscription changed"},
	{value: "subscription", text: "the former self subscribed to more"},
	{value: "leader_restarted", text: "the leader restarted"},
	{value: "drain", text: "draining"},
	{value: "leaving", text: "leaving"},
	{value: "session_expired", text: "session expired"},
	{value: "unknown_member", text: "the group does not know the member", part: true},
	{value: "other_generation", text: "the group is in another generation", part: true},
}

// reason is the value of a label for why there was a rebalance.
func reason(text string) string {
	for _, r := range reasons {
		if text == r.text || r.part && strings.HasSuffix(text, ": "+r.text) {
			return r.value
		}
	}
	return other
}

// reasonValues returns all that reason returns.
func reasonValues() (values []string) {
	for _, r := range reasons {
		if len(values) == 0 || values[len(values)-1] != r.value {
			values = append(values, r.value)
		}
	}
	return append(values, other)
}
