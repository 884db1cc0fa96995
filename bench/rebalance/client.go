package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// A client is a library in one configuration, as a member of consumer groups.
type client struct {
	name string
	// commits are the ways to commit that it can be measured with.
	commits []commits
	// start starts a member, which runs until it is stopped. ctx is for starting only. What goes wrong in between is told to the member
	// with fail.
	start func(ctx context.Context, m *member) (running, error)
}

// A running member can be asked to end.
type running struct {
	// stop has it leave the group in good order, or stay in it if it has an instance id, and returns when it has ended.
	stop func() error
	// drain has others take over its partitions and returns when they have. Nil for clients that cannot do that but by leaving.
	drain func(ctx context.Context) error
}

// commits is how a member commits.
type commits string

const (
	commitAuto  commits = "automatic"    // at the client's intervals, what was processed
	commitAsync commits = "asynchronous" // after each record or each poll, without waiting
	commitSync  commits = "synchronous"  // partition syncPartition waits for a commit after each record; others are as with commitAuto
)

// syncPartition is the partition whose handler waits for commits.
const syncPartition = 0

// A member is one consumer of a group: what it is to do and, with its methods, whom its client tells what happens. They are safe for
// concurrent use.
type member struct {
	name     string
	instance string // its id if it is a static member
	brokers  []string
	group    string
	topic    string
	commits  commits

	heartbeat time.Duration // 0: the client's default
	revokes   time.Duration // how long its revoke callback takes

	journal *journal
}

// deliver tells that a record has been processed.
func (m *member) deliver(partition int32, offset int64) {
	m.deliverAt(partition, offset, time.Now())
}

func (m *member) deliverAt(partition int32, offset int64, at time.Time) {
	m.journal.deliver(delivery{at, m.name, partition, offset})
}

// assign is a client's callback for what it is given.
func (m *member) assign(partitions ...int32) { m.journal.own(m.name, partitions, true) }

// revoke is its callback for what it gives up. It takes as long as it is to take.
func (m *member) revoke(partitions ...int32) {
	time.Sleep(m.revokes)
	m.gone(partitions...)
}

// gone tells that a callback for partitions that are not the member's any more has returned.
func (m *member) gone(partitions ...int32) { m.journal.own(m.name, partitions, false) }

// committing tells that a commit is under way whose end will be told with committed.
func (m *member) committing() {
	m.journal.mu.Lock()
	defer m.journal.mu.Unlock()
	m.journal.sent++
}

func (m *member) committed(err error) {
	m.journal.mu.Lock()
	defer m.journal.mu.Unlock()
	m.journal.answered++
	if err != nil {
		m.journal.failures = append(m.journal.failures, err)
	}
}

// commitFailed tells of a commit that the client made by itself.
func (m *member) commitFailed(err error) {
	m.journal.mu.Lock()
	defer m.journal.mu.Unlock()
	m.journal.failures = append(m.journal.failures, err)
}

// generation tells which one the member is in. It may be told late.
func (m *member) generation(n int32) {
	m.journal.mu.Lock()
	defer m.journal.mu.Unlock()
	m.journal.generation = max(m.journal.generation, n)
}

// leads tells whether the member leads the group, if its client knows.
func (m *member) leads(does bool) {
	m.journal.mu.Lock()
	defer m.journal.mu.Unlock()
	switch {
	case does:
		m.journal.led = m.name
	case m.journal.led == m.name:
		m.journal.led = ""
	}
}

// fail tells that the client has ended without being asked to.
func (m *member) fail(err error) {
	m.journal.mu.Lock()
	defer m.journal.mu.Unlock()
	if m.journal.broken == nil {
		m.journal.broken = fmt.Errorf("member %s: %w", m.name, err)
	}
}

const ours = "assignkit"

// clients lists them, ours first and Java's last.
func clients(java *javaLibrary) []client {
	return slices.Concat([]client{assignkitClient()}, saramaClients(), []client{franzClient()}, java.clients())
}

// choose returns those whose name matches.
func choose(list []client, match *regexp.Regexp) []client {
	return slices.DeleteFunc(list, func(c client) bool { return !match.MatchString(c.name) })
}
