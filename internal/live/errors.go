package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/suggest"
)

// What can be wrong with a group that was asked for.
var (
	// ErrNoGroup means: the cluster has no group of this name, or shows none to this user.
	ErrNoGroup = errors.New("no such group")
	// ErrRebalancing means: the group was in the middle of a rebalance for as long as was waited.
	ErrRebalancing = errors.New("the group is rebalancing")
	// ErrNotConsumers means: the group's members are no consumers, so there is nobody to have partitions.
	ErrNotConsumers = errors.New("not a consumer group")
)

// A GroupError says why a group cannot be shown.
type GroupError struct {
	Group string
	State string // for ErrRebalancing: the last that was seen
	Kind  error  // one of the errors above
	Text  string
}

func (e *GroupError) Error() string { return fmt.Sprintf("group %q %s", e.Group, e.Text) }

// Unwrap returns Kind.
func (e *GroupError) Unwrap() error { return e.Kind }

// maxNamed is how many groups an error names.
const maxNamed = 10

func noGroup(name string, others []string) error {
	e := &GroupError{Group: name, Kind: ErrNoGroup, Text: "does not exist"}
	if len(others) == 0 {
		e.Text += "; there are no groups, or none that may be described"
		return e
	}
	if near := suggest.Nearest(name, others); near != "" {
		e.Text += fmt.Sprintf("; did you mean %q?", near)
	}
	shown := slices.Sorted(slices.Values(others))
	rest := len(shown) - maxNamed
	if rest > 0 {
		shown = shown[:maxNamed]
	}
	for i := range shown {
		shown[i] = quoteOdd(shown[i])
	}
	list := strings.Join(shown, ", ")
	if rest > 0 {
		list += fmt.Sprintf(" and %d more", rest)
	}
	if strings.HasSuffix(e.Text, "?") {
		e.Text += " There are " + list
	} else {
		e.Text += "; there are " + list
	}
	return e
}

// quoteOdd quotes names that have anything but letters and what commonly stands between them.
func quoteOdd(name string) string {
	odd := func(r rune) bool {
		return r <= ' ' || r > '~' || r == ',' || r == '"'
	}
	if name == "" || strings.ContainsFunc(name, odd) {
		return fmt.Sprintf("%q", name)
	}
	return name
}

func rebalancing(name, state string, waited time.Duration) error {
	text := "is rebalancing (" + state + ")"
	if waited > 0 {
		text += fmt.Sprintf(" and has not come to rest within %s", waited)
	}
	return &GroupError{Group: name, State: state, Kind: ErrRebalancing, Text: text + "; ask again in a moment"}
}

func notConsumers(name, what string) error {
	return &GroupError{Group: name, Kind: ErrNotConsumers, Text: fmt.Sprintf("is of type %q: its members are no consumers with partitions of their own", what)}
}
