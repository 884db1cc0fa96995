package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// An Event is something that happens to a group: [Join], [Leave], [Deploy], [Restart], [Grow], [Create], [Delete],
// [Set], [Measure] or [Change].
//
// Where an event names members it takes patterns: a member's id, or one with * for any characters, ? for any one and [abc] or [a-z] for
// one of several. A pattern that nobody matches is an error.
type Event interface {
	// String describes the event in one line, such as "join billing-3".
	String() string

	// changes lists the steps that the event is made of, given the state before it.
	changes(s *state) ([]change, error)
}

// Join has members join, all at once.
type Join struct {
	// Members are those that join, as in [Scenario]: with Topics nil they read all topics. They may come with claims.
	Members []strategy.Member
	// Count, instead of Members, is how many join, named by [NewMembers].
	Count int
}

// Leave has all members that match leave for good, at once.
type Leave struct{ Members []string }

// Deploy has all members that match replaced, a few at a time, in the order of their ids (billing-2 before billing-10). Each leave
// and each join is a step.
//
// In a batch, first the replacements of Surge members join, then Surge + MaxUnavailable members leave, then the remaining replacements
// join. Static members are restarted in place also where Surge would have their replacement join first, as two members
// of one instance id cannot be; their steps are without a rebalance.
type Deploy struct {
	Members        []string
	Surge          int
	MaxUnavailable int // 0 counts as 1 if Surge is 0 as well
}

// Restart has all members that match go and come back at once. Static ones keep their id and their partitions, others do not say for
// how long they have been running.
type Restart struct{ Members []string }

// Grow has topics get more partitions. Racks, weights and signals repeat the pattern that they had.
type Grow struct{ Topics map[string]int32 } // the new number of partitions

// Create has topics come into being.
type Create struct{ Topics []strategy.Topic }

// Delete has topics go. Members stay subscribed to them, in case they are created again.
type Delete struct{ Topics []string }

// Set has all members that match say something else about themselves from now on, with a rebalance.
type Set struct {
	Members  []string
	Capacity *int32            // 0 is draining; nil: as before
	Rack     *string           // nil: as before
	Topics   []string          // nil: as before; empty and not nil: none
	Labels   map[string]string // added to those before, or in their place

	Uptime  *time.Duration     // nil: as before
	Signals map[string]float64 // added to those before, or in their place
}

func (e Join) String() string {
	if len(e.Members) == 0 {
		return fmt.Sprintf("join %d", e.Count)
	}
	return "join " + enumerate(ids(e.Members))
}

func (e Leave) String() string   { return "leave " + enumerate(e.Members) }
func (e Deploy) String() string  { return "deploy " + enumerate(e.Members) }
func (e Restart) String() string { return "restart " + enumerate(e.Members) }

func (e Grow) String() string {
	var list []string
	for _, topic := range slices.Sorted(maps.Keys(e.Topics)) {
		list = append(list, fmt.Sprintf("%s to %d", topic, e.Topics[topic]))
	}
	return "grow " + enumerate(list)
}

func (e Create) String() string {
	var list []string
	for i := range e.Topics {
		list = append(list, fmt.Sprintf("%s with %d", e.Topics[i].Name, e.Topics[i].Partitions))
	}
	return "create " + enumerate(list)
}

func (e Delete) String() string { return "delete " + enumerate(e.Topics) }

func (e Set) String() string {
	var list []string
	if e.Capacity != nil {
		list = append(list, fmt.Sprintf("capacity %d", *e.Capacity))
	}
	if e.Rack != nil {
		list = append(list, fmt.Sprintf("rack %q", *e.Rack))
	}
	if e.Topics != nil {
		list = append(list, "topics "+cmp.Or(enumerate(e.Topics), "none"))
	}
	for _, key := range slices.Sorted(maps.Keys(e.Labels)) {
		list = append(list, fmt.Sprintf("%s=%s", key, e.Labels[key]))
	}
	if e.Uptime != nil {
		list = append(list, fmt.Sprintf("uptime %v", *e.Uptime))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Signals)) {
		list = append(list, fmt.Sprintf("signal %s %v", name, e.Signals[name]))
	}
	return fmt.Sprintf("set %s: %s", enumerate(e.Members), strings.Join(list, ", "))
}

func ids(members []strategy.Member) []string {
	list := make([]string, len(members))
	for i := range members {
		list[i] = members[i].ID
	}
	return list
}
