package callbacks

// Callbacks is all that a host calls. What has only some of the methods is made whole by [Funcs], which the compiler checks:
//
//	callbacks.Funcs{OnRevoke: flusher.Revoked}
type Callbacks interface {
	OnAssign
	OnRevoke
	OnLost
}
