// Package weighted decides which member gets each partition where partitions weigh different amounts: by lag, by bytes a second, by
// what they cost. It also knows members that may have single partitions only, partitions that have to stay together, a limit of
// partitions a member, preferences, and bounds of what may move. It works on numbers, on one goroutine, and its answer
// depends on nothing but the problem and the options: on no clock, no order of a map, and no processor's way to round.
//
// # Always
//
// Whatever the problem, a member gets only what it may have and no more than the limit; partitions that are together go to one
// member, unless no member may have them all, which Result.Split reports; a draining member (capacity 0) has only what nobody else
// may have, or can within the limit. A partition that nobody has is in Result.Unassigned with what it lacks. Where nothing
// is together and nobody drains, as many partitions have an owner as the limit allows, without taking one from those that have theirs. MaxMoves and MaxWeight hold
// for all moves that are not forced.
//
// # Objectives
//
// Balance comes first: ratios of load to capacity as low as can be, the highest first. Then the least weight that moves, then
// preference, which decides where partitions without owner are placed, and between steps that are equal otherwise. It never moves a
// partition by itself. Partitions without weight stay where they are: give everything a little weight if they are to be spread, too.
//
// Where all partitions weigh the same and nothing else is asked for, internal/balance decides, and its answer is exact. Else
// the problem is NP-hard (a member with half of the weight is a partition problem), and nothing is promised about how near
// the best the answer is. TestBrute measures it on small groups; on large ones the benchmarks compare with a lower bound.
//
// In the strict mode members give up load as long as the largest ratio falls. The tolerant mode is for weights that are measured and
// change from one rebalance to the next: a member gives something up only if it is above its own target by more than Gain
// and the noise of what it has, and then only if its load falls by as much; and one far below its target takes from others. Weights
// that vary within the noise around what they were when the group was balanced move nothing, but with a small probability: the
// band is 3.5 standard deviations wide. A group that was just solved usually finds nothing to do when it is solved again, and in
// the second round of a cooperative rebalance; unlike internal/balance this does not promise it.
//
// # Method
//
// A target for each member is what it would have if partitions could be divided, the least sum of load²/capacity, by filling
// members like communicating vessels, one class of equal eligibility after the other; again without partitions too heavy to be
// divided fairly (targets.go). Owners keep what they may. What has no owner goes to the member with the least resulting
// ratio, the heaviest first (place.go), by longest-processing-time first as Graham described it; within a limit, along an
// augmenting path of a bipartite matching if need be (search.go). These placements are then improved freely, as they move nothing.
//
// Members above their triggers are relieved by moves and swaps with the least loaded members, by a chain of members
// that pass something on, or by dividing anew all that two members have (improve.go, chain.go, shed.go). Members far
// below their targets take from others (pull.go). What proves not to be needed is taken back (settle.go). Each move carries the
// step that decided it.
//
// # Budget
//
// Work is counted in steps, never in time. When the budget ends, what has been reached is returned and Result.Stopped says what was
// being done. Placing partitions is not counted. A context that ends is an error, whatever has been reached: an answer that depended on time
// could not be had again. Where internal/balance decides, only its budget
// bounds the work.
package weighted
