// Package metrics shows Prometheus what a consumer does: rebalances, callbacks, commits and handlers as they are reported, and how its
// partitions are doing whenever metrics are read.
//
//	m := metrics.New(metrics.Config{Group: "billing"})
//	c, err := consumer.New(consumer.Config{Group: "billing", Observer: m, ...})
//	err = m.Watch(c)
//	err = prometheus.Register(m)
//
// A [Collector] belongs to one consumer. Consumers of one process that are in the same group have a [Config.Client] each.
//
// All names begin with assignkit_consumer_; docs/metrics.md lists them with what they mean, and examples/dashboard has a dashboard of
// them for Grafana. Every value of every label is from a closed set, but for group, client, topic and partition: no text of an error
// or a reason becomes one.
//
// What is known of the consumer is read at the time of reading: series of a partition are there while the member has the partition, and
// gone when it has not. What is not known is left out, not 0. What is counted only ever grows.
package metrics
