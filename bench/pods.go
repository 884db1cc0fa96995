package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// How long things take. Where no source is named in [Profiles], the number is ours.
const (
	session = 45 * time.Second // Kafka's default: how long a member that says nothing is taken to be there
	raised  = 60 * time.Second // what is often set for static members, so that they are back before
	ready   = 5 * time.Second  // a pod has joined for so long before the next one is stopped
)

// Pods are a deployment of members that are stopped and started.
type pods struct {
	clock
	random   *rand.Rand
	members  []strategy.Member // that run or will again, in their order
	lives    map[string]int    // how often each has been started, by the id it had first
	starting map[string]bool   // ids of those that are about to join for the first time
	replaced func(m *strategy.Member)
}

// newPods makes n members, which read all topics unless they are changed.
func newPods(seed, stream uint64, n int) *pods {
	p := &pods{random: rand.New(rand.NewPCG(seed, stream)), lives: map[string]int{}, starting: map[string]bool{}}
	for range n {
		p.add()
	}
	return p
}

// add makes one member more, that does not run yet.
func (p *pods) add() *strategy.Member {
	id := fmt.Sprintf("pod-%d", len(p.lives)+1)
	p.lives[id] = 1
	p.members = append(p.members, strategy.Member{ID: id, Generation: strategy.NoGeneration})
	return &p.members[len(p.members)-1]
}

// static gives all members instance ids.
func (p *pods) static() {
	for i := range p.members {
		p.members[i].InstanceID = p.members[i].ID
	}
}

// down draws how long a pod takes from its end to its next start: LogNormal with a median of 15 s and a 95th percentile of 35 s.
func (p *pods) down() time.Duration {
	const median, high, quantile = 15, 35, 1.6448536269514722
	spread := math.Log(float64(high)/median) / quantile
	seconds := median * math.Exp(spread*p.random.NormFloat64())
	return time.Duration(math.Round(seconds*10)) * time.Second / 10 // what differs between processors in the last place is rounded away
}

// within draws a time below d.
func (p *pods) within(d time.Duration) time.Duration {
	return time.Duration(p.random.Int64N(int64(d/time.Millisecond))) * time.Millisecond
}

// renew gives a member that is started again the id that it joins with: a static one comes as itself.
func (p *pods) renew(m *strategy.Member) {
	if p.replaced != nil {
		p.replaced(m)
	}
	if m.InstanceID != "" {
		return
	}
	first, _, _ := strings.Cut(m.ID, "~")
	p.lives[first]++
	m.ID = fmt.Sprintf("%s~%d", first, p.lives[first])
}

// stop ends the member in place i in good order, starts it again when it has been down, and calls then, if there is one, when it has joined.
// A static member does not leave: it is missed only when its session has timed out.
func (p *pods) stop(i int, then func()) {
	m := &p.members[i]
	down := p.down()
	gone := m.InstanceID == "" || down > raised
	switch id := m.ID; {
	case m.InstanceID == "":
		p.leave(id)
	case gone:
		p.after(raised, func() { p.leave(id) })
	}
	p.after(down, func() {
		p.start(i, gone)
		if then != nil {
			then()
		}
	})
}

// start has the member in place i join again, as a stranger if the group does not have it any more.
func (p *pods) start(i int, gone bool) {
	m := &p.members[i]
	p.renew(m)
	if !gone {
		p.returned(m.ID)
		return
	}
	p.join(*m)
}

// roll replaces all members, so many at a time, the next as soon as one has been back for a while.
func (p *pods) roll(atOnce int, then func()) {
	next, left := 0, len(p.members)
	var more func()
	more = func() {
		if next == len(p.members) {
			return
		}
		i := next
		next++
		p.stop(i, func() {
			p.after(ready, more)
			if left--; left == 0 && then != nil {
				p.after(ready, then)
			}
		})
	}
	for range min(atOnce, len(p.members)) {
		p.after(p.within(time.Second), more) // they are told to stop at once, and need as long as the record in work takes
	}
}

// surge replaces all members, so many at a time, each when its replacement has joined.
func (p *pods) surge(atOnce int) {
	next := 0
	var more func()
	more = func() {
		if next == len(p.members) {
			return
		}
		i := next
		next++
		old := p.members[i].ID
		p.after(p.down(), func() {
			p.start(i, true)
			p.after(ready, func() {
				p.leave(old)
				more()
			})
		})
	}
	for range min(atOnce, len(p.members)) {
		more()
	}
}

// sequence lets everything happen to a group that starts with the members as they are now.
func (p *pods) sequence(topics []strategy.Topic) *Sequence {
	start := strategy.Group{Name: "bench", Topics: topics, Members: slices.Clone(p.members)}
	p.run()
	return p.clock.sequence(start)
}
