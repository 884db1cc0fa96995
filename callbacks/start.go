package callbacks

import (
	"errors"
	"fmt"
	"time"
)

// A Start says where a partition's first record is. The zero Start is the committed offset.
type Start struct {
	From   From
	Offset int64     // of FromOffset: that of the first record, 0 or more
	Time   time.Time // of FromTimestamp: the first record is the first with this time or a later one; the next to come if there is none
}

// From is a kind of [Start].
type From int

// The kinds there are.
const (
	FromCommitted From = iota // where the group has committed; where it has not, the host's configuration decides
	FromEarliest              // the first record there is
	FromLatest                // the next record to come
	FromTimestamp
	FromOffset // an offset that is out of range is treated as the host's configuration says
)

func (f From) String() string {
	names := [...]string{"committed", "earliest", "latest", "timestamp", "offset"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("From(%d)", int(f))
	}
	return names[f]
}

// Check refuses what cannot be meant, such as an offset without FromOffset.
func (s Start) Check() error {
	switch {
	case s.From < FromCommitted || s.From > FromOffset:
		return fmt.Errorf("%s is no kind of start", s.From)
	case s.From != FromOffset && s.Offset != 0:
		return fmt.Errorf("offset %d is set, but the start is from %s", s.Offset, s.From)
	case s.From != FromTimestamp && !s.Time.IsZero():
		return fmt.Errorf("a time is set, but the start is from %s", s.From)
	case s.Offset < 0:
		return fmt.Errorf("offset %d is negative", s.Offset)
	case s.From == FromTimestamp && s.Time.IsZero():
		return errors.New("the start is from a timestamp, but no time is set")
	}
	return nil
}
