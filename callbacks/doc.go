// Package callbacks tells an application which partitions it is given and which it gives up: [OnAssign], [OnRevoke] and [OnLost],
// and what composes them. It knows no network. Who runs a group member and calls these callbacks is called the host here.
//
//	c, err := consumer.New(consumer.Config{
//		Callbacks: callbacks.Chain(
//			callbacks.Log(nil, nil),
//			state, // a *callbacks.PartitionState
//			callbacks.Timeout(callbacks.Funcs{OnRevoke: flush}, 5*time.Second),
//		),
//	})
//
// # What a host guarantees
//
//  1. Order. OnAssign runs once in a rebalance, with the partitions that were added, and returns before the first record of them is
//     delivered; it can set where each starts. OnRevoke runs with those that are removed, after the last record in work is finished
//     and before any other member can own them; offsets committed in it count. OnLost runs instead of OnRevoke where ownership is
//     gone already: another member may be reading the partition, and commits would be refused. What is removed in a rebalance is
//     removed before anything is added.
//  2. One at a time. Callbacks never run concurrently with each other, and each sees what those before it did. Heartbeats go on
//     while they run. The context carries the deadline by which a callback has to return, and ends when it no longer matters.
//  3. Failures stay where they are. An error or panic is reported, stops neither the other callbacks nor the rebalance, and loses
//     no partition.
//  4. What stays is not touched. Partitions that the member keeps are fetched and processed through the whole rebalance, also
//     while the callback for another partition is slow. So handlers of these run concurrently with callbacks. (A member of an eager
//     group gives up everything before it joins again: there, nothing stays.)
//  5. Pairs. For each partition, every OnAssign is followed by exactly one OnRevoke or OnLost: also when the OnAssign failed, and
//     when the host is closed, its context is cancelled, or the coordinator fails. Neither comes for a partition that no OnAssign
//     was called with.
//  6. Only with cause. A callback runs only when something was added or removed; who wants to see every generation asks the host
//     for an observer. Where OnAssign fails, no record of its partitions is delivered: the host stops, or, told so, takes them back
//     with OnRevoke and tries again. A start set in OnAssign discards what was read ahead.
//  7. Bounded. A handler that still runs when the bound for draining ends has its context cancelled. If it stays, its partition is
//     lost (OnLost, [LossUndrained]) and not started here again before the handler returns, while the rest is revoked as usual. A
//     stuck handler is reported, and makes the member not ready.
//
// # What the application does in return
//
//   - It returns from a callback by the context's deadline. The group waits for the slowest member, and puts out one that is too slow:
//     then what OnRevoke does is done without owning the partitions. [Timeout] enforces a bound.
//   - It does not wait in a callback for what cannot happen before the callback returns: another callback, a record, or the host's
//     end.
//   - It takes Added and Removed for what they are, a difference. [Event.Current] is the whole.
//   - It expects OnRevoke and OnLost for partitions with which its own OnAssign failed.
//   - It keeps to the owner's rights: after OnRevoke or OnLost has returned, nothing is written for the partition. What is
//     written elsewhere than to the group's offsets has to be fenced by [Event.Generation] or an epoch of its own, as no callback can
//     come in time on a machine that stood still.
//   - It changes no slice or map that it is handed. It may keep them.
package callbacks
