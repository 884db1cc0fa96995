package strategy

// UserDataProvider is an optional interface of an [Assignor] that sends data of its own with each join; the leader's assignor
// reads it in [Member.UserData]. Without it a member sends none.
type UserDataProvider interface {
	// UserData is called by each member before its first join and after each assignment, for the join that comes next, never concurrently
	// for one member, nor with what a [Notifier] is told. topics is what the member subscribes to, sorted; it must not be changed or kept. An
	// error leaves the user data out and is logged: a join never fails for it, and does not wait for it for long.
	UserData(topics []string) ([]byte, error)
}

// UserDataFor returns what a wants to send with a join of a member that subscribes to topics, nil if nothing.
func UserDataFor(a Assignor, topics []string) ([]byte, error) {
	if p, ok := As[UserDataProvider](a); ok {
		return p.UserData(topics)
	}
	return nil, nil
}
