// Package coordinator is the coordinator's side of Kafka's classic group protocol as a pure state machine: no goroutine, clock, I/O,
// lock or randomness. One [Machine] is one broker's share of the work for one partition of the log in which groups are kept.
//
// The driver's loop:
//
//  1. Call [Machine.Step] with what happened and the time, never concurrently.
//  2. Append [Output.Append] to the log, durably.
//  3. Only then send [Output.Replies].
//  4. Step with [Tick] when [Output.Wake] has come.
//
// A machine that is elected reads the whole log before it serves: step with [Elected], read, step with [Replayed]. What is not in the log
// is forgotten with the machine: who waits in a join, ids that were handed out and not used yet, a generation that nobody has been given
// an assignment in. That is as much as Kafka's own coordinator forgets.
package coordinator
