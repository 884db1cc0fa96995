package subject

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// List is a flag's value that is separated by commas, without spaces around the items.
func List(text string) ([]string, error) {
	items := strings.Split(text, ",")
	for i := range items {
		if items[i] = strings.TrimSpace(items[i]); items[i] == "" {
			return nil, fmt.Errorf("%q has an empty item", text)
		}
	}
	return items, nil
}

// topics parses what --topics and --create take: orders=12,payments=6.
func topics(text string) ([]strategy.Topic, error) {
	items, err := List(text)
	if err != nil {
		return nil, err
	}
	out := make([]strategy.Topic, len(items))
	for i, item := range items {
		name, number, ok := strings.Cut(item, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not TOPIC=PARTITIONS, such as orders=12", item)
		}
		n, err := strconv.ParseInt(number, 10, 64) // beyond its range: the nearest within it
		switch {
		case err != nil && !isRange(err):
			return nil, fmt.Errorf("%s=%s: the number of partitions is not a number", name, number)
		case n < 1:
			return nil, fmt.Errorf("%s=%s: a topic has at least 1 partition", name, number)
		case n > strategy.MaxPartitions:
			return nil, fmt.Errorf("%s=%s: at most %d partitions are possible", name, number, strategy.MaxPartitions)
		}
		for _, other := range out[:i] {
			if other.Name == name {
				return nil, fmt.Errorf("topic %s is listed twice", name)
			}
		}
		out[i] = strategy.Topic{Name: name, Partitions: int32(n)}
	}
	return out, nil
}

func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }

// members parses what --members takes: a number, or names. Those that are only counted are named by [simulation.NewMembers].
func members(text string) ([]strategy.Member, error) {
	n, names, err := countOrNames(text)
	if err != nil {
		return nil, err
	}
	if names == nil {
		return simulation.NewMembers(nil, n), nil
	}
	return named(names), nil
}

func named(names []string) []strategy.Member {
	out := make([]strategy.Member, len(names))
	for i, name := range names {
		out[i] = strategy.Member{ID: name, Generation: strategy.NoGeneration}
	}
	return out
}

// countOrNames parses a number of members, or names, which are then not nil.
func countOrNames(text string) (int, []string, error) {
	if text != "" && strings.Trim(text, "-+0123456789") == "" {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil && !isRange(err):
			return 0, nil, fmt.Errorf("%q is neither a number nor names", text)
		case n < 0:
			return 0, nil, fmt.Errorf("%s: there cannot be fewer than 0 members", text)
		case n > simulation.MaxMembers:
			return 0, nil, fmt.Errorf("%s: at most %d members are possible", text, simulation.MaxMembers)
		}
		return n, nil, nil
	}
	names, err := List(text)
	if err != nil {
		return 0, nil, err
	}
	sorted := slices.Sorted(slices.Values(names))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return 0, nil, fmt.Errorf("member %s is listed twice", sorted[i])
		}
	}
	return 0, names, nil
}
