// Package fetch reads records of partitions ahead, over connections of its own, and hands them out in batches.
//
// A partition is in one of these places at any time: on its way to a known leader and position, ready to be asked for, in a request
// that is under way, or full. For each broker there are a few connections, each with one request under way; whichever is free takes
// everything that is ready. So a partition that is full, slow or in trouble is left out of requests and keeps nobody else waiting, and one
// that was just opened need not wait for a request that is under way.
//
// What belongs here: positions, leaders, errors and buffers of partitions, and what is in a broker's answer. What does not: groups, handlers
// and commits.
package fetch
