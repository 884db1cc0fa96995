// Package lanes carries the requests of a membership machine to brokers and the answers back: each lane is a connection of its own, with
// one request under way at a time. Committed offsets are asked for over a further one.
//
// What belongs here: connections of the group protocol, finding the coordinator, and turning the machine's plain requests and replies into
// Sarama's. What does not: when to send what, and what an answer means; but for committed offsets, which the machine does not ask for.
package lanes
