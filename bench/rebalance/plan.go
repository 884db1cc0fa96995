package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// A leg is a part of a measurement: one scenario, on some number of brokers.
type leg struct {
	name    string
	brokers int
	takes   time.Duration // about, on a machine that does nothing else
	java    bool          // Java's client takes part
	run     func(ctx context.Context, cluster *kafkatest.Cluster) error
}

func (l *leg) String() string { return l.name + " on " + brokersText(l.brokers) }

// How long things take about, beside the scenarios themselves.
const (
	startTakes     = 15 * time.Second // three brokers
	roundTakes     = 7 * time.Second  // all readers of a load
	failoverTakes  = 25 * time.Second // a run
	failoverRuns   = 3                // of ours, and of others:
	failoverOthers = 1
	loadRounds     = 3
)

// tooLong lists what -quick leaves out.
var tooLong = []string{"rolling", failoverName}

// repeats is how often to do what is done so many times unless told otherwise.
func (o *options) repeats(usual int) int {
	switch {
	case o.times > 0:
		return o.times
	case o.quick:
		return 1
	}
	return usual
}

// wants reports whether a scenario is to be run: what -scenario says, and otherwise all, but for those that take -quick too long.
func (o *options) wants(name string) bool {
	if o.quick && o.scenario.String() == "" && slices.Contains(tooLong, name) {
		return false
	}
	return o.scenario.MatchString(name)
}

// on reports whether a client is to be measured on this many brokers. Others than ours are measured on one unless told otherwise.
func (o *options) on(brokers int, client string) bool {
	switch o.brokers {
	case "both":
		return true
	case "":
		return brokers == 1 || client == ours && !o.quick
	}
	return o.brokers == strconv.Itoa(brokers)
}

// plan lists what there is to do, in its order.
func (m *measuring) plan() ([]leg, error) {
	var legs []leg
	o := m.options
	if o.wants(throughputName) && o.brokers != "3" {
		rounds := o.repeats(loadRounds)
		legs = append(legs, leg{throughputName, 1, startTakes + time.Duration(rounds)*roundTakes, false, func(ctx context.Context, c *kafkatest.Cluster) error {
			return m.throughput(ctx, c.Addrs(), rounds)
		}})
	}
	for _, brokers := range []int{1, 3} {
		for i := range scenarios {
			if l := m.planScenario(&scenarios[i], brokers); l != nil && o.wants(l.name) {
				legs = append(legs, *l)
			}
		}
	}
	if o.wants(failoverName) && o.brokers != "1" {
		legs = append(legs, m.planFailover())
	}
	if len(legs) == 0 {
		return nil, fmt.Errorf("-scenario %s: no such scenario for these clients and brokers; there are %s", o.scenario, scenarioNames())
	}
	return legs, nil
}

// planScenario is nil if there is no client for it.
func (m *measuring) planScenario(sc *scenario, brokers int) *leg {
	list := slices.DeleteFunc(slices.Clone(m.clients), func(c client) bool { return !sc.fits(c.name) || !m.options.on(brokers, c.name) })
	if len(list) == 0 {
		return nil
	}
	l := &leg{name: sc.name, brokers: brokers, java: sc.beside || usesJava(list)}
	for _, c := range list {
		e := sc.effortFor(c.name)
		l.takes += time.Duration(m.options.repeats(e.runs)) * e.takes
	}
	l.run = func(ctx context.Context, cluster *kafkatest.Cluster) error { return m.scenario(ctx, cluster, sc, list) }
	return l
}

func (m *measuring) planFailover() leg {
	l := leg{name: failoverName, brokers: failoverBrokers, takes: startTakes, java: usesJava(m.clients), run: m.failovers}
	for _, c := range m.clients {
		l.takes += time.Duration(m.ways(&c)*m.failoverRepeats(&c)) * failoverTakes
	}
	return l
}

// ways is with how many ways to commit a client is measured when coordinators are killed.
func (m *measuring) ways(c *client) int {
	if m.options.quick {
		return 1
	}
	return len(c.commits)
}

func (m *measuring) failoverRepeats(c *client) int {
	if c.name == ours {
		return m.options.repeats(failoverRuns)
	}
	return m.options.repeats(failoverOthers)
}

func usesJava(list []client) bool {
	return slices.ContainsFunc(list, func(c client) bool { return strings.HasPrefix(c.name, javaPrefix) })
}

// scenarioNames lists all, as an error does.
func scenarioNames() string {
	names := []string{throughputName, failoverName}
	for _, sc := range scenarios {
		names = append(names, sc.name)
	}
	return strings.Join(names, ", ")
}

// announce says what is about to happen, and how long it may take.
func (m *measuring) announce(legs []leg) {
	if m.options.quick {
		m.say("-quick leaves out %s unless -scenario is given, three brokers unless -brokers is, other clients unless -client is, and most runs, "+
			"members and partitions; its figures say little", strings.Join(tooLong, ", "))
		return
	}
	var total time.Duration
	for i := range legs {
		l := &legs[i]
		total += l.takes
		m.say("to do: %v, about %v", l, l.takes)
	}
	m.say("in all about %v", total.Round(time.Minute))
}
