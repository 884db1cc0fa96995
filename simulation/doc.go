// Package simulation shows what an assignor would do to a consumer group over a series of events, without a cluster: a [Scenario] is
// topics, members and events; [Run] applies the events one by one, has the assignor answer as the group's leader would be asked
// after each, and keeps who owns what, what moved and how good that is.
//
// What belongs here: scenarios and their file format ([Read]), events, and what Kafka's group protocol makes of them: who claims what
// when it joins, follow-up rounds of a cooperative group, static members that a broker waits for; and what is asserted of the result
// ([Assert]). What does not: assignors, how good an answer is (package strategy measures that), how results are printed, networks and
// clocks.
//
// # Rebalances
//
// Each step is one rebalance, as if every event had settled before the next. An eager assignor is asked once; members' claims are in the
// group all the same, as a sticky eager assignor has them sent in its user data. User data itself is not simulated: one assignor
// stands for those of all members, so it is not asked for any and not told of assignments.
//
// A cooperative assignor is asked again while it withholds something: members then own what the answer gave them, the owners of what
// was withheld have given it up, and the generation is one further.
//
// # Static members
//
// A member with an instance id (KIP-345) that goes away for a deploy or a restart is still in the group for the broker, which waits for
// it until the session times out. Nothing is rebalanced, neither when it goes nor when it is back, and it keeps its id and its
// partitions: such a step has no round. A static member leaves for good only by a leave event. Dynamic members come back as
// strangers: with a new id, ID~2, and without partitions.
package simulation
