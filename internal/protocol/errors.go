package protocol

import (
	"errors"
	"fmt"
)

// What can be wrong with the bytes of a [DecodeError].
var (
	// ErrTruncated means: the bytes end before the field does, or a length reaches past their end.
	ErrTruncated = errors.New("the bytes end too early")
	// ErrLength means: a length is negative where there is no such length.
	ErrLength = errors.New("the length is negative")
	// ErrVersion means: the version is below 0, so the bytes are no such format at all.
	ErrVersion = errors.New("the version is negative")
	// ErrText means: a name is not UTF-8.
	ErrText = errors.New("the text is not UTF-8")
	// ErrOrder means: what has to ascend does not, or something is there twice.
	ErrOrder = errors.New("out of order")
)

var (
	// ErrLimit means: something is larger than its format allows. Writers return it, and readers of [UserData].
	ErrLimit = errors.New("beyond the limit")
	// ErrNoMetadata is what the leader remarks about a member that joined without metadata. Such a member reads nothing.
	ErrNoMetadata = errors.New("the member sent no metadata")
)

// A DecodeError says where bytes stop making sense.
type DecodeError struct {
	Format string // "subscription", "assignment", "sticky user data" or "user data"
	Field  string // such as "topics[3]"
	Offset int    // of the field, in bytes
	Err    error  // ErrTruncated, ErrLength, ErrVersion, ErrText, ErrOrder or ErrLimit
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("%s: %s at byte %d: %v", e.Format, e.Field, e.Offset, e.Err)
}

// Unwrap returns e.Err.
func (e *DecodeError) Unwrap() error { return e.Err }
