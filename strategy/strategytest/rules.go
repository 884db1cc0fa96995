package strategytest

// A rule is one that every assignor must keep. What check finds it notes with fault and faultAt; where an assignor fails to answer at
// all, only the rule "answers" says so.
type rule struct {
	name        string
	explanation string
	check       func(c *checker)
}

var rules = []rule{{
	name:        "name",
	explanation: "Name and the rebalance protocol must be the same at all times and for every assignor made: members agree on the name, and it implies the protocol.",
	check:       checkName,
}, {
	name:        "answers",
	explanation: "Assign must answer for every group: a member that sends odd metadata must not stop the others from being assigned.",
	check:       checkAnswers,
}, {
	name:        "valid",
	explanation: "An answer must be complete and valid by strategy.Validate: hosts refuse any other.",
	check:       checkValid,
}, {
	name:        "reasons",
	explanation: "A partition that somebody could read must not be left to nobody for a reason that the assignor is not known for.",
	check:       checkReasons,
}, {
	name:        "deterministic",
	explanation: "The same group must have the same answer, in whatever order it is told: each generation may have another leader, and nothing may move for that.",
	check:       checkDeterministic,
}, {
	name:        "input",
	explanation: "Assign must not change the group, nor write behind the end of its lists: the host goes on using it.",
	check:       checkInput,
}, {
	name:        "state",
	explanation: "An answer must depend on the group alone, not on calls before, and must not change after it was given.",
	check:       checkState,
}, {
	name:        "concurrent",
	explanation: "Assign must give the same answers when it is called from several goroutines at once: one process may lead several groups.",
	check:       checkConcurrent,
}, {
	name:        "context",
	explanation: "When its context ends, Assign must return soon, with the context's error or an answer that is valid all the same: the rebalance goes on without it.",
	check:       checkContext,
}, {
	name:        "cooperative",
	explanation: "A cooperative assignor must hand out nothing that another member still owns, and once members have done as they are told it must settle.",
	check:       checkCooperative,
}, {
	name:        "userdata",
	explanation: "User data may be missing or come from another program; whatever it is, it must not stop the assignment.",
	check:       checkUserData,
}, {
	name:        "explained",
	explanation: "An explanation must agree with the answer that it is about: whoever reads it at night acts on it.",
	check:       checkExplained,
}}
