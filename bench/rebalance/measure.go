package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// throughputName is the scenario of many records.
const throughputName = "throughput"

// measure runs everything that was asked for. Its errors are ours; what a client does wrong is in the report.
func measure(ctx context.Context, o options, progress io.Writer) (*Report, error) {
	r := &Report{Settings: o.settings, Repeats: o.repeats, Records: o.records}
	plan, err := makePlan(&o)
	if err != nil {
		return nil, err
	}
	java := &javaLibrary{}
	defer java.close()
	list := choose(clients(java), o.client)
	if len(list) == 0 {
		return nil, fmt.Errorf("-client %s: no such client; there are\n%s", o.client, names(clients(java)))
	}
	m := &measuring{options: &o, report: r, java: java, clients: list, progress: progress}
	if len(plan.scenarios) > 0 || plan.throughput {
		if err := withCluster(ctx, 1, func(c *kafkatest.Cluster) error { return m.oneBroker(ctx, c, plan) }); err != nil {
			return nil, err
		}
	}
	if plan.failover {
		if err := withCluster(ctx, 3, func(c *kafkatest.Cluster) error { return m.threeBrokers(ctx, c) }); err != nil {
			return nil, err
		}
	}
	r.Verdicts = judge(r)
	return r, nil
}

// A plan is what to run.
type plan struct {
	scenarios            []scenario
	failover, throughput bool
}

func makePlan(o *options) (plan, error) {
	p := plan{failover: o.scenario.MatchString(failoverName), throughput: o.scenario.MatchString(throughputName)}
	known := []string{failoverName, throughputName}
	for _, sc := range scenarios {
		known = append(known, sc.name)
		if o.scenario.MatchString(sc.name) {
			p.scenarios = append(p.scenarios, sc)
		}
	}
	if len(p.scenarios) == 0 && !p.failover && !p.throughput {
		return p, fmt.Errorf("-scenario %s: no such scenario; there are %s", o.scenario, strings.Join(known, ", "))
	}
	return p, nil
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

// openJava compiles Java's client if it is asked for, now that there are brokers and so jars.
func (m *measuring) openJava(ctx context.Context) error {
	for _, c := range m.clients {
		if c.name != m.java.client().name || m.java.classes != "" {
			continue
		}
		if err := m.java.open(ctx); err != nil {
			if m.options.requireJava || !errors.Is(err, errNoJava) {
				return err
			}
			m.say("%v", err)
		}
	}
	return ctx.Err()
}

func (m *measuring) say(format string, args ...any) {
	fmt.Fprintf(m.progress, "%s "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}

// oneBroker runs what needs one. Clients take turns, so that what changes on the machine meets all of them.
func (m *measuring) oneBroker(ctx context.Context, cluster *kafkatest.Cluster, p plan) error {
	if err := m.openJava(ctx); err != nil {
		return err
	}
	if p.throughput {
		if err := m.throughput(ctx, cluster.Addrs()); err != nil {
			return err
		}
	}
	for _, sc := range p.scenarios {
		rows := make([]Row, len(m.clients))
		for i, c := range m.clients {
			rows[i] = Row{Scenario: sc.name, Client: c.name, Commits: commitAuto}
		}
		for run := range m.options.repeats {
			for i := range m.clients {
				if err := m.once(ctx, &rows[i], run, func() (Run, error) {
					return sc.rehearse(ctx, cluster.Addrs(), &m.clients[i], m.options.settings, run)
				}); err != nil {
					return err
				}
			}
		}
		m.report.Rows = append(m.report.Rows, rows...)
	}
	return nil
}

// threeBrokers has coordinators killed.
func (m *measuring) threeBrokers(ctx context.Context, cluster *kafkatest.Cluster) error {
	if err := m.openJava(ctx); err != nil {
		return err
	}
	three := &trio{Cluster: cluster}
	for i := range m.clients {
		c := &m.clients[i]
		for _, how := range c.commits[:min(len(c.commits), m.options.commits)] {
			row := Row{Scenario: failoverName, Client: c.name, Commits: how}
			for run := range m.options.repeats {
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
	what := fmt.Sprintf("%s, %s, %s commits, %d of %d", row.Scenario, row.Client, row.Commits, run+1, m.options.repeats)
	if err != nil {
		row.Problem = err.Error()
		m.say("%s: %v", what, err)
		return nil
	}
	row.Runs = append(row.Runs, r)
	m.say("%s: stay %s ms, move %s ms, control %s ms, worst %.0f ms above it; %d twice, %d lost, %d not committed (%v)", what,
		spread(r.Kept), spread(r.Moved), spread(r.Control), r.Excess, r.Repeated, r.Lost, r.Uncommitted, time.Since(started).Round(time.Second/10))
	return nil
}

// throughput has all readers read the same records, in turns.
func (m *measuring) throughput(ctx context.Context, brokers []string) error {
	l := load{Brokers: brokers, Topic: "load", Partitions: loadPartitions, Each: int64(m.options.records) / loadPartitions}
	if err := fill(ctx, l); err != nil {
		return err
	}
	m.say("%d records are there", m.options.records)
	loads := make([]Load, len(readers))
	for round := range m.options.repeats {
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
			m.say("%s, %d of %d: %.0f ns a record, %.1f M records/s", r.name, round+1, m.options.repeats, cpu, rate/1e6)
		}
	}
	m.report.Loads = loads
	return nil
}
