package consumertest

// A rule is one that callbacks must keep. Where it is looked at: calls.go for how calls end, host.go for commits, judge.go for what is kept.
type rule struct {
	name        string
	explanation string
}

// The rules' names, in the order in which faults are reported.
const (
	rulePanics    = "panics"
	ruleReturns   = "returns"
	ruleContext   = "context"
	ruleErrors    = "errors"
	ruleGone      = "gone"
	ruleStays     = "stays"
	ruleOutside   = "outside"
	ruleLost      = "lost"
	ruleCommits   = "commits"
	ruleState     = "state"
	ruleArguments = "arguments"
)

var rules = []rule{{
	rulePanics, "Callbacks and handlers must return: a panic counts as a failed callback, and one that ends its goroutine takes the host's with it.",
}, {
	ruleReturns, "A callback must return before its deadline, and wait for nothing that comes only after it has returned: the whole group waits for it, and puts the member out.",
}, {
	ruleContext, "When its context ends, a callback must return soon: what it was to do does not matter any more, and the next callback waits.",
}, {
	ruleErrors, "With time and a working application, callbacks and handlers must succeed: after a failed OnAssign no record is delivered.",
}, {
	ruleGone, "After OnRevoke or OnLost nothing must be kept for the partition: another member goes on with it, and what was kept would be out of date when it comes back.",
}, {
	ruleStays, "What a callback is not about must be left alone: Added and Removed are a difference, Current is the whole.",
}, {
	ruleOutside, "Only partitions that the member has may be used: nothing kept, started or committed for any other.",
}, {
	ruleLost, "OnLost must not commit, and not fail because it cannot: the partition is another member's by now, and commits for it are refused.",
}, {
	ruleCommits, "What is committed must be the offset of the next record to handle: more would lose records, less than what the group had would repeat them.",
}, {
	ruleState, "What is kept for a partition must fit the offset at which it goes on: saved with what is committed, and not saved beyond it. Or save the offset with it, and have OnAssign start there.",
}, {
	ruleArguments, "Slices and maps in a callback's argument may be kept, and must not be changed.",
}}
