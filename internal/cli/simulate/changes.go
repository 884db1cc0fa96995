package simulate

import (
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// A change is what becomes of one member.
type change struct {
	member        string
	before, after int // partitions; absent where it is not in the group
	gained, lost  []strategy.TopicPartitions
}

const absent = -1

// changes compares the end with what was before, by member in the order of their names.
func changes(r *simulation.Result) []change {
	before, after := before(r), lastStep(r).Assignment.Members
	ids := slices.Collect(maps.Keys(after))
	for id := range before {
		if _, ok := after[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, output.CompareNames)
	list := make([]change, len(ids))
	for k, id := range ids {
		was, had := before[id]
		is, has := after[id]
		list[k] = change{
			member: id, before: absent, after: absent,
			gained: difference(is, was), lost: difference(was, is),
		}
		if had {
			list[k].before = strategy.Count(was)
		}
		if has {
			list[k].after = strategy.Count(is)
		}
	}
	return list
}

func lastStep(r *simulation.Result) *simulation.Step { return &r.Steps[len(r.Steps)-1] }

// before returns who had what before anything happened: at the end of the start, and if nothing happens after that, what members
// claimed.
func before(r *simulation.Result) map[string][]strategy.TopicPartitions {
	if len(r.Steps) > 1 {
		return r.Steps[0].Assignment.Members
	}
	before := map[string][]strategy.TopicPartitions{}
	t, err := strategy.Tabulate(r.Steps[0].Group)
	if err != nil {
		return before // it has been run, so this cannot be
	}
	owned := t.Assignment(t.Keepers()).Members
	for id, list := range owned {
		if len(list) > 0 {
			before[id] = list
		}
	}
	if len(before) == 0 {
		return before // nobody had anything: all are new
	}
	return owned
}

// difference returns what is in a and not in b. Both are sorted, as in an assignment.
func difference(a, b []strategy.TopicPartitions) []strategy.TopicPartitions {
	var out []strategy.TopicPartitions
	for i, k := 0, 0; i < len(a); i++ {
		for k < len(b) && b[k].Topic < a[i].Topic {
			k++
		}
		var other []int32
		if k < len(b) && b[k].Topic == a[i].Topic {
			other = b[k].Partitions
		}
		if left := without(a[i].Partitions, other); len(left) > 0 {
			out = append(out, strategy.TopicPartitions{Topic: a[i].Topic, Partitions: left})
		}
	}
	return out
}

func without(a, b []int32) []int32 {
	if slices.Equal(a, b) {
		return nil
	}
	var out []int32
	k := 0
	for _, p := range a {
		for k < len(b) && b[k] < p {
			k++
		}
		if k == len(b) || b[k] != p {
			out = append(out, p)
		}
	}
	return out
}
