package rules_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A trace is a group over time: who is in it at each rebalance, and how far behind it is with each partition.
type trace struct {
	topics []string
	steps  []moment
}

type moment struct {
	members []string
	lags    [][]float64 // by topic
}

// A kind of trace: the shape of the group, how often somebody comes or goes, and how lags go on from step to step.
type kind struct {
	name               string
	topics, partitions int
	members            int
	changes            float64 // the probability that somebody comes or goes before a rebalance
	moves              float64 // the share of the other's moves that the recipe may make, if that is not a fifth
	next               func(r *rand.Rand, step, topic, partition int, lag float64) float64
}

var kinds = []kind{
	{"zipf", 1, 60, 7, 0.3, 0, zipf},
	{"zipf, three topics", 3, 40, 9, 0.3, 0, zipf},
	{"zipf, coming and going", 2, 48, 8, 1, 0, zipf},
	{"zipf, nobody comes or goes", 2, 48, 8, 0, 0, zipf},
	// With two partitions a member, what one moves to another changes a lot: staying within one percent costs many moves. Without its
	// options the recipe makes a tenth of the other's.
	{"two partitions a member", 1, 20, 9, 0.3, 0.75, zipf},
	{"alike within a fifth", 1, 60, 7, 0.3, 0, func(r *rand.Rand, _, _, _ int, _ float64) float64 { return 1000 * (0.8 + 0.4*r.Float64()) }},
	{"alike, drifting", 1, 60, 7, 0.3, 0, func(r *rand.Rand, step, _, _ int, lag float64) float64 {
		if step == 0 {
			return 1000
		}
		return lag * math.Exp(0.15*r.NormFloat64())
	}},
	{"one slow consumer", 1, 48, 6, 0.3, 0, func(r *rand.Rand, step, _, partition int, _ float64) float64 {
		if partition%6 == 2 { // what it had in the beginning
			return float64(1000*(step+1)) * (0.9 + 0.2*r.Float64())
		}
		return 100 * r.Float64()
	}},
	{"burst on a topic", 4, 24, 8, 0.3, 0, func(r *rand.Rand, step, topic, _ int, _ float64) float64 {
		lag := 200 * (0.5 + r.Float64())
		if topic == 1 && step%12 >= 6 {
			lag *= 100
		}
		return lag
	}},
	{"no lag at all", 3, 32, 8, 0.3, 0, func(*rand.Rand, int, int, int, float64) float64 { return 0 }},
	{"many topics", 40, 6, 10, 0.3, 0, func(r *rand.Rand, step, topic, _ int, lag float64) float64 {
		if step == 0 {
			return 1e5 / float64(topic+1) * (0.5 + r.Float64())
		}
		return lag * math.Exp(0.1*r.NormFloat64())
	}},
	{"anything", 3, 32, 8, 0.3, 0, func(r *rand.Rand, _, _, _ int, _ float64) float64 { return math.Floor(1e4 * math.Pow(r.Float64(), 4)) }},
}

// zipf begins with lags of which the n-th largest is 1/n of the largest, and lets each walk.
func zipf(r *rand.Rand, step, _, _ int, lag float64) float64 {
	if step == 0 {
		return 1e5 / float64(1+r.IntN(60))
	}
	return lag * math.Exp(0.1*r.NormFloat64())
}

const rebalances = 24 // of a trace

// trace makes one of a kind.
func (k *kind) trace(seed uint64) *trace {
	r := rand.New(rand.NewPCG(seed, 14))
	t := &trace{}
	now := moment{}
	for i := range k.topics {
		t.topics = append(t.topics, fmt.Sprintf("topic-%02d", i))
		now.lags = append(now.lags, make([]float64, k.partitions))
	}
	joined := 0
	join := func() {
		joined++
		now.members = append(now.members, fmt.Sprintf("m%05d-%d", r.IntN(1e5), joined))
	}
	for range k.members {
		join()
	}
	for step := range rebalances {
		if step > 0 && r.Float64() < k.changes {
			if grow := len(now.members) <= k.members/2 || len(now.members) < 2*k.members && r.IntN(2) == 0; grow {
				join()
			} else {
				at := r.IntN(len(now.members))
				now.members = slices.Delete(now.members, at, at+1)
			}
		}
		for topic, lags := range now.lags {
			for p := range lags {
				lags[p] = math.Round(k.next(r, step, topic, p, lags[p]))
			}
		}
		next := moment{members: slices.Clone(now.members)}
		for _, lags := range now.lags {
			next.lags = append(next.lags, slices.Clone(lags))
		}
		t.steps = append(t.steps, next)
	}
	return t
}

// group is the group at a step, where members own what an answer gave them before.
func (t *trace) group(step int, before *strategy.Assignment) *strategy.Group {
	now := &t.steps[step]
	g := &strategy.Group{Name: "group", Generation: int32(step + 1)}
	for i, name := range t.topics {
		g.Topics = append(g.Topics, strategy.Topic{
			Name: name, Partitions: int32(len(now.lags[i])), Weights: now.lags[i], Signals: map[string][]float64{strategy.SignalLag: now.lags[i]},
		})
	}
	for _, id := range now.members {
		m := strategy.Member{ID: id, Topics: t.topics, Generation: strategy.NoGeneration}
		if owned, ok := before.Members[id]; ok {
			m.Owned, m.Generation = owned, int32(step)
		}
		g.Members = append(g.Members, m)
	}
	return g
}
