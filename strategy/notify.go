package strategy

// Received is what one member was given in one generation of its group.
type Received struct {
	Group      string
	Generation int32
	Member     string
	Partitions []TopicPartitions // all that the member is to own from now on, sorted
	UserData   []byte            // what the leader's assignor added for this member
}

// Notifier is an optional interface of an [Assignor] that is told of each assignment. Without it, nothing is told.
type Notifier interface {
	// OnAssignment is called by each member after it has received an assignment and before any callback of the application,
	// never concurrently for one member. It must not block, change or keep r.
	OnAssignment(r Received)
}

// Notify tells a what a member has received, if a wants to know.
func Notify(a Assignor, r Received) {
	if n, ok := As[Notifier](a); ok {
		n.OnAssignment(r)
	}
}
