// Package embedded is a Kafka cluster in this process, for commands that show something without a cluster of one's own and for tests: a
// fake that speaks Kafka's protocol on loopback and keeps everything in memory.
//
// What belongs here: starting and ending it, topics, records, a sample of both with consumer groups that are alive, and waiting for what happens on it. What does not: real
// brokers, which package kafkatest starts, and what is asked of a cluster.
package embedded
