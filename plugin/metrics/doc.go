// Package metrics shows Prometheus how assignor plugins do: whether they run, how often they were started, have answered and failed, and why.
//
//	catalog, err := plugin.Open(plugin.Config{})
//	err = prometheus.Register(metrics.New(catalog))
//
// All names begin with assignkit_plugin_; docs/metrics.md lists them with what they mean. Every series has the label plugin, its name. Every value
// of every other label is from a closed set, but for version, which is that of the lock file.
//
// All of it is read from the catalog whenever metrics are read. Series of a plugin are there while somebody uses it; its counters begin anew when
// it is used again after that. What is not known is left out, not 0.
package metrics
