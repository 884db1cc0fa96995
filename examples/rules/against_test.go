package rules_test

import (
	"slices"
	"testing"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// What the recipe is to reach against the lag-based assignor that is in use elsewhere, over traces of each kind.
const (
	seeds     = 16
	tolerance = 1.01 // the recipe's own: as good as this times the other's median is no worse
	worstStep = 1.05 // by which it may be worse at a single rebalance
	fewer     = 5    // times fewer moves
)

// The recipe is no worse balanced and moves a fifth at most. Run with -v to see by how much.
func TestAgainst(t *testing.T) {
	recipe, err := rules.Load("lag.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Log("| trace | most over mean, median | worst | better | worse | at most | moves | of the other's |")
	var all, allKnown record
	for i := range kinds {
		k := &kinds[i]
		var ours, known record
		for seed := range uint64(seeds) {
			tr := k.trace(seed)
			ours.add(t, recipe, tr)
			known.add(t, byLag{}, tr)
		}
		all.join(&ours)
		allKnown.join(&known)
		better, worse, most := ours.against(&known)
		share := float64(ours.moved) / float64(known.moved)
		t.Logf("| %s | %.3f, %.3f | %.2f, %.2f | %.0f %% | %.1f %% | %.1f %% | %d, %d | %.3f |", k.name, ours.median(), known.median(), ours.worst(),
			known.worst(), better, worse, 100*(most-1), ours.moved, known.moved, share)
		if ours.median() > known.median()*tolerance || ours.worst() > known.worst()*tolerance || most > worstStep {
			t.Errorf("%s: balance is worse: median %v against %v, worst %v against %v, at most %v times the other's",
				k.name, ours.median(), known.median(), ours.worst(), known.worst(), most)
		}
		if share > max(k.moves, 1.0/fewer) {
			t.Errorf("%s: %d moves against %d", k.name, ours.moved, known.moved)
		}
	}
	if all.median() > allKnown.median() || all.worst() > allKnown.worst() || all.moved > allKnown.moved/fewer {
		t.Errorf("all together: median %v against %v, worst %v against %v, %d moves against %d",
			all.median(), allKnown.median(), all.worst(), allKnown.worst(), all.moved, allKnown.moved)
	}
}

// A record is how an assignor did on traces.
type record struct {
	ratios []float64 // the largest lag of a member over the mean, at each rebalance
	moved  int       // partitions that changed hands, among them those whose owner has left
}

func (r *record) add(t *testing.T, a strategy.Assignor, tr *trace) {
	t.Helper()
	var before strategy.Assignment
	for step := range tr.steps {
		g := tr.group(step, &before)
		answer, err := a.Assign(t.Context(), g)
		if err == nil {
			err = strategy.Validate(g, &answer, strategy.ProtocolEager)
		}
		if err != nil {
			t.Fatalf("%s: %v", a.Name(), err)
		}
		r.ratios = append(r.ratios, ratio(g, &answer))
		r.moved += moved(&before, &answer)
		before = answer
	}
}

func (r *record) join(other *record) {
	r.ratios = append(r.ratios, other.ratios...)
	r.moved += other.moved
}

func (r *record) median() float64 { return slices.Sorted(slices.Values(r.ratios))[len(r.ratios)/2] }
func (r *record) worst() float64  { return slices.Max(r.ratios) }

// against tells in which share of the rebalances r is better and in which it is worse, and the most by which, as a factor.
func (r *record) against(other *record) (better, worse, most float64) {
	for i, x := range r.ratios {
		switch y := other.ratios[i]; {
		case x > y*(1+1e-9):
			worse++
			most = max(most, x/y)
		case y > x*(1+1e-9):
			better++
		}
	}
	percent := 100 / float64(len(r.ratios))
	return better * percent, worse * percent, max(1, most)
}

// ratio is the largest lag of a member over the mean, or that of counts where nobody is behind.
func ratio(g *strategy.Group, a *strategy.Assignment) float64 {
	most, all, count, partitions := 0.0, 0.0, 0, 0
	for _, m := range g.Members {
		lag := weight(g, a.Members[m.ID])
		most, all = max(most, lag), all+lag
		count, partitions = max(count, a.Count(m.ID)), partitions+a.Count(m.ID)
	}
	if all == 0 {
		most, all = float64(count), float64(partitions)
	}
	return most * float64(len(g.Members)) / all
}

// moved counts the partitions that somebody had and somebody else has.
func moved(before, after *strategy.Assignment) (n int) {
	owner := map[strategy.TopicPartition]string{}
	for id, list := range before.Members {
		for _, tp := range list {
			for _, p := range tp.Partitions {
				owner[strategy.TopicPartition{Topic: tp.Topic, Partition: p}] = id
			}
		}
	}
	for id, list := range after.Members {
		for _, tp := range list {
			for _, p := range tp.Partitions {
				if was, ok := owner[strategy.TopicPartition{Topic: tp.Topic, Partition: p}]; ok && was != id {
					n++
				}
			}
		}
	}
	return n
}
