// Package bench makes the groups that assignors are measured on: large ones of a named shape, in the phases that a group goes
// through. It measures nothing itself; benchmarks and bench/targets do.
//
// Everything is determined by the shape, so that two programs measure the same group.
package bench
