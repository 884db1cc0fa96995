package rules

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/balance/weighted"
	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/strategy"
)

var (
	_ strategy.Explainer = (*Assignor)(nil)
	_ strategy.Explainer = (*File)(nil)
)

// Explain evaluates the rules and decides again, and says what each rule gives for the partition, and which step of the work put it where it is.
// Where a partition stays though loads would be more even without, it decides again without tolerance and without the bound of
// moves, to tell which of them it is. So it may take as long as three calls of Assign.
func (a *Assignor) Explain(ctx context.Context, g *strategy.Group, answer *strategy.Assignment, of strategy.TopicPartition) (strategy.Explanation, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Explanation{}, err
	}
	topic, ok := t.Topic(of.Topic)
	if !ok || of.Partition < 0 || of.Partition >= t.Group.Topics[topic].Partitions {
		return strategy.Derive(g, answer, of, strategy.Terms{Assignor: a.Name()}) // whose error it is
	}
	x := &explainer{Assignor: a, ctx: ctx, t: t, number: t.Base(topic) + int(of.Partition), weightUnit: 1, capacityUnit: 1}
	if err := x.evaluate(ctx); err != nil {
		return strategy.Explanation{}, fmt.Errorf("rules %s: %w", a.config.Name, err)
	}
	x.got, err = weighted.Solve(ctx, x.p, a.config.options())
	if err != nil {
		return strategy.Explanation{}, fmt.Errorf("rules %s: %w", a.config.Name, err)
	}
	e, err := strategy.Derive(g, answer, of, x.terms())
	if err != nil {
		return e, err
	}
	x.e = &e
	x.notes()
	x.eligibleSays()
	if holder := e.Holder(); holder != nil {
		if x.holder = x.member(holder.Member); x.got.Owner[x.number] == x.holder {
			x.correct()
			holder.Says = e.Why
		} else {
			e.Notes = append(e.Notes, "the rules give another answer now than the one explained")
		}
	}
	return e, ctx.Err()
}

// Explain is that of the rules of the last Assign.
func (f *File) Explain(ctx context.Context, g *strategy.Group, answer *strategy.Assignment, of strategy.TopicPartition) (strategy.Explanation, error) {
	f.mu.Lock()
	a := f.rules
	f.mu.Unlock()
	return a.Explain(ctx, g, answer, of)
}

// An explainer is the work of one call.
type explainer struct {
	*Assignor
	ctx    context.Context //nolint:containedctx // of the one call that it is the work of
	t      *strategy.Table
	number int   // of the partition
	holder int32 // who has it or is to get it
	p      *weighted.Problem
	got    weighted.Result
	e      *strategy.Explanation

	weightUnit, capacityUnit float64 // what 1 of the solver stands for
}

func (x *explainer) member(id string) int32 {
	return int32(slices.IndexFunc(x.t.Group.Members, func(m strategy.Member) bool { return m.ID == id }))
}

// evaluate states the problem, and finds what the solver's whole numbers stand for.
func (x *explainer) evaluate(ctx context.Context) (err error) {
	if x.p, err = x.problem(ctx, x.t); err != nil {
		return err
	}
	e := expression.NewEvaluator(ctx, cmp.Or(x.config.Budget, defaultBudget))
	defer e.Close()
	r := newRun(x.Assignor, x.t, e)
	if i := largest(x.p.Weight); i >= 0 && x.weight != nil {
		topic, _ := x.t.Locate(i)
		err := r.each(x.weight, topic, func(class []int32) error {
			if !slices.Contains(class, int32(i)) {
				return nil
			}
			w, err := e.Number(x.weight, &r.onPartition)
			x.weightUnit = unit(w, float64(x.p.Weight[i]))
			return err
		})
		if err != nil {
			return err
		}
	}
	if m := largest(x.p.Capacity); m >= 0 && x.capacity != nil {
		r.member.set(&x.t.Group.Members[m])
		c, err := e.Number(x.capacity, &r.onMember)
		if err != nil {
			return err
		}
		x.capacityUnit = unit(c, float64(x.p.Capacity[m]))
	}
	return nil
}

// largest is where the largest number of a list stands, -1 if there is none above 0.
func largest[T int32 | int64](list []T) int {
	at, most := -1, T(0)
	for i, v := range list {
		if v > most {
			at, most = i, v
		}
	}
	return at
}

// unit is the power of two that scaling has multiplied with, inverted; 1 if it was not that.
func unit(raw, scaled float64) float64 {
	exponent := math.Round(math.Log2(raw / scaled))
	if u := math.Ldexp(1, int(exponent)); raw > 0 && math.Abs(scaled*u-raw) <= 1e-5*raw {
		return u
	}
	return 1
}

// terms is what the rules have the solver count.
func (x *explainer) terms() strategy.Terms {
	terms := strategy.Terms{Assignor: x.Name(), Count: true, Barred: x.barred(), Together: x.companions()}
	if largest(x.p.Weight) >= 0 {
		terms.Count, terms.Weights = false, make([]float64, len(x.p.Weight))
		for i, w := range x.p.Weight {
			terms.Weights[i] = float64(w) * x.weightUnit
		}
	}
	if x.p.Capacity != nil {
		terms.Capacities = make([]float64, len(x.p.Capacity))
		for m, c := range x.p.Capacity {
			terms.Capacities[m] = float64(c) * x.capacityUnit
		}
	}
	if x.p.Prefer != nil {
		terms.Prefer = make([]float64, x.p.Members)
		for m := range terms.Prefer {
			terms.Prefer[m] = float64(x.p.Prefer[int(x.p.PreferClass[x.number])*x.p.Members+m]) / 1000
		}
	}
	terms.Ties = []strategy.Objective{strategy.ObjectivePreference}
	if x.got.Targets == nil { // internal/balance has decided
		terms.Ties = []strategy.Objective{strategy.ObjectiveRacks, strategy.ObjectiveSpread}
	}
	return terms
}

// companions lists what moves together with the partition, nil if it moves alone.
func (x *explainer) companions() (unit []int32) {
	if x.p.Together == nil || slices.Contains(x.got.Split, x.p.Together[x.number]) {
		return nil
	}
	for i, key := range x.p.Together {
		if key == x.p.Together[x.number] {
			unit = append(unit, int32(i))
		}
	}
	return unit
}

// allows says whether the rule lets a member have a partition, and it subscribes to the topic.
func (x *explainer) allows(m int, i int32) bool {
	topic, _ := x.t.Locate(int(i))
	return x.t.Subscribed(m, topic) && (x.p.Eligible == nil || x.p.Eligible[int(i)*x.p.Words()+m>>6]>>(m&63)&1 == 1)
}

// barred says of each member why it may not have the partition.
func (x *explainer) barred() []strategy.Objective {
	list, unit := make([]strategy.Objective, x.p.Members), x.companions()
	if unit == nil {
		unit = []int32{int32(x.number)}
	}
	for m := range list {
		lacks := int32(0)
		for _, i := range unit {
			if x.got.Owner[i] != int32(m) {
				lacks++
			}
		}
		switch {
		case !x.allows(m, int32(x.number)):
			list[m] = strategy.ObjectiveEligibility
		case slices.ContainsFunc(unit, func(i int32) bool { return !x.allows(m, i) }):
			list[m] = strategy.ObjectiveTogether
		case x.p.Limits != nil && lacks > 0 && x.got.Counts[m]+lacks > x.p.Limits[m]:
			list[m] = strategy.ObjectiveLimit
		}
	}
	return list
}

// notes has what each rule is.
func (x *explainer) notes() {
	e := x.e
	add := func(rule, source, value string) {
		if source != "" {
			e.Notes = append(e.Notes, fmt.Sprintf("%s%s: %s", rule, value, strings.Join(strings.Fields(source), " ")))
		}
	}
	add("eligible", x.config.Eligible, "")
	if w := x.p.Weight; w != nil {
		add("weight", x.config.Weight, " is "+brief(float64(w[x.number])*x.weightUnit))
	}
	add("capacity", x.config.Capacity, "")
	add("prefer", x.config.Prefer, "")
	add("together", x.config.Together, "")
	add("limit", x.config.Limit, "")
}

// brief prints a number with at most two decimals.
func brief(n float64) string {
	if s := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), "."); s != "0" || n == 0 {
		return s
	}
	return fmt.Sprintf("%.2g", n)
}

// eligibleSays names the rule where it speaks against a member.
func (x *explainer) eligibleSays() {
	for m := range x.e.Members {
		if c := &x.e.Members[m]; c.Barred == strategy.ObjectiveEligibility {
			c.Says = fmt.Sprintf("%s may not have %s-%d: eligible is false for them: %s.", c.Member, x.e.Topic, x.e.Partition,
				strings.Join(strings.Fields(x.config.Eligible), " "))
		}
	}
}
