// Package membership is a member's side of Kafka's classic group protocol as a pure state machine: no goroutine, clock, I/O, lock or
// randomness. The consumer drives it over the network, simulations and tests in virtual time.
//
// The driver's contract:
//
//  1. Call [Machine.Step] with each input and the time, from one goroutine at a time. Inputs that come at one moment are stepped one
//     after another, and the output of each is carried out before the next.
//  2. Carry an [Output] out in the order of its fields; each says what its duty is and which input it is to be answered with.
//  3. Requests of one lane go over one connection to the coordinator, in order; lanes have connections of their own. Replies come back as
//     [Replied]. A connection that breaks, or cannot be made, is [Disconnected], and answers for all requests of that lane.
//  4. Callbacks run one at a time, on a goroutine of their own, while steps go on. Each ends in [CallbackDone], also if it panics.
//  5. Step with [Tick] when [Output.Wake] has come.
//  6. Stop when [Output.Ended] is set.
//
// What the machine guarantees to the application:
//
//   - Callbacks are serial: the next one is put out only after [CallbackDone].
//   - Each partition of an Assign is part of exactly one later Revoke or Lost, also at the end; never of one without an Assign before.
//   - No callback is empty, and partitions that stay are in none.
//   - A Revoke ends, and commits made in it are answered, before any join that does not claim its partitions.
//   - Lost comes when the group has, or may have, given the partitions away. Commits of them are refused from then on.
//   - Committed offsets of a partition only grow while this member has it, but for a [Commit] that rewinds. A commit that was abandoned with a
//     connection may still be carried out late; it is made good within [Config.Request].
//   - Who is to leave says Revoke, not Lost, as long as the group knows it; and [Output.Ended] comes when the callbacks that then run have ended,
//     or at the latest, apart from them, after [Config.Leave].
package membership
