// Package live reads the consumer groups of a running cluster, whatever client their members use: who is in them, who has which
// partition, how far each is behind, and what is odd.
//
// What belongs here: the requests that ask a cluster about its groups, and what their answers mean together. What does not: how to connect,
// which is for package connect, the bytes that members send each other, which package protocol reads, and what an assignor would make of
// a group. Nothing here changes anything in a cluster.
//
// # Where it comes from
//
// Groups of the consumer protocol (KIP-848) are asked for by ConsumerGroupDescribe, all others by DescribeGroups. A classic group's
// broker knows only bytes that members sent: subscriptions and assignments are decoded here, and what does not decode sets only that member
// aside. Which generation such a group is in no request tells. Offsets that are committed come from the coordinator, ends of logs from the
// leaders, each asked once for all its partitions.
//
// # Permissions
//
// Describe on the group and on its topics. Topics that may not be described are remarked, and shown as far as the group tells of them.
package live
