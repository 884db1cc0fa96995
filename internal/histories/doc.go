// Package histories runs members and coordinators of a group in virtual time, over a network that delays, breaks and loses what real ones
// do, and checks after every event what must hold. A history is one run; its seed decides everything in it.
//
// What the network may do is what TCP allows: within a connection everything arrives in order, once, or the connection is broken; of what
// was under way then, some is still carried out, later, and its answer is lost. Between connections there is no order.
package histories
