package rules

import (
	"log/slog"
	"slices"

	"github.com/assignkit/assignkit/internal/balance/weighted"
	"github.com/assignkit/assignkit/strategy"
)

// weights fills in how heavy partitions are, unless what that depends on is not known: then each weighs 1.
func (r *run) weights(p *weighted.Problem) error {
	if r.weight == nil {
		return nil
	}
	if r.unmeasured() {
		return nil
	}
	list := make([]float64, r.t.Len())
	for topic := range r.t.Group.Topics {
		err := r.each(r.weight, topic, func(class []int32) error {
			x, err := r.e.Number(r.weight, &r.onPartition)
			if err == nil {
				err = check(r.weight, x, 0, strategy.MaxWeight)
			}
			if err != nil {
				return r.about(err, false, true)
			}
			for _, i := range class {
				list[i] = x
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	p.Weight = scaleWeights(list)
	return nil
}

// unmeasured reports signals that the weights depend on and that a topic does not have. What other topics have would then be compared with
// nothing, or with what stands in for it, so none of it is of use. Weights that the group says need no measuring: a topic without them has
// partitions of weight 1, which is reported as well.
func (r *run) unmeasured() (missing bool) {
	signals, weights := r.needed()
	for topic := range r.t.Group.Topics {
		t := &r.t.Group.Topics[topic]
		if t.Partitions == 0 || len(r.t.Subscribers(topic)) == 0 {
			continue
		}
		if weights && len(t.Weights) == 0 {
			r.reports.once("weights", "weights of a topic are not known, so each of its partitions counts as 1", slog.String("topic", t.Name))
		}
		for _, name := range signals {
			if len(t.Signals[name]) == 0 {
				missing = true
				r.reports.once("signal "+name+" unknown", "a signal that weights depend on is not known of a topic, so each partition of all topics weighs 1",
					slog.String("signal", name), slog.String("topic", t.Name))
			}
		}
	}
	return missing
}

// needed returns what the weights depend on: signals, by name, and whether weights that the group says. In a group that has those and no
// lags, they are the lags.
func (r *run) needed() (signals []string, weights bool) {
	weights = r.weight.LooksAt("partition.weight")
	if r.weight.LooksAt("partition.lag") {
		topics := r.t.Group.Topics
		lags := slices.ContainsFunc(topics, func(t strategy.Topic) bool { return len(t.Signals[strategy.SignalLag]) > 0 })
		if !lags && slices.ContainsFunc(topics, func(t strategy.Topic) bool { return len(t.Weights) > 0 }) {
			weights = true
		} else {
			signals = append(signals, strategy.SignalLag)
		}
	}
	if r.weight.LooksAt("partition.rate") {
		signals = append(signals, strategy.SignalRate)
	}
	for _, name := range r.weight.Entries("partition.signals") {
		if r.weight.Needs("partition.signals." + name) {
			signals = append(signals, name)
		}
	}
	return signals, weights
}
