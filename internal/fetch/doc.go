// Package fetch reads records of partitions ahead, over connections of its own, and hands them out in batches.
//
// A partition is in one place at a time: on its way to a leader and a position, ready to be asked for, in a request that is under way,
// waiting after an error, or full. For each broker there are a few lanes, connections with one request under way each; whichever is free
// takes all that is ready. So a partition that is full, slow or in trouble is left out of requests and keeps nobody else waiting, and one
// that was just opened goes out at once, whatever else is under way. Lanes whose partitions have nothing to read return a little before
// the first lane does, and hand them over to it; the other lanes are given up when they are idle.
//
// What belongs here: leaders, positions, errors and buffers of partitions, and what is in a broker's answer. What does not: groups, handlers
// and commits.
package fetch
