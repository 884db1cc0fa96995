// Package bench shows what assignors make of groups in which members come and go: a [Workload] is a group and what happens to it, drawn
// from a seed; [Run] has an assignor answer after each thing that happens, and says how even that is, what moves, and how much more than
// the exact minimum. A [Suite] runs many workloads under many assignors with many seeds.
//
// [Profiles] are churn as it is told of groups in production; [Grid] is groups of all sizes, described by a [Shape]. Whoever wants another
// workload writes a value of that type, or makes one of a scenario.
//
// What belongs here: workloads, running them, what is counted. What does not: what an event does to a group and how it is assigned
// (package simulation), how good one answer is (package strategy), tables and files (the command bench).
//
// Everything but time and memory is determined by the workload, the seed and the assignor, on every machine.
package bench
