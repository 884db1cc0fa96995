// Package consumer runs a member of a Kafka consumer group: it is given partitions by the group's assignor, reads them, hands the records to
// a handler, commits what was processed, and tells the application when partitions come and go.
//
//	c, err := consumer.New(consumer.Config{
//		Brokers:   []string{"localhost:9092"},
//		Group:     "billing",
//		Topics:    []string{"orders"},
//		Callbacks: callbacks.Funcs{OnAssign: load, OnRevoke: save},
//	})
//	err = c.Run(ctx, func(ctx context.Context, m *consumer.Message) error { ... })
//
// It speaks Kafka's classic group protocol over connections of Sarama's, of its own for each purpose: one for joining and heartbeats, one for
// commits, others for reading. So no rebalance waits for records, and no record waits for a rebalance.
//
// # Goroutines
//
// Each partition has a goroutine on which its handler runs, record after record. Handlers of different partitions run concurrently. Callbacks
// run one at a time, on a goroutine that is none of these; what they may rely on is said in package callbacks. Heartbeats, commits and
// reading ahead go on whatever a handler or a callback does. The methods of a [Consumer] may be called from any goroutine, at any
// time; also from handlers and callbacks, but for waiting there for what cannot come before they return.
//
// # What is committed
//
// With [CommitAuto], an offset is committed when every record before it has been processed: the handler has returned nil for it, or its
// failure was dealt with as [FailurePolicy] says. So a crash repeats records and loses none. Committed offsets of a partition do not go back
// while the member has it. Commits that meet a coordinator that is away, or a rebalance, are kept and sent again; a commit of a later
// offset takes the place of an earlier one.
//
// # The end
//
// When the context of Run ends, so do the handlers' contexts. [Consumer.Close] lets handlers finish the record that they are in. Both
// then commit, run OnRevoke for everything that is owned, and leave the group, within [Config.CloseTimeout]. A static member stays in the
// group, so that it finds its partitions again when it comes back within the session timeout.
package consumer
