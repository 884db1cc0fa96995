package weighted

import (
	"context"
	"slices"

	"github.com/assignkit/assignkit/internal/balance"
)

// Solve returns an assignment; see the package comment for what it is good for. An error says that the problem is malformed, or is the
// context's if that ended first. Solve keeps nothing of p and changes nothing in it, and may be called from several goroutines.
func Solve(ctx context.Context, p *Problem, o Options) (Result, error) {
	if err := p.validate(); err != nil {
		return Result{}, err
	}
	p = p.weighty()
	if p.plain() {
		r, decided, err := solveEven(p, o)
		if decided || err != nil {
			return r, err
		}
	}
	s := newSolver(ctx, p, o)
	s.run()
	if s.cancelled {
		return Result{}, ctx.Err()
	}
	return s.result(), nil
}

// run does everything but the report.
func (s *solver) run() {
	s.settleHomes()
	s.setTargets()
	s.keep()
	s.place()
	s.spreadFree()
	for range rounds {
		mark := len(s.journal)
		if s.o.strict {
			s.descend()
		} else {
			s.shed()
			s.pull()
		}
		s.settle()
		if len(s.journal) == mark {
			break
		}
	}
	s.placeLate()
}

// rounds is how often balance is seen to again after moves were taken back, so that the next rebalance finds nothing to do.
const rounds = 3

// plain tells whether all partitions weigh the same and nothing is asked for that internal/balance does not know.
func (p *Problem) plain() bool {
	return p.Eligible == nil && p.Together == nil && p.Limit == 0 && p.Limits == nil && p.Prefer == nil && p.uniform()
}

// solveEven has internal/balance decide. It does not know bounds of movement: decided is false where its answer exceeds them.
func solveEven(p *Problem, o Options) (r Result, decided bool, err error) {
	got, err := balance.Solve(&p.Problem, o.Even)
	if err != nil {
		return Result{}, false, err
	}
	r = Result{Owner: got.Owner, Counts: got.Loads, Loads: make([]int64, p.Members)}
	w := int64(1)
	if len(p.Weight) > 0 {
		w = p.Weight[0]
	}
	before := make([]int64, p.Members)
	class := newClasses(p.Words())
	of := class.of(p)
	class.close(p.Capacity)
	for i := range got.Owner {
		if from := p.owner(int32(i)); from != None {
			before[from] += w
		}
	}
	for m, n := range got.Loads {
		r.Loads[m] = int64(n) * w
	}
	for i, to := range got.Owner {
		from := p.owner(int32(i))
		switch {
		case to == None:
			r.Unassigned = append(r.Unassigned, Unassigned{int32(i), Ineligible})
		case to != from:
			m := Move{Partition: int32(i), From: from, To: to, Reason: Evened, Member: to, Giver: from}
			m.Forced = from == None || !class.has(of[i], from)
			m.ToLoad = [2]int64{before[to], r.Loads[to]}
			if from != None {
				m.GiverLoad = [2]int64{before[from], r.Loads[from]}
			}
			if m.Forced {
				m.Reason, m.Giver, m.GiverLoad = Placed, None, [2]int64{}
			} else {
				r.Voluntary++
				r.VoluntaryWeight += w
			}
			r.Moves = append(r.Moves, m)
		}
	}
	if got.Stopped != balance.Complete {
		r.Stopped = got.Stopped.String()
	}
	bounds := o.settings(p)
	return r, r.Voluntary <= bounds.maxMoves && r.VoluntaryWeight <= bounds.maxWeight, nil
}

// result reports what the solver came to.
func (s *solver) result() Result {
	p := s.p
	r := Result{
		Owner: make([]int32, len(s.parts)), Loads: s.load, Counts: s.count, Targets: s.target, Split: s.split, Stopped: s.stopped,
	}
	for i := range s.item {
		x := &s.item[i]
		for _, q := range s.partitions(x) {
			r.Owner[q] = x.owner
			from := p.owner(q)
			if x.owner == None {
				lack := Full
				if len(s.classes.list(x.class)) == 0 {
					lack = Ineligible
				}
				r.Unassigned = append(r.Unassigned, Unassigned{q, lack})
				continue
			}
			if from == x.owner {
				continue
			}
			c := s.cause[i]
			m := Move{
				Partition: q, From: from, To: x.owner, Forced: x.home == None || from != x.home, Reason: c.reason, Step: c.step,
				Member: c.member, Giver: c.giver, GiverLoad: c.giverLoad, ToLoad: c.toLoad,
			}
			if !m.Forced {
				r.Voluntary++
				r.VoluntaryWeight += p.weight(q)
			}
			r.Moves = append(r.Moves, m)
		}
	}
	slices.SortFunc(r.Moves, func(a, b Move) int { return int(a.Partition - b.Partition) })
	slices.SortFunc(r.Unassigned, func(a, b Unassigned) int { return int(a.Partition - b.Partition) })
	return r
}
