// Package strategy is the contract between those who decide which member of a Kafka consumer group reads which partition and
// those who ask: an [Assignor] turns a [Group] into an [Assignment].
//
// What belongs here: the types of that contract, what can be said about any answer ([Tabulate], [Validate], [Measure]), wrappers
// that work with any assignor ([Cooperative], [Fallback]) and the registry that finds an assignor by its specification
// ([Register], [Parse]). What does not: how any one assignor decides (packages below strategies), Kafka's wire formats, networks,
// files and processes. The package needs nothing but the standard library, so a program that imports it and one assignor compiles
// no client.
//
// # Writing an assignor
//
//   - Implement Name and Assign; see [Assignor] for what Assign must hold to.
//   - Start with [Tabulate]: members, topics and partitions then have numbers, in an order that all agree on, and claims have been
//     judged. [Table.Assignment] writes the answer.
//   - Answer for every member, also those that get nothing, and list what nobody gets in Unassigned with a true [Reason].
//   - Do not hand out what another member still owns if the group runs cooperatively: wrap the assignor in [Cooperative] instead
//     of doing it yourself.
//   - Take the optional interfaces that apply, listed at [Assignor].
//   - Run [github.com/assignkit/assignkit/strategy/strategytest] in its tests.
package strategy
