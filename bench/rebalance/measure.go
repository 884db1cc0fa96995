package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// throughputName is the scenario of many records.
const throughputName = "throughput"

// measure runs everything that was asked for. Its errors are ours; what a client does wrong is in the report.
func measure(ctx context.Context, o options, progress io.Writer) (*Report, error) {
	lib := &javaLibrary{}
	defer lib.close()
	list := choose(clients(lib), o.client)
	if len(list) == 0 {
		return nil, fmt.Errorf("-client %s: no such client; there are\n%s", o.client, names(clients(lib)))
	}
	r := &Report{Settings: o.settings, Deploys: o.deploys, Records: o.records}
	m := &measuring{options: &o, report: r, java: lib, clients: list, progress: progress}
	legs, err := m.plan()
	if err != nil {
		return nil, err
	}
	m.announce(legs)
	for _, brokers := range []int{1, 3} {
		here := slices.DeleteFunc(slices.Clone(legs), func(l leg) bool { return l.brokers != brokers })
		if len(here) == 0 {
			continue
		}
		if err := withCluster(ctx, brokers, func(c *kafkatest.Cluster) error { return m.run(ctx, c, here) }); err != nil {
			return nil, err
		}
	}
	r.Verdicts = judge(r)
	return r, nil
}

func names(list []client) string {
	var all []string
	for _, c := range list {
		all = append(all, c.name)
	}
	return strings.Join(all, "\n")
}

// measuring is a measurement under way.
type measuring struct {
	options  *options
	report   *Report
	java     *javaLibrary
	clients  []client
	progress io.Writer
}

// run runs legs on the brokers that they are for.
func (m *measuring) run(ctx context.Context, cluster *kafkatest.Cluster, legs []leg) error {
	if slices.ContainsFunc(legs, func(l leg) bool { return l.java }) {
		if err := m.openJava(ctx); err != nil {
			return err
		}
	}
	for i := range legs {
		started := time.Now()
		if err := legs[i].run(ctx, cluster); err != nil {
			return err
		}
		m.say("%v took %v", &legs[i], time.Since(started).Round(time.Second))
	}
	return nil
}

// openJava compiles Java's client, now that there are brokers and so jars.
func (m *measuring) openJava(ctx context.Context) error {
	if m.java.classes != "" {
		return nil
	}
	if err := m.java.open(ctx); err != nil {
		if m.options.requireJava || !errors.Is(err, errNoJava) {
			return err
		}
		m.say("%v", err)
	}
	return ctx.Err()
}

func (m *measuring) say(format string, args ...any) {
	fmt.Fprintf(m.progress, "%s "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}

// scenario plays one with some clients. They take turns, so that what changes on the machine meets all of them.
func (m *measuring) scenario(ctx context.Context, cluster *kafkatest.Cluster, sc *scenario, list []client) error {
	var other *client
	if sc.beside {
		if m.java.classes == "" {
			m.say("%s is left out: %v", sc.name, errNoJava)
			return nil
		}
		other = &m.java.clients()[0]
	}
	settings := m.options.settings
	if sc.deploy {
		settings = m.options.deploys
	}
	rows := make([]Row, len(list))
	most := 0
	for i, c := range list {
		rows[i] = Row{Scenario: sc.name, Brokers: len(cluster.Addrs()), Client: c.name, Commits: commitAuto}
		most = max(most, m.options.repeats(sc.effortFor(c.name).runs))
	}
	for run := range most {
		for i := range list {
			if run >= m.options.repeats(sc.effortFor(list[i].name).runs) {
				continue
			}
			if err := m.once(ctx, &rows[i], run, func() (Run, error) {
				return sc.rehearse(ctx, cluster.Addrs(), &list[i], other, settings, run)
			}); err != nil {
				return err
			}
		}
	}
	m.report.Rows = append(m.report.Rows, rows...)
	return nil
}

// failovers has coordinators killed.
func (m *measuring) failovers(ctx context.Context, cluster *kafkatest.Cluster) error {
	three := &trio{Cluster: cluster}
	for i := range m.clients {
		c := &m.clients[i]
		for _, how := range c.commits[:m.ways(c)] {
			row := Row{Scenario: failoverName, Brokers: failoverBrokers, Client: c.name, Commits: how}
			for run := range m.failoverRepeats(c) {
				if err := m.once(ctx, &row, run, func() (Run, error) { return failover(ctx, three, c, how, m.options.settings, run) }); err != nil {
					return err
				}
			}
			m.report.Rows = append(m.report.Rows, row)
		}
	}
	return nil
}

// once adds a run to a row, unless one has failed before.
func (m *measuring) once(ctx context.Context, row *Row, run int, do func() (Run, error)) error {
	if row.Problem != "" {
		return nil
	}
	started := time.Now()
	r, err := do()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	what := fmt.Sprintf("%s, %s, %s commits, run %d", row.Scenario, row.Client, row.Commits, run+1)
	if err != nil {
		row.Problem = err.Error()
		m.say("%s: %v", what, err)
		return nil
	}
	row.Runs = append(row.Runs, r)
	m.say("%s: stay %s ms, move %s ms, apart %s ms, control %s ms, worst that stays %.0f ms above it; %.1f partition-seconds, %d rounds; "+
		"%d twice, %d lost, %d not committed (%v)", what, spread(r.Kept), spread(r.Moved), spread(r.Apart), spread(r.Control), r.Excess,
		r.Ownerless, r.Rounds, r.Repeated, r.Lost, r.Uncommitted, time.Since(started).Round(time.Second/10))
	return nil
}

// throughput has all readers read the same records, in turns.
func (m *measuring) throughput(ctx context.Context, brokers []string, rounds int) error {
	l := load{Brokers: brokers, Topic: "load", Partitions: loadPartitions, Each: int64(m.options.records) / loadPartitions}
	if err := fill(ctx, l); err != nil {
		return err
	}
	m.say("%d records are there", m.options.records)
	loads := make([]Load, len(readers))
	for round := range rounds {
		for i, r := range readers {
			if loads[i].Client = r.name; loads[i].Problem != "" {
				continue
			}
			l.Reader, l.Group = r.name, fmt.Sprintf("load-%d-%d", round, i)
			cpu, rate, err := isolate(ctx, l)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				loads[i].Problem = err.Error()
				m.say("%s: %v", r.name, err)
				continue
			}
			loads[i].CPU, loads[i].Rate = append(loads[i].CPU, cpu), append(loads[i].Rate, rate)
			m.say("%s, %d of %d: %.0f ns a record, %.1f M records/s", r.name, round+1, rounds, cpu, rate/1e6)
		}
	}
	m.report.Loads = loads
	return nil
}
