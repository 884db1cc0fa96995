package strategy

import (
	"context"
	"errors"
	"io"
)

// Assignor decides which member of a group consumes which partition.
//
// Assign is called by the member that leads the group, once per rebalance, on a goroutine of its own; calls for different
// groups may run concurrently, so Assign must be safe for concurrent use. It must be deterministic: the same group, in any order of
// members and topics, gives the same assignment. It must not keep state between calls unless its documentation says so, must not
// change or keep the group, and must return soon after ctx ends, with ctx's error unless it has a right answer by then. The answer may share memory with the group;
// neither is changed afterwards.
//
// Name is the protocol name on the wire, the same for all members that are to understand each other, and never changes. A name
// implies one [Protocol].
//
// An assignor may implement any of these as well; the functions that look them up walk through wrappers (see [As]):
//
//   - [Protocoler]: it runs cooperatively. Without it, eagerly.
//   - [UnitProvider]: some partitions move only together.
//   - [UserDataProvider]: it sends data of its own with each join.
//   - [Notifier]: it is told of each assignment.
//   - [SignalUser]: it looks at what is measured while the group runs.
//   - [Explainer]: it tells why it decides as it does. Without it, what follows from the answer is told.
//   - [io.Closer]: it holds resources. Who parsed or built it closes it, with [Close].
type Assignor interface {
	Name() string
	Assign(ctx context.Context, g *Group) (Assignment, error)
}

// Wrapper is implemented by assignors that wrap another. A wrapper offers nothing of what it wraps but Unwrap; [As] walks the
// chain, so no wrapper hides an ability. A chain is followed for 100 steps.
type Wrapper interface {
	Unwrap() Assignor
}

// maxChain bounds a chain of wrappers, so that one that bites its tail is not followed for ever.
const maxChain = 100

// chain lists a and what it wraps, outermost first.
func chain(a Assignor) []Assignor {
	var list []Assignor
	for a != nil && len(list) < maxChain {
		list = append(list, a)
		w, ok := a.(Wrapper)
		if !ok {
			break
		}
		a = w.Unwrap()
	}
	return list
}

// As finds the first assignor in a's chain of wrappers, a itself first, that implements T.
func As[T any](a Assignor) (T, bool) {
	for _, x := range chain(a) {
		if t, ok := x.(T); ok {
			return t, true
		}
	}
	var none T
	return none, false
}

// Close closes every assignor in a's chain that is an [io.Closer], outermost first, and joins their errors. Closing is up to who
// made the assignor: hosts never close what they were handed.
func Close(a Assignor) error {
	var errs []error
	for _, x := range chain(a) {
		if c, ok := x.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
