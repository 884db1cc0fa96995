package strategytest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assignkit/assignkit/strategy"
)

// good deals every topic over its subscribers. It is what the broken assignors break.
func good(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Assignment{}, err
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner := t.Unowned()
	for n := range t.Group.Topics {
		of := t.Subscribers(n)
		for i := t.Base(n); i < t.Base(n+1); i++ {
			if len(of) > 0 {
				owner[i] = of[(i-t.Base(n))%len(of)]
			}
		}
	}
	// A copy, as an answer may share memory with the group, and the broken ones change theirs.
	a := t.Assignment(owner)
	return copied(&a), nil
}

// assignorFunc is an assignor made of one function.
type assignorFunc func(context.Context, *strategy.Group) (strategy.Assignment, error)

func (f assignorFunc) Name() string { return "broken" }

func (f assignorFunc) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return f(ctx, g)
}

type named struct{ name string }

func (n named) Name() string { return n.name }
func (n named) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return good(ctx, g)
}

type closing struct {
	strategy.Assignor
	closed *atomic.Int32
}

func (c closing) Close() error { c.closed.Add(1); return nil }

// turning gives all partitions to the first member and to the last in turns: what ranging over a map does, without the chance that two
// answers are the same.
type turning struct{ calls atomic.Int32 }

func (*turning) Name() string { return "turning" }

func (t *turning) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	members := slices.Clone(g.Canonical().Members)
	if t.calls.Add(1)%2 == 0 {
		slices.Reverse(members)
	}
	return memberOrder(ctx, &strategy.Group{Topics: g.Topics, Members: members})
}

// memberOrder gives each topic to the first subscriber listed.
func memberOrder(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	a := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	for _, m := range g.Members {
		a.Members[m.ID] = nil
	}
	for _, t := range g.Canonical().Topics {
		for _, m := range g.Members {
			if t.Partitions > 0 && slices.Contains(m.Topics, t.Name) {
				list := make([]int32, t.Partitions)
				for p := range list {
					list[p] = int32(p)
				}
				a.Members[m.ID] = append(a.Members[m.ID], strategy.TopicPartitions{Topic: t.Name, Partitions: list})
				break
			}
		}
	}
	return a, nil
}

// everybody takes all members for subscribers.
func everybody(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	all := g.Clone()
	for i := range all.Members {
		all.Members[i].Topics = nil
		for _, t := range all.Topics {
			all.Members[i].Topics = append(all.Members[i].Topics, t.Name)
		}
	}
	return good(ctx, all)
}

// unassigning leaves everything that anybody gets to nobody.
func unassigning(reason strategy.Reason) func() strategy.Assignor {
	return spoiled(func(g *strategy.Group, a *strategy.Assignment) {
		for id, list := range a.Members {
			for _, tp := range list {
				for _, p := range tp.Partitions {
					a.Unassigned = append(a.Unassigned, strategy.Unassigned{Topic: tp.Topic, Partition: p, Reason: reason})
				}
			}
			a.Members[id] = nil
		}
	})
}

// limiting gives every member one partition at most.
func limiting() strategy.Assignor {
	return spoiled(func(g *strategy.Group, a *strategy.Assignment) {
		for id, list := range a.Members {
			for k, tp := range list {
				for n, p := range tp.Partitions {
					if k > 0 || n > 0 {
						a.Unassigned = append(a.Unassigned, strategy.Unassigned{Topic: tp.Topic, Partition: p, Reason: strategy.ReasonIneligible})
					}
				}
			}
			if len(list) > 0 {
				a.Members[id] = []strategy.TopicPartitions{{Topic: list[0].Topic, Partitions: list[0].Partitions[:1]}}
			}
		}
		for i := range a.Unassigned { // with some of the members idle, another reason would be untrue
			if !slices.ContainsFunc(g.Members, func(m strategy.Member) bool { return len(a.Members[m.ID]) == 0 }) {
				a.Unassigned[i].Reason = strategy.ReasonLimit
			}
		}
	})()
}

// capped gives every member two partitions at most, to the first reader that has room.
func capped(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner, held := t.Unowned(), make([]int, len(t.Group.Members))
	var left []strategy.Unassigned
	for n := range t.Group.Topics {
		readers := t.Readers(n)
		for i := t.Base(n); i < t.Base(n+1) && len(readers) > 0; i++ {
			k := slices.IndexFunc(readers, func(m int32) bool { return held[m] < 2 })
			if k < 0 {
				name := t.Name(i)
				left = append(left, strategy.Unassigned{Topic: name.Topic, Partition: name.Partition, Reason: strategy.ReasonLimit})
				continue
			}
			owner[i] = readers[k]
			held[readers[k]]++
		}
	}
	a := t.Assignment(owner)
	a.Unassigned = left
	return a, ctx.Err()
}

// rotating begins with another member at each call.
type rotating struct{ calls atomic.Int32 }

func (r *rotating) Name() string { return "rotating" }

func (r *rotating) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	c := g.Canonical().Clone()
	for i := range c.Members {
		c.Members[i].InstanceID = fmt.Sprintf("%09d", (i+int(r.calls.Load()))%len(c.Members))
	}
	r.calls.Add(1)
	return good(ctx, c)
}

// recycling writes all answers into one map.
type recycling struct {
	lock    sync.Mutex
	members map[string][]strategy.TopicPartitions
}

func (r *recycling) Name() string { return "recycling" }

func (r *recycling) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	a, err := good(ctx, g)
	if err != nil {
		return a, err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, list := range r.members { // the memory of the last answer
		for _, tp := range list {
			clear(tp.Partitions)
		}
	}
	r.members = a.Members
	return a, nil
}

// scratch works on memory of its own that calls share. Atomics keep the race detector from finding it first.
type scratch struct {
	group atomic.Pointer[strategy.Group]
}

func (s *scratch) Name() string { return "scratch" }

func (s *scratch) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	s.group.Store(g)
	for range 100 {
		runtime.Gosched()
	}
	return good(ctx, s.group.Load())
}

// waits does not come back once its context has ended.
func waits(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if ctx.Err() != nil {
		select {}
	}
	return good(context.WithoutCancel(ctx), g)
}

// restless moves everything on by one member in each generation.
func restless(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	c := g.Canonical().Clone()
	for i := range c.Members {
		c.Members[i].InstanceID = fmt.Sprintf("%09d", (i+int(g.Generation)/2)%len(c.Members))
	}
	return good(ctx, c)
}

// stubborn never lets go of what it withholds.
func stubborn(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	a := t.Assignment(t.Keepers())
	for i := range t.Len() {
		if topic, p := t.Locate(i); t.Keeper(i) == strategy.NoOwner && len(t.Subscribers(topic)) > 0 {
			a.Unassigned = append(a.Unassigned, strategy.Unassigned{Topic: t.Group.Topics[topic].Name, Partition: p, Reason: strategy.ReasonWithheld})
		}
	}
	return a, nil
}

// claiming says that it is cooperative.
type claiming struct{ strategy.Assignor }

func (claiming) Protocol() strategy.Protocol { return strategy.ProtocolCooperative }

// trusting reads user data that it did not write.
type trusting struct{ strategy.Assignor }

func (t trusting) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	for i := range g.Members {
		if data := g.Members[i].UserData; data != nil && g.Name == "group" && len(data) != 1 {
			_ = [4]byte(data)
		}
	}
	return t.Assignor.Assign(ctx, g)
}

func (trusting) UserData([]string) ([]byte, error) { return []byte{1, 2, 3, 4}, nil }

type talkative struct{ strategy.Assignor }

func (talkative) UserData([]string) ([]byte, error) { return make([]byte, 1<<20), nil }

type sorting struct{ strategy.Assignor }

func (sorting) UserData(topics []string) ([]byte, error) { slices.Reverse(topics); return nil, nil }

type touchy struct{ strategy.Assignor }

func (touchy) OnAssignment(r strategy.Received) { _ = r.Partitions[0] }
