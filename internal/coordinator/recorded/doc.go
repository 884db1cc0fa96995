// Package recorded holds what a real Kafka broker's classic group coordinator answers to scripted requests, and compares package
// coordinator with it.
//
// Each file of testdata is a lesson about one thing: blocks of commands, a line of dashes, and what came of them. TestModel, which needs
// no broker, plays the commands on a [coordinator.Machine] in virtual time and fails where it answers otherwise. TestKafka (build tag
// kafka) plays them on a broker and fails where that answers otherwise than it did; with -update it rewrites the files instead. Answers
// are written down by the broker only, never by the model.
//
// # Commands
//
// Members go by names of the lesson's choice, and so do their ids, which differ in each run: the first id that m is given is m, the next
// m-2. Each request goes by a connection that none other uses at the time. A member keeps the settings of its last join, and speaks as
// who it was last told to be, if a command does not say otherwise.
//
//	broker KEY=VALUE ...      as a first command: properties of the broker
//	NAME join [KEY=VALUE ...] JoinGroup: instance, session, rebalance (5 minutes each), offers (assignors, range if it does not say), says
//	                          (user data of its subscription)
//	NAME enter [KEY=VALUE ..] two joins: to get an id, and with it
//	NAME sync [MEMBER=0,1 ..] SyncGroup; the leader's says who gets which partitions of the topic t, which has four
//	NAME heartbeat            Heartbeat
//	NAME commit 0@5 ...       OffsetCommit
//	NAME fetch 0 ...          OffsetFetch
//	NAME leave                LeaveGroup
//	NAME disconnect           lose the connections on which requests wait
//	group NAME ...            these enter one after another; the group is stable, and the first leads
//	await NAME REQUEST        let time pass until that request, which waits, is answered
//	gone NAME                 let time pass until the coordinator has removed that member
//	at DURATION               let time pass until so long after the lesson began
//	state                     tell the state of the group
//	waiting                   tell which requests are not answered yet
//	delete group              DeleteGroups
//	restart broker            kill it, and start it again
//	quietly COMMAND           do not write down what comes of it
//	beyond COMMAND            for the broker only: the model knows no such thing. Such commands have blocks of their own
//
// All requests may say id (a name, - for none), instance (- for none) and generation; joins of the broker only, type (of the protocol)
// and version; all of the broker only, group.
package recorded
