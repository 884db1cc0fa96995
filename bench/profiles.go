package bench

import (
	"fmt"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Profiles returns churn as it is told of groups in production. Times are virtual; what a seed draws is how long pods are down, which of
// them go, and when.
func Profiles() []Workload {
	const deploys = "engineering-notes.com, kafka-rebalance-static-membership"
	list := make([]Workload, 0, 20)
	for _, static := range []bool{false, true} {
		kind, name := "dynamic", "rolling"
		if static {
			kind, name = "static", "rolling/static"
		}
		for _, v := range []struct {
			name, text string
			atOnce     int
		}{{"one", "one pod at a time", 1}, {"quarter", "a quarter of the pods at a time", deployed / 4}, {"all", "all pods at once", deployed}} {
			list = append(list, Workload{
				Name: name + "/" + v.name, Source: deploys,
				Summary: fmt.Sprintf("40 %s members, 200 partitions: a deploy replaces %s", kind, v.text),
				New:     func(seed uint64) (*Sequence, error) { return rolling(seed, static, v.atOnce), nil },
			})
		}
	}
	simple := func(name, source, summary string, f func(seed uint64) *Sequence) {
		list = append(list, Workload{Name: name, Source: source, Summary: summary, New: func(seed uint64) (*Sequence, error) { return f(seed), nil }})
	}
	simple("surge", deploys+"; a quarter more is the default of Deployments",
		"40 members, 200 partitions: a deploy starts a quarter more pods, and stops old ones as new ones are ready", surge)
	simple("autoscale/any", "kedacore/keda #7517, #7577", "20 to 60 members and back within a day, 126 partitions: any number of members", autoscaleAny)
	simple("autoscale/divisors", "kedacore/keda #7517, #7577", "21 to 63 members and back within a day, 126 partitions: only numbers that divide 126", autoscaleDivisors)
	simple("crash", "SOSP'21, Shard Manager; OSDI'23, Conveyor",
		"40 members, 200 partitions: a year of crashes, one for 1,000 planned stops; each is found out when its session times out", crashes)
	simple("flapper", "ClickHouse/ClickHouse #33433", "20 members, 200 partitions: one leaves and returns every 8 to 9 s", flapper)
	simple("herd", "childe/healer #4", "30 members, 120 partitions: all restart within a second", herd)
	simple("growth", "tulios/kafkajs #820", "12 members, 30 topics of 1 to 12 partitions: topics grow while pods are replaced", growth)
	simple("mixed", "aio-libs/aiokafka #1176", "84 members, one topic each, 7 in a process: 12 processes are replaced one by one", mixed)
	simple("active", "grafana/loki PR 15706, grafana/mimir #14651",
		"20 members, 60 of 1,000 partitions active, each a topic of its own: one more or one less every 10 minutes for a day", active)
	simple("switch", "OpenTelemetry Collector #48658, twmb/franz-go #686",
		"40 members, 200 partitions, assigned by range: two deploys bring in the assignor, the first beside range, the second alone", switching)
	return list
}

// Sizes of the profiles.
const (
	deployed      = 40 // members that a deploy replaces
	mostPartition = 12
)

// deployedTopics are 200 partitions. In how many topics is ours: four, so that it matters how each is spread.
func deployedTopics() []strategy.Topic { return topics(4, 50) }

func topics(n int, partitions int32) []strategy.Topic {
	list := make([]strategy.Topic, n)
	for i := range list {
		list[i] = strategy.Topic{Name: fmt.Sprintf("topic-%d", i+1), Partitions: partitions}
	}
	return list
}

func rolling(seed uint64, static bool, atOnce int) *Sequence {
	p := newPods(seed, 1, deployed)
	if static {
		p.static()
	}
	p.roll(atOnce, nil)
	return p.sequence(deployedTopics())
}

func surge(seed uint64) *Sequence {
	p := newPods(seed, 2, deployed)
	p.surge(deployed / 4)
	return p.sequence(deployedTopics())
}

// crashes has pods die without a word. What is left of one is in the group until its session times out, also if it is back before that.
// 10 deploys a week stop 40 pods each, and one stop in 1,000 is not planned.
func crashes(seed uint64) *Sequence {
	const year, weekly = 52 * 7 * 24 * time.Hour, 10 * deployed / 1000.0
	p := newPods(seed, 3, deployed)
	at, dead := time.Duration(0), map[string]bool{}
	for {
		wait := p.random.ExpFloat64() / weekly * 7 * 24 * 3600
		if at += time.Duration(wait) * time.Second; at > year {
			break
		}
		p.after(at, func() {
			i := p.random.IntN(len(p.members))
			old := p.members[i].ID
			if dead[old] {
				return
			}
			dead[old] = true
			p.after(session, func() { p.leave(old) })
			p.after(p.down(), func() { p.start(i, true) })
		})
	}
	return p.sequence(deployedTopics())
}

// flapper is away for half of each turn.
func flapper(seed uint64) *Sequence {
	const turns = 40
	p := newPods(seed, 4, 20)
	i := p.random.IntN(len(p.members))
	left := turns
	var turn func()
	turn = func() {
		if left--; left < 0 {
			return
		}
		half := 4*time.Second + p.within(500*time.Millisecond)
		p.leave(p.members[i].ID)
		p.after(half, func() {
			p.start(i, true)
			p.after(half, turn)
		})
	}
	p.after(time.Second, turn)
	return p.sequence(deployedTopics())
}

func herd(seed uint64) *Sequence {
	p := newPods(seed, 5, 30)
	for i := range p.members {
		p.after(p.within(time.Second), func() { p.stop(i, nil) })
	}
	return p.sequence(topics(4, 30))
}

// growth has a third of the topics grow, at any time of a deploy, to half as many partitions more, or one more.
func growth(seed uint64) *Sequence {
	p := newPods(seed, 6, 12)
	list := make([]strategy.Topic, 30)
	for i := range list {
		list[i] = strategy.Topic{Name: fmt.Sprintf("topic-%d", i+1), Partitions: 1 + p.random.Int32N(mostPartition)}
	}
	now := list
	for _, i := range p.random.Perm(len(list))[:len(list)/3] {
		p.after(p.within(4*time.Minute), func() {
			next := append([]strategy.Topic(nil), now...)
			next[i].Partitions += 1 + next[i].Partitions/2
			now = next
			p.become(now)
		})
	}
	p.roll(1, nil)
	return p.sequence(list)
}

// mixed has a process stop all its members at once, as it is one pod.
func mixed(seed uint64) *Sequence {
	const processes = 12
	sizes := []int32{12, 24, 24, 36, 48, 60, 96} // ours
	list := make([]strategy.Topic, len(sizes))
	p := newPods(seed, 7, processes*len(sizes))
	for i, n := range sizes {
		list[i] = strategy.Topic{Name: fmt.Sprintf("topic-%d", i+1), Partitions: n}
	}
	for i := range p.members {
		p.members[i].Topics = []string{list[i%len(list)].Name}
	}
	process := 0
	var next func()
	next = func() {
		if process == processes {
			return
		}
		from := process * len(sizes)
		process++
		for i := range sizes {
			p.leave(p.members[from+i].ID)
		}
		p.after(p.down(), func() {
			for i := range sizes {
				p.start(from+i, true)
			}
			p.after(ready, next)
		})
	}
	p.after(time.Second, next)
	return p.sequence(list)
}

// active has each active partition as a topic of its own, as the ring of active ones is what is assigned.
func active(seed uint64) *Sequence {
	const all, most, day = 1000, 60, 24 * time.Hour
	p := newPods(seed, 8, 20)
	partition := func(i int) strategy.Topic {
		return strategy.Topic{Name: fmt.Sprintf("partition-%03d", i), Partitions: 1}
	}
	order := p.random.Perm(all) // the first ones are active
	count := most
	list := func() []strategy.Topic {
		topics := make([]strategy.Topic, count)
		for i := range topics {
			topics[i] = partition(order[i])
		}
		return topics
	}
	start := list()
	for at := 10 * time.Minute; at <= day; at += 10 * time.Minute {
		p.after(at, func() {
			if p.random.IntN(2) == 0 {
				other := count + p.random.IntN(all-count)
				order[count], order[other] = order[other], order[count]
				count++
			} else {
				count--
				other := p.random.IntN(count + 1)
				order[count], order[other] = order[other], order[count]
			}
			p.become(list())
		})
	}
	return p.sequence(start)
}
