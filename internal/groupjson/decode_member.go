package groupjson

import (
	"math"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

func (d *decoder) members() error {
	ids := map[string]int{}
	return d.list(func(i int) error {
		if d.next() != '{' {
			return problem("wants an object with an id, not %s", d.kind())
		}
		m := strategy.Member{Generation: strategy.NoGeneration}
		if err := d.member(&m); err != nil {
			return err
		}
		if m.ID == "" {
			return within("id", problem("is missing"))
		}
		if first, ok := ids[m.ID]; ok {
			return within("id", problem("%q is members%s already", m.ID, index(first)))
		}
		ids[m.ID] = i
		d.result.Members = append(d.result.Members, m)
		return nil
	})
}

func (d *decoder) member(m *strategy.Member) error {
	fields := once{}
	return d.object(func(key string) error {
		var read func() error
		switch key {
		case "id":
			read = func() (err error) { m.ID, err = d.string(); return err }
		case "instance":
			read = func() (err error) { m.InstanceID, err = d.optional(); return err }
		case "rack":
			read = func() (err error) { m.Rack, err = d.optional(); return err }
		case "topics":
			read = func() (err error) { m.Topics, err = d.subscribe(); return err }
		case "owned":
			read = func() (err error) { m.Owned, err = d.owned(); return err }
		case "labels":
			read = func() (err error) { m.Labels, err = d.labels(); return err }
		case "generation":
			read = func() (err error) {
				if !d.null() {
					m.Generation, err = d.int()
				}
				return err
			}
		case "capacity":
			read = func() error { return d.capacity(m) }
		case "uptime":
			read = func() (err error) { m.Uptime, err = d.uptime(); return err }
		case "signals":
			read = func() (err error) { m.Signals, err = d.memberSignals(); return err }
		default:
			d.skip()
			return nil
		}
		if err := fields.add(key); err != nil {
			return within(key, err)
		}
		return within(key, read())
	})
}

// capacity reads a capacity, of which 0 stands for a draining member.
func (d *decoder) capacity(m *strategy.Member) error {
	if d.null() {
		return nil
	}
	n, err := d.int()
	switch {
	case err != nil:
		return err
	case n < 0 || n > strategy.MaxCapacity:
		return problem("%d is not within 0..%d", n, strategy.MaxCapacity)
	}
	m.Capacity, m.Draining = n, n == 0
	return nil
}

// uptime reads a number of seconds.
func (d *decoder) uptime() (time.Duration, error) {
	if d.null() {
		return 0, nil
	}
	d.next()
	from := d.at
	x, err := d.float()
	if err != nil {
		return 0, err
	}
	if most := math.MaxInt64 / float64(time.Second); !(x >= 0 && x < most) {
		return 0, problem("%v is not within 0..%.0f", x, most)
	}
	// Exact, unless it is written with an exponent.
	if exact, err := time.ParseDuration(string(d.text[from:d.at]) + "s"); err == nil {
		return exact, nil
	}
	return time.Duration(math.Round(x * float64(time.Second))), nil
}

func (d *decoder) memberSignals() (map[string]float64, error) {
	var signals map[string]float64
	err := d.object(func(name string) error {
		if _, ok := signals[name]; ok {
			return within(quoted(name), problem("stands twice"))
		}
		x, err := d.within(-strategy.MaxWeight)
		if signals == nil {
			signals = map[string]float64{}
		}
		signals[name] = x
		return within(quoted(name), err)
	})
	return signals, err
}

func (d *decoder) subscribe() ([]string, error) {
	d.next()
	from := d.at
	d.skip()
	text := d.text[from:d.at]
	if d.subscription != nil && string(text) == string(d.subscription) {
		return d.subscribed, nil
	}
	d.at = from
	list, err := d.strings()
	if err == nil {
		d.subscription, d.subscribed = text, list
	}
	return list, err
}

func (d *decoder) strings() ([]string, error) {
	var list []string
	err := d.list(func(int) error {
		s, err := d.string()
		list = append(list, s)
		return err
	})
	return list, err
}

func (d *decoder) owned() ([]strategy.TopicPartitions, error) {
	var list []strategy.TopicPartitions
	topics := once{}
	err := d.object(func(topic string) error {
		if err := topics.add(topic); err != nil {
			return within(quoted(topic), err)
		}
		var partitions []int32
		err := d.list(func(int) error {
			p, err := d.int()
			partitions = append(partitions, p)
			return err
		})
		list = append(list, strategy.TopicPartitions{Topic: topic, Partitions: partitions})
		return within(quoted(topic), err)
	})
	return list, err
}

func (d *decoder) labels() (map[string]string, error) {
	var labels map[string]string
	err := d.object(func(key string) error {
		if _, ok := labels[key]; ok {
			return within(quoted(key), problem("stands twice"))
		}
		value, err := d.string()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[key] = value
		return within(quoted(key), err)
	})
	return labels, err
}
