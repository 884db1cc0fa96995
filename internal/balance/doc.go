// Package balance decides which member gets each partition of each topic, where members subscribe to some of
// the topics and have integer capacities. It is the solver behind the sticky assignor and behind metrics that compare an
// assignment with the best one. It works on numbers only, in integers, on one goroutine, and its answer depends on
// nothing but the problem and the options.
//
// # Objectives
//
// Solve minimises, each among the assignments that are best in all before:
//
//  1. the partitions on draining members (capacity 0): they get only what nobody else may take;
//  2. the sum of load²/capacity, and with it, where capacities are equal, every other convex measure of balance, the maximum
//     included (for partitions that only draining members may take, the sum of their load²);
//  3. where hosts are given, the sum of the hosts' load²;
//  4. the partitions that an owner loses although it subscribes to them;
//  5. where racks are given, the partitions with known racks at a member with another known rack;
//  6. the sum over topics and members of the square of the partitions that the member has of the topic.
//
// What is still open then follows the order of topics, partitions and members.
//
// With Options.Tolerance the order is: 1; then the fewest moves such that every member's load lies within the tolerance of the
// range of the loads that it has in assignments best in 2; then 2, 5 and 6. Hosts play no role then.
//
// # What is exact
//
// Objectives 1, 2 and 3 always are, and 4 is with one exception: where hosts are given and subscriptions or capacities
// differ, large groups get the fewest moves for the loads chosen for the hosts, not over all such loads. Objectives 5 and 6,
// that exception, and the balance within a tolerance (unless the capacities have a huge common multiple) are exact in
// groups of up to refineArcs subscriptions, and improved by local exchanges in larger ones. Without a limit on the budget
// groups of every size get the exact work, as long as the packed costs fit an integer. Result.Proven says whether it was done.
//
// # Method
//
// Where all subscriptions are equal and all capacities one, loads follow from a formula (equal.go), and partitions are dealt
// in time linear in their number (place.go).
//
// Otherwise partitions are units that flow from topics to members. Topics with equal subscribers are merged
// (classes.go). Loads are an optimal semi-matching with capacities (Harvey, Ladner, Lovász, Tamir), which is a
// decreasingly minimal element of an M-convex set (Frank, Murota): thresholds.go finds what members would take without
// regard to subscriptions; where a maximum flow cannot realise this, the group falls into two parts that no
// optimal assignment mixes (blocks.go). Inside a block the fewest moves are a minimum cost flow, found by the primal-dual
// method from the kept units (mincost.go), if a simple bound does not show that the flow at hand is
// optimal, and in each strong component of the residual network by itself (components.go). Searches
// (search.go) treat sixty-four nodes at a time.
//
// Small groups are then put, partition by partition, into one network in which every objective is a convex cost of
// arcs, and cycles of negative cost are cancelled until there is none (exchange.go, refine.go). Large
// ones get swaps (smooth.go, racks.go).
//
// # Budget
//
// Work is counted in steps of the algorithm, never in time. When the budget ends, the best assignment so far is completed
// (greedy.go): it is never less balanced than one that gives each partition in turn to the subscriber with the cheapest
// next unit. Placing partitions and that greedy assignment are not counted.
package balance
