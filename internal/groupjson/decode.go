package groupjson

import (
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// Decode reads a group from one line. Its error is an [*Error]. What it returns passes [strategy.Group.Check]; claims may still be
// odd, as a member may claim anything.
//
// Fields are as they stand in the line: topics, members, subscriptions and claims in its order.
func Decode(line []byte) (*strategy.Group, error) {
	return decode(line, strategy.MaxPartitions)
}

// decode is Decode with a limit of partitions in all.
func decode(line []byte, limit int) (*strategy.Group, error) {
	r, err := newReader(line)
	if err != nil {
		return nil, err
	}
	if r.next() != '{' {
		return nil, problem("wants an object with topics and members, not %s", r.kind())
	}
	d := decoder{reader: r, limit: limit, topics: map[string]int{}}
	if err := d.group(); err != nil {
		return nil, err
	}
	return &d.result, nil
}

type decoder struct {
	*reader
	limit  int
	result strategy.Group
	topics map[string]int // where each topic stands in result

	measured int // numbers of signals

	// The topics of the last member, as text and as list: members mostly subscribe to the same, and share the list then.
	subscription []byte
	subscribed   []string
}

// once makes sure that no key of an object stands twice, which JSON allows and readers take differently.
type once map[string]bool

func (o once) add(key string) error {
	if o[key] {
		return problem("stands twice")
	}
	o[key] = true
	return nil
}

// factKeys are fields about topics, in the order in which they are read.
var factKeys = []string{"racks", "weights", "leader_racks", "signals"}

// group reads the line. What it has about topics may stand before the topics, so it is read last.
func (d *decoder) group() error {
	fields := once{}
	facts := map[string]int{} // where they stand
	err := d.object(func(key string) error {
		var read func() error
		switch key {
		case "topics":
			read = d.counts
		case "members":
			read = d.members
		default:
			if !slices.Contains(factKeys, key) {
				d.skip()
				return nil
			}
			read = func() error { d.next(); facts[key] = d.at; d.skip(); return nil }
		}
		if err := fields.add(key); err != nil {
			return within(key, err)
		}
		return within(key, read())
	})
	if err != nil {
		return err
	}
	for _, key := range []string{"topics", "members"} {
		if !fields[key] {
			return within(key, problem("is missing"))
		}
	}
	for _, key := range factKeys {
		at, some := facts[key]
		if !some {
			continue
		}
		d.at = at
		var err error
		switch key {
		case "racks":
			err = d.facts(d.racks)
		case "weights":
			err = d.facts(d.weights)
		case "leader_racks":
			err = d.facts(d.leaderRacks)
		case "signals":
			err = d.signals()
		}
		if err != nil {
			return within(key, err)
		}
	}
	return nil
}

// counts reads the topics.
func (d *decoder) counts() error {
	total := 0
	return d.object(func(name string) error {
		if name == "" {
			return problem("a topic has no name")
		}
		if _, ok := d.topics[name]; ok {
			return within(quoted(name), problem("stands twice"))
		}
		n, err := d.int()
		switch {
		case err != nil:
			return within(quoted(name), err)
		case n < 0:
			return within(quoted(name), problem("%d is no number of partitions", n))
		}
		if total += int(n); total > d.limit {
			return within(quoted(name), problem("more than %d partitions in all", d.limit))
		}
		d.topics[name] = len(d.result.Topics)
		d.result.Topics = append(d.result.Topics, strategy.Topic{Name: name, Partitions: n})
		return nil
	})
}

// facts reads what an object has about topics.
func (d *decoder) facts(read func(t *strategy.Topic) error) error {
	topics := once{}
	return d.object(func(name string) error {
		i, ok := d.topics[name]
		if !ok {
			return within(quoted(name), problem("is not among the topics"))
		}
		if err := topics.add(name); err != nil {
			return within(quoted(name), err)
		}
		return within(quoted(name), read(&d.result.Topics[i]))
	})
}

func (d *decoder) racks(t *strategy.Topic) error {
	var lists [][]string
	err := d.list(func(int) error {
		list, err := d.strings()
		lists = append(lists, list)
		return err
	})
	if err != nil {
		return err
	}
	t.Racks, err = repeat(lists, t.Partitions)
	return err
}

func (d *decoder) weights(t *strategy.Topic) error {
	list, err := d.floats(0)
	if err != nil {
		return err
	}
	t.Weights, err = repeat(list, t.Partitions)
	return err
}

// floats reads a list of numbers from least to the largest that a group may have.
func (d *decoder) floats(least float64) (list []float64, err error) {
	err = d.list(func(int) error {
		x, err := d.within(least)
		list = append(list, x)
		return err
	})
	return list, err
}

// within reads a number from least to the largest that a group may have.
func (d *decoder) within(least float64) (float64, error) {
	x, err := d.float()
	if err == nil && (x < least || x > strategy.MaxWeight) {
		err = problem("%v is not within %v..%v", x, least, strategy.MaxWeight)
	}
	return x, err
}

func (d *decoder) leaderRacks(t *strategy.Topic) error {
	var list []string
	err := d.list(func(int) error {
		rack, err := d.optional()
		list = append(list, rack)
		return err
	})
	if err != nil {
		return err
	}
	t.LeaderRacks, err = repeat(list, t.Partitions)
	return err
}

// signals reads what was measured, by name and topic. One of a topic without numbers is not known.
func (d *decoder) signals() error {
	names := once{}
	return d.object(func(name string) error {
		if err := names.add(name); err != nil {
			return within(quoted(name), err)
		}
		return within(quoted(name), d.facts(func(t *strategy.Topic) error {
			list, err := d.floats(-strategy.MaxWeight)
			if err != nil {
				return err
			}
			if d.measured += int(t.Partitions); d.measured > d.limit {
				return problem("more than %d numbers of signals in all", d.limit)
			}
			list, err = repeat(list, t.Partitions)
			if len(list) > 0 {
				if t.Signals == nil {
					t.Signals = map[string][]float64{}
				}
				t.Signals[name] = list
			}
			return err
		}))
	})
}

// repeat makes a list as long as there are partitions.
func repeat[T any](list []T, partitions int32) ([]T, error) {
	n := int(partitions)
	switch {
	case len(list) > n:
		return nil, problem("lists %d partitions of %d", len(list), n)
	case len(list) == 0, len(list) == n:
		return list, nil
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i%len(list)]
	}
	return out, nil
}
