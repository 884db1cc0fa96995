// Package plugin runs assignors that are executables of their own: shipped to many services, in any language, and replaced without
// rebuilding them.
//
// An author's main is
//
//	func main() { plugin.Serve(myAssignor) }
//
// A host runs only what a lock file names with its sha256. It opens a [Catalog] of folders and takes assignors from it, which are
// used like any other, with another one behind them for when the plugin fails:
//
//	catalog, err := plugin.Open(plugin.Config{Lock: "plugins/assignors.lock"})
//	a, err := catalog.Load("pinned")
//	c, err := consumer.New(consumer.Config{Assignors: []strategy.Assignor{strategy.Fallback(a, sticky.Assignor{})}, ...})
//
// A plugin is not trusted with the life of its host. It is started when it is first asked, in an environment that is empty but for what
// the lock lists, with a bound on its memory where the platform has one; every call has a deadline, what it answers is checked, and one that
// crashes, hangs or talks nonsense is killed and started anew, at growing intervals. It is trusted with everything its user may do on
// the machine: see docs/plugins.md for what is kept from it and what is not.
//
// What belongs here: both ends of the protocol, processes, lock files and folders. What a group looks like on the way is
// internal/wire's, what the messages are is plugin/proto's.
package plugin
