package callbacks

// Callbacks is all that a host calls. What has only some of the methods is made whole by [Funcs], which the compiler checks:
//
//	callbacks.Funcs{OnRevoke: flusher.Revoked}
type Callbacks interface {
	OnAssign
	OnRevoke
	OnLost
}

// A Wrapper is around other callbacks. Hosts do not assert that callbacks are of some further type but ask [Find], so that no
// wrapper can hide what the inner ones can do.
type Wrapper interface {
	Unwrap() []Callbacks // in the order of assigning
}

// Find returns all that is a T among cb and the callbacks it wraps, outermost first, those of a chain in the order of assigning. That
// is how a host finds what callbacks offer beyond being called: an [io.Closer], an observer.
func Find[T any](cb Callbacks) []T {
	var found []T
	if t, ok := cb.(T); ok {
		found = append(found, t)
	}
	if w, ok := cb.(Wrapper); ok {
		for _, inner := range w.Unwrap() {
			found = append(found, Find[T](inner)...)
		}
	}
	return found
}
