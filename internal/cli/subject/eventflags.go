package subject

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// eventFlags are the flags that make something happen. All append to one list, so that events come in the order of the command line.
var eventFlags = []struct {
	name, usage string
	parse       func(string) (simulation.Event, error)
}{
	{"join", "members join: how many, or their `NAMES`", join},
	{"leave", "members leave: `NAMES`", patterns(func(p []string) simulation.Event { return simulation.Leave{Members: p} })},
	{"restart", "members restart at once: `NAMES`", patterns(func(p []string) simulation.Event { return simulation.Restart{Members: p} })},
	{"deploy", "members are replaced one by one: `NAMES`[,surge=N][,max-unavailable=N]; with --static they come back as themselves", deploy},
	{"grow", "topics grow: `TOPIC=N`,... to N partitions", grow},
	{"create", "topics are created: `TOPIC=N`,... with N partitions", create},
	{"delete", "topics are deleted: `TOPICS`", patterns(func(p []string) simulation.Event { return simulation.Delete{Topics: p} })},
	{"set", "members change: `NAME:KEY=VALUE`,... of capacity (0 drains), rack, uptime (10m), label.KEY, signal.KEY", set},
}

// AddEventFlags adds the flags that make something happen.
func (o *Options) AddEventFlags(cmd *cobra.Command) {
	for _, f := range eventFlags {
		cmd.Flags().Func(f.name, f.usage, func(text string) error {
			e, err := f.parse(text)
			if err != nil {
				return err
			}
			o.Events = append(o.Events, e)
			return nil
		})
	}
}

func patterns(event func([]string) simulation.Event) func(string) (simulation.Event, error) {
	return func(text string) (simulation.Event, error) {
		items, err := List(text)
		if err != nil {
			return nil, err
		}
		return event(items), nil
	}
}

func join(text string) (simulation.Event, error) {
	n, names, err := countOrNames(text)
	switch {
	case err != nil:
		return nil, err
	case names != nil:
		return simulation.Join{Members: named(names)}, nil
	case n == 0:
		return nil, fmt.Errorf("nobody joins")
	}
	return simulation.Join{Count: n}, nil
}

func create(text string) (simulation.Event, error) {
	list, err := topics(text)
	if err != nil {
		return nil, err
	}
	return simulation.Create{Topics: list}, nil
}

func grow(text string) (simulation.Event, error) {
	list, err := topics(text)
	if err != nil {
		return nil, err
	}
	e := simulation.Grow{Topics: map[string]int32{}}
	for _, t := range list {
		e.Topics[t.Name] = t.Partitions
	}
	return e, nil
}

func deploy(text string) (simulation.Event, error) {
	items, err := List(text)
	if err != nil {
		return nil, err
	}
	var e simulation.Deploy
	for _, item := range items {
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			e.Members = append(e.Members, item)
			continue
		}
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a number", key, value)
		}
		switch key {
		case "surge":
			e.Surge = int(n)
		case "max-unavailable", "max_unavailable":
			e.MaxUnavailable = int(n)
		default:
			return nil, fmt.Errorf("%q: there are surge and max-unavailable", key)
		}
	}
	if len(e.Members) == 0 {
		return nil, fmt.Errorf("%q names no members", text)
	}
	return e, nil
}

// set parses MEMBER:KEY=VALUE,... . The member's id may contain colons, so the last one before the first "=" counts.
func set(text string) (simulation.Event, error) {
	head, _, _ := strings.Cut(text, "=")
	colon := strings.LastIndexByte(head, ':')
	if colon <= 0 {
		return nil, fmt.Errorf("%q is not MEMBER:KEY=VALUE, such as billing-2:capacity=0", text)
	}
	items, err := List(text[colon+1:])
	if err != nil {
		return nil, err
	}
	e := simulation.Set{Members: []string{text[:colon]}}
	for _, item := range items {
		key, value, ok := strings.Cut(item, "=")
		label, isLabel := strings.CutPrefix(key, "label.")
		switch {
		case !ok:
			return nil, fmt.Errorf("%q is not KEY=VALUE", item)
		case strings.Contains(key, ":") && !isLabel:
			return nil, fmt.Errorf("%q: another member needs --set again: --set %s:... --set %s", item, text[:colon], item)
		case isLabel && label != "":
			if e.Labels == nil {
				e.Labels = map[string]string{}
			}
			e.Labels[label] = value
		default:
			if err := setOne(&e, key, value); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// setOne is set for one key that is not a label's.
func setOne(e *simulation.Set, key, value string) error {
	signal, isSignal := strings.CutPrefix(key, "signal.")
	switch {
	case key == "capacity":
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 0 || n > strategy.MaxCapacity {
			return fmt.Errorf("capacity %q is not a number from 0 to %d", value, strategy.MaxCapacity)
		}
		capacity := int32(n)
		e.Capacity = &capacity
	case key == "rack":
		e.Rack = &value
	case key == "uptime":
		uptime, err := time.ParseDuration(value)
		if err != nil || uptime < 0 {
			return fmt.Errorf("uptime %q is not a duration such as 10m", value)
		}
		e.Uptime = &uptime
	case isSignal && signal != "":
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(math.Abs(x) <= strategy.MaxWeight) {
			return fmt.Errorf("signal %q: %q is not a number within ±%v", signal, value, strategy.MaxWeight)
		}
		if e.Signals == nil {
			e.Signals = map[string]float64{}
		}
		e.Signals[signal] = x
	default:
		return fmt.Errorf("%q: there are capacity, rack, uptime, label.NAME and signal.NAME", key)
	}
	return nil
}
