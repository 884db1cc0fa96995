package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"
)

// settings are the same for all runs of a scenario.
type settings struct {
	Partitions int32         `json:"partitions"`
	Every      time.Duration `json:"every"`             // between two records of a partition
	Heartbeat  time.Duration `json:"heartbeat"`         // 0: clients' default, which is 3 s for those that have one
	Slow       time.Duration `json:"slow,omitempty"`    // how long a slow revoke callback takes
	Members    int           `json:"members,omitempty"` // of a deploy
	Quiet      time.Duration `json:"quiet,omitempty"`   // how long a group has to stay as it is to count as settled. 0: longer than a heartbeat
	Patience   time.Duration `json:"patience"`          // for a group to settle
}

// heartbeat is how often members hear of a rebalance.
func (s settings) heartbeat() time.Duration {
	if s.Heartbeat > 0 {
		return s.Heartbeat
	}
	return 3 * time.Second
}

// quiet is how long a group has to stay as it is to count as settled: unless told otherwise long enough for members to be told of one
// more round.
func (s settings) quiet() time.Duration {
	if s.Quiet > 0 {
		return s.Quiet
	}
	return s.heartbeat() + 500*time.Millisecond
}

// A stage is a topic with its producer and its control reader, and a group of one client's members that read it. It is for one run
// and one goroutine.
type stage struct {
	ctx      context.Context
	settings settings
	client   *client
	other    *client // that may play beside it
	commits  commits
	static   bool // members have instance ids
	roles    roles
	brokers  []string
	topic    string // and the group's name

	kafka      sarama.Client
	admin      sarama.ClusterAdmin
	journal    *journal
	producer   *producer
	control    *control
	members    []*actor
	windows    []window
	generation int32 // when the first window began
}

// An actor is a member that runs.
type actor struct {
	name string
	running
}

// runs numbers the stages of this process.
var runs atomic.Int64

// openStage prepares a run: it connects. The caller closes the stage.
func openStage(ctx context.Context, brokers []string, c *client, how commits, s settings) (*stage, error) {
	g := &stage{
		ctx: ctx, settings: s, client: c, commits: how, brokers: brokers,
		topic: fmt.Sprintf("run-%d-%d", time.Now().Unix(), runs.Add(1)), journal: newJournal(s.Partitions),
		roles: roles{waits: how == commitSync},
	}
	var err error
	if g.kafka, err = sarama.NewClient(brokers, saramaConfig()); err != nil {
		return nil, err
	}
	if g.admin, err = sarama.NewClusterAdminFromClient(g.kafka); err != nil {
		return nil, errors.Join(err, g.kafka.Close())
	}
	return g, nil
}

// create creates the topic, and starts producer and control. Replicas are by partition; with nil each is on all brokers.
func (g *stage) create(replicas map[int32][]int32) error {
	detail := &sarama.TopicDetail{NumPartitions: g.settings.Partitions, ReplicationFactor: int16(len(g.brokers))}
	if replicas != nil {
		detail = &sarama.TopicDetail{NumPartitions: -1, ReplicationFactor: -1, ReplicaAssignment: replicas}
	}
	if err := g.admin.CreateTopic(g.topic, detail, false); err != nil {
		return fmt.Errorf("creating topic %s: %w", g.topic, err)
	}
	if err := g.until("the new topic has leaders", func() bool {
		partitions, err := g.kafka.Partitions(g.topic)
		return g.kafka.RefreshMetadata(g.topic) == nil && err == nil && len(partitions) == int(g.settings.Partitions)
	}); err != nil {
		return err
	}
	var err error
	if g.producer, err = startProducer(g.brokers, g.topic, g.settings); err != nil {
		return err
	}
	g.control, err = startControl(g.kafka, g.topic, g.settings.Partitions, g.journal)
	return err
}

// start starts members.
func (g *stage) start(names ...string) error {
	for _, name := range names {
		if err := g.launch(g.client, &member{name: name, instance: g.instance(name), commits: g.commits}); err != nil {
			return err
		}
	}
	return nil
}

// launch starts a member of which is said what sets it apart from others.
func (g *stage) launch(c *client, m *member) error {
	m.brokers, m.group, m.topic, m.heartbeat, m.journal = g.brokers, g.topic, g.topic, g.settings.Heartbeat, g.journal
	started, err := c.start(g.ctx, m)
	if err != nil {
		return fmt.Errorf("starting member %s: %w", m.name, err)
	}
	g.members = append(g.members, &actor{m.name, started})
	return nil
}

// member finds one.
func (g *stage) member(name string) (*actor, error) {
	for _, a := range g.members {
		if a.name == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("there is no member %s", name)
}

// stop has a member leave.
func (g *stage) stop(name string) error {
	leaving, err := g.member(name)
	if err != nil {
		return err
	}
	g.members = slices.DeleteFunc(g.members, func(a *actor) bool { return a == leaving })
	return leaving.leave()
}

// leave waits until the member has left, within bounds. One that hangs is given up, and goes on hanging.
func (a *actor) leave() error {
	left := make(chan error, 1)
	go func() { left <- a.stop() }()
	select {
	case err := <-left:
		if err != nil {
			err = fmt.Errorf("member %s, leaving: %w", a.name, err)
		}
		return err
	case <-time.After(patience + 5*time.Second):
		return fmt.Errorf("member %s has not left in %v", a.name, patience)
	}
}

// settle waits until the members share the partitions and nothing changes any more.
func (g *stage) settle() error {
	names := make([]string, len(g.members))
	for i, a := range g.members {
		names[i] = a.name
	}
	err := g.until("the group settles", func() bool { return g.journal.settled(names, g.settings.quiet()) })
	if err != nil {
		err = fmt.Errorf("%w; its members have %v", err, g.journal.owners())
	}
	return err
}

// phase lets time pass so that runs meet heartbeats at different phases.
func (g *stage) phase(run int) error {
	const golden = 0.618 // no two of its first multiples are near each other
	part := golden * float64(run+1)
	return g.sleep(time.Duration((part - float64(int(part))) * float64(g.settings.heartbeat())))
}

// watch does something to the group, and notes the time from its beginning until the group has settled.
func (g *stage) watch(do func() error) error {
	if len(g.windows) == 0 {
		g.generation = g.journal.counters().generation
	}
	w := window{from: time.Now()}
	if err := do(); err != nil {
		return err
	}
	if err := g.settle(); err != nil {
		return err
	}
	w.to = time.Now()
	g.windows = append(g.windows, w)
	return nil
}

func (g *stage) sleep(d time.Duration) error {
	select {
	case <-g.ctx.Done():
		return g.ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// until waits for something to become true, and fails where it does not, or where a member has ended.
func (g *stage) until(what string, is func() bool) error {
	deadline := time.Now().Add(g.settings.Patience)
	for !is() {
		if err := g.journal.err(); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %v and still not: %s", g.settings.Patience, what)
		}
		if err := g.sleep(20 * time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// finish ends the producer, waits for what it has produced, ends the members, and returns what there is to say. Records that do not
// come are lost, which is no error.
func (g *stage) finish() (Run, error) {
	r := Run{Rounds: int(g.journal.counters().generation - g.generation)}
	produced, err := g.producer.stop(g.ctx)
	if err != nil {
		return r, err
	}
	_ = g.until("all is delivered, and commits are answered", func() bool {
		deliveries, _ := g.journal.read()
		c := g.journal.counters()
		return lost(deliveries, produced) == 0 && c.sent == c.answered
	})
	if err := g.stopAll(); err != nil {
		return r, err
	}
	if err := errors.Join(g.control.stop(), g.journal.err(), g.ctx.Err()); err != nil {
		return r, err
	}
	committed, err := g.committed()
	if err != nil {
		return r, err
	}
	for p, n := range produced {
		r.Uncommitted += int(n - committed[p])
	}
	deliveries, control := g.journal.read()
	r.Repeated, r.Lost = repeated(deliveries), lost(deliveries, produced)
	inside, outside := byPartition(deliveries, g.settings.Partitions), byPartition(control, g.settings.Partitions)
	for _, w := range g.windows {
		r.add(w, inside, outside, g.roles)
	}
	return r, nil
}

// stopAll has all members leave at the same time.
func (g *stage) stopAll() error {
	errs := make([]error, len(g.members))
	var wait sync.WaitGroup
	for i, a := range g.members {
		wait.Go(func() { errs[i] = a.leave() })
	}
	wait.Wait()
	g.members = nil
	return errors.Join(errs...)
}

// committed asks the coordinator, whoever that is now, for the group's offsets. A partition without one has 0.
func (g *stage) committed() ([]int64, error) {
	if err := g.kafka.RefreshCoordinator(g.topic); err != nil {
		return nil, err
	}
	all := make([]int32, g.settings.Partitions)
	for p := range all {
		all[p] = int32(p)
	}
	answer, err := g.admin.ListConsumerGroupOffsets(g.topic, map[string][]int32{g.topic: all})
	if err != nil {
		return nil, err
	}
	if answer.Err != sarama.ErrNoError {
		return nil, answer.Err
	}
	offsets := make([]int64, len(all))
	for p := range all {
		block := answer.GetBlock(g.topic, int32(p))
		if block == nil || block.Err != sarama.ErrNoError {
			return nil, fmt.Errorf("the committed offset of partition %d is not told", p)
		}
		offsets[p] = max(0, block.Offset)
	}
	return offsets, nil
}

// close ends what still runs and deletes the topic.
func (g *stage) close() {
	_ = g.stopAll() // where it matters it was asked for before
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if g.producer != nil {
		_, _ = g.producer.stop(ctx)
	}
	if g.control != nil {
		_ = g.control.stop()
	}
	if g.producer != nil {
		_ = g.admin.DeleteTopic(g.topic) // the brokers go soon as well
	}
	_ = g.admin.Close() // and their client with it
}
