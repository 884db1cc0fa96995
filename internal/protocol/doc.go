// Package protocol reads and writes the bytes that members of a classic consumer group exchange inside Kafka's own requests: what a
// member says when it joins ([Subscription]), what it is given ([Assignment]), the user data in both, and the work of the leader
// between the two ([DecodeJoin], [Join.EncodeAssignments]).
//
// What belongs here: formats that are opaque to the broker, and nothing but their bytes. What does not: requests and responses of
// Kafka's protocol and the connections they travel on, when a member joins or syncs, what an assignor decides, and whether a claim
// holds, which is for [strategy.Tabulate] to say.
//
// # Tolerance
//
// A group is made of programs of several kinds and ages, and what one of them writes must not stop the others. Readers therefore take
// what can be understood: versions above the newest known are read as that one, bytes behind the last known field are passed over. What
// cannot be understood is a [*DecodeError], and the leader sets only that member aside. Writers are strict: they write what Java 4.3
// writes, byte for byte, and refuse what has no place in the format.
//
// # Memory
//
// Lengths are checked against the bytes that are there before anything is allocated for them, so a reader allocates no more than a
// small multiple of its input. User data is never copied: it is part of the input, which must not be changed while it is in use.
package protocol
