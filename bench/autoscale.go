package bench

import (
	"math"
	"time"
)

// autoscaled is how many partitions an autoscaled group has.
const autoscaled = 126

func autoscaleAny(seed uint64) *Sequence {
	return autoscale(seed, 20, 60, func(n int) int { return n })
}

func autoscaleDivisors(seed uint64) *Sequence {
	return autoscale(seed, 21, 63, func(n int) int {
		for autoscaled%n != 0 {
			n++
		}
		return n
	})
}

// autoscale follows a load that rises and falls once a day, with noise of a tenth. Every quarter of an hour it looks how many members are
// wanted; fewer only if that was so the time before, too.
func autoscale(seed uint64, least, most int, allowed func(int) int) *Sequence {
	const day, period = 24 * time.Hour, 15 * time.Minute
	p := newPods(seed, 9, least)
	before := least
	for at := period; at <= day; at += period {
		p.after(at, func() {
			middle, swing := float64(least+most)/2, float64(most-least)/2
			load := middle - float64(swing*math.Cos(2*math.Pi*float64(at)/float64(day)))
			load *= 1 + float64(0.1*(2*p.random.Float64()-1))
			if at == day {
				load = float64(least)
			}
			wanted := allowed(min(max(int(math.Round(load)), least), most))
			p.scale(max(wanted, min(before, len(p.members))))
			before = wanted
		})
	}
	p.after(day+period, func() { p.scale(least) })
	return p.sequence(topics(3, autoscaled/3))
}

// scale starts further members, or stops any, those that are only about to join as well.
func (p *pods) scale(n int) {
	for len(p.members) < n {
		m := *p.add()
		p.starting[m.ID] = true
		p.after(p.down(), func() {
			if p.starting[m.ID] {
				delete(p.starting, m.ID)
				p.join(m)
			}
		})
	}
	for len(p.members) > n {
		i := p.random.IntN(len(p.members))
		id := p.members[i].ID
		p.members = append(p.members[:i:i], p.members[i+1:]...)
		if p.starting[id] {
			delete(p.starting, id)
		} else {
			p.leave(id)
		}
	}
}
