package trace

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// rebalance reads the line.
func (d *decoder) rebalance() (*Rebalance, error) {
	r := &Rebalance{}
	seen := fields{}
	err := d.object(func(key string) error {
		read, ok := d.field(r, key)
		if !ok {
			return d.skip()
		}
		seen[key] = true
		return read()
	})
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"time", "group", "generation", "member"} {
		if !seen[key] {
			return nil, within(key, problem(0, "is missing"))
		}
	}
	if r.Asked != nil {
		r.Asked.Name, r.Asked.Generation = r.Group, r.Generation
		if r.Asked.Leader = r.LeaderID; r.Leader {
			r.Asked.Leader = r.Member
		}
	}
	return r, nil
}

// field returns what reads a field of a line.
func (d *decoder) field(r *Rebalance, key string) (read func() error, known bool) {
	switch key {
	case "v":
		return func() error { n, err := d.whole(); r.Version = int(n); return err }, true
	case "kind":
		return set(&r.Kind, d.text), true
	case "time":
		return set(&r.Time, d.time), true
	case "group":
		return set(&r.Group, d.text), true
	case "generation":
		return set(&r.Generation, d.whole), true
	case "assignor":
		return set(&r.Assignor, d.text), true
	case "mode":
		return set(&r.Mode, d.text), true
	case "reason":
		return set(&r.Reason, d.text), true
	case "member":
		return set(&r.Member, d.text), true
	case "instance":
		return set(&r.Instance, d.text), true
	case "leader":
		return set(&r.Leader, d.truth), true
	case "leader_id":
		return set(&r.LeaderID, d.text), true
	case "joined_ms":
		return set(&r.JoinedMS, d.number), true
	case "took_ms":
		return set(&r.TookMS, d.number), true
	case "assigned":
		return set(&r.Assigned, d.partitions), true
	case "added":
		return set(&r.Added, d.partitions), true
	case "removed":
		return set(&r.Removed, d.partitions), true
	case "kept":
		return set(&r.Kept, d.partitions), true
	case "lost":
		return set(&r.Lost, d.partitions), true
	case "callbacks":
		return func() error { return list(d, &r.Callbacks, d.callback) }, true
	case "strategy":
		return set(&r.Spec, d.text), true
	case "assign_ms":
		return set(&r.AssignMS, d.number), true
	case "failures":
		return func() error { return list(d, &r.Failures, d.failure) }, true
	case "asked":
		return set(&r.Asked, d.asked), true
	case "answer":
		return set(&r.Answer, d.answer), true
	}
	return nil, false
}

// set has a value read to where it belongs.
func set[T any](to *T, read func() (T, error)) func() error {
	return func() (err error) {
		*to, err = read()
		return err
	}
}

func (d *decoder) callback() (c Callback, err error) {
	err = d.object(func(key string) error {
		switch key {
		case "callback":
			return set(&c.Callback, d.text)()
		case "partitions":
			return set(&c.Partitions, d.partitions)()
		case "ms":
			return set(&c.MS, d.number)()
		case "error":
			return set(&c.Error, d.text)()
		}
		return d.skip()
	})
	return c, err
}

func (d *decoder) failure() (f Failure, err error) {
	err = d.object(func(key string) error {
		switch key {
		case "assignor":
			return set(&f.Assignor, d.text)()
		case "cause":
			return set(&f.Cause, d.text)()
		case "error":
			return set(&f.Error, d.text)()
		}
		return d.skip()
	})
	return f, err
}

// asked reads a group. What is wrong in it is told by its path.
func (d *decoder) asked() (*strategy.Group, error) {
	at := d.at()
	if d.line[at] == 'n' {
		return nil, d.skip()
	}
	var text json.RawMessage
	if err := d.json.Decode(&text); err != nil {
		return nil, problem(at, "%v", err)
	}
	g, err := groupjson.Decode(text)
	if err != nil {
		return nil, problem(at, "%v", err)
	}
	return g, nil
}

// answer reads who got what.
func (d *decoder) answer() (*strategy.Assignment, error) {
	if d.line[d.at()] == 'n' {
		return nil, d.skip()
	}
	a := &strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	err := d.object(func(key string) error {
		switch key {
		case "assignment":
			return d.object(func(member string) error {
				list, err := d.partitions()
				a.Members[member] = list
				return err
			})
		case "unassigned":
			return d.object(func(reason string) error {
				list, err := d.partitions()
				for _, tp := range list {
					for _, p := range tp.Partitions {
						a.Unassigned = append(a.Unassigned, strategy.Unassigned{Topic: tp.Topic, Partition: p, Reason: strategy.Reason(reason)})
					}
				}
				return err
			})
		case "stopped":
			return set(&a.Stopped, d.text)()
		}
		return d.skip()
	})
	return a, err
}

// partitions reads numbers by topic.
func (d *decoder) partitions() (Partitions, error) {
	var out Partitions
	err := d.object(func(topic string) error {
		var numbers []int32
		err := list(d, &numbers, d.partition)
		if len(numbers) > 0 {
			slices.Sort(numbers)
			out = append(out, strategy.TopicPartitions{Topic: topic, Partitions: numbers})
		}
		return err
	})
	slices.SortFunc(out, func(a, b strategy.TopicPartitions) int { return bytes.Compare([]byte(a.Topic), []byte(b.Topic)) })
	return out, err
}

func (d *decoder) partition() (int32, error) {
	at := d.at()
	p, err := d.whole()
	if err == nil && p < 0 {
		err = problem(at, "%d is no partition", p)
	}
	return p, err
}
