package consumer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

const (
	lookTime    = 10 * time.Second // for a look at topics
	confirmTime = time.Second      // for a look that a revocation waits for
	freshTime   = time.Second      // in which nothing is looked at again that a round waits for
)

// topics knows the topics that the member reads and those of the plans that it makes, and notices changes. It is safe for concurrent
// use.
type topics struct {
	driver *driver
	early  chan struct{} // has room for one: look now

	asking chan struct{} // has one in it while somebody uses what follows
	asker  *conn.Asker
	turn   int // which address was asked last

	mu      sync.Mutex
	known   map[string]topic
	first   map[string]int32     // partitions of a subscribed topic when it was seen first: later ones are new
	former  map[topicID]bool     // of topics that are gone: brokers that are behind name them for a while
	planned []string             // topics of others, in this member's plan
	missing map[string]bool      // subscribed, and not there
	doubts  map[string]int       // how often a known topic was not there in a row
	looked  map[string]time.Time // when a topic was looked at last
	nodes   map[int32]string     // addresses of brokers, by node id, as the last answer had them
}

// A topic is one that exists.
type topic struct {
	strategy.Topic
	id      topicID
	leaders []int32 // of partitions, by node id; -1 where there is none
}

// A topicID tells a topic from others that had its name before. It is zero with brokers before Kafka 2.8.
type topicID = [16]byte

func newTopics(d *driver) *topics {
	conf := *d.client.Config()
	conf.Version = sarama.MaxVersion // so that brokers that have IDs tell them, whatever else is to be spoken
	return &topics{
		driver: d, early: make(chan struct{}, 1), asking: make(chan struct{}, 1), asker: conn.NewAsker(&conf, lookTime/3), turn: rand.IntN(len(d.cfg.Brokers)),
		known: map[string]topic{}, first: map[string]int32{}, former: map[topicID]bool{}, missing: map[string]bool{}, doubts: map[string]int{}, looked: map[string]time.Time{},
	}
}

// begin looks for the first time, and has Sarama's client know the brokers. Topics that are not there are waited for; that the user may
// see none of them is an error.
func (t *topics) begin(ctx context.Context) error {
	found, refused, err := t.ask(ctx, t.driver.cfg.Topics)
	if err != nil {
		return err
	}
	if len(refused) == len(t.driver.cfg.Topics) {
		return fmt.Errorf("topic %s: %w", refused[0], ErrTopicUnauthorized)
	}
	t.take(t.driver.cfg.Topics, found, refused)
	names := slices.Sorted(maps.Keys(found))
	if len(names) == 0 {
		names = t.driver.cfg.Topics[:1] // the answer tells of brokers all the same
	}
	if err := t.driver.client.RefreshMetadata(names...); err != nil && len(t.driver.client.Brokers()) == 0 {
		return err
	}
	return nil
}

// watch looks again and again until ctx ends.
func (t *topics) watch(ctx context.Context) {
	wait := t.driver.cfg.TopicInterval
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		case <-t.early:
		}
		wait = t.look(ctx)
	}
}

// hurry has topics looked at soon, as one of them seems to have gone.
func (t *topics) hurry() {
	select {
	case t.early <- struct{}{}:
	default:
	}
}

// look asks once and tells the member. It returns when to look again: sooner while a topic is missing or in doubt.
func (t *topics) look(ctx context.Context) time.Duration {
	interval := t.driver.cfg.TopicInterval
	names := t.names()
	found, refused, err := t.ask(ctx, names)
	if err != nil {
		if ctx.Err() == nil {
			t.driver.log.Warn("topics could not be looked at", "error", err)
		}
		return min(interval, time.Second)
	}
	unsure := t.take(names, found, refused)
	t.driver.post(t.tell)
	if unsure {
		return min(interval, time.Second)
	}
	return interval
}

// tell tells the member, on the driver's goroutine.
func (t *topics) tell() { t.driver.step(membership.Metadata{Topics: t.counts()}) }

// confirm looks whether partitions exist, and returns those that do not, once the member has been told. Their topics may have been deleted, or
// made anew, since the last look, and another member may have seen that: what the group takes from this one then is not for anybody else, and
// what it gives is new. A broker that does not answer is not waited for.
func (t *topics) confirm(ctx context.Context, parts []strategy.TopicPartition) (gone []strategy.TopicPartition) {
	ctx, cancel := context.WithTimeout(ctx, confirmTime)
	defer cancel()
	var names []string
	for _, tp := range strategy.ByTopic(parts) {
		names = append(names, tp.Topic)
	}
	for !t.fresh(names) || t.doubtful(names) {
		found, refused, err := t.ask(ctx, names)
		if err != nil {
			t.driver.log.Debug("it is not known whether topics were deleted", "error", err)
			return nil
		}
		t.take(names, found, refused)
		if t.doubtful(names) {
			t.hangUp() // so that another broker is asked, if there are several
		}
	}
	told := make(chan struct{})
	if t.driver.post(func() { t.tell(); close(told) }) {
		select {
		case <-told:
		case <-t.driver.over:
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range parts {
		if p.Partition >= t.known[p.Topic].Partitions {
			gone = append(gone, p)
		}
	}
	return gone
}

// fresh says whether topics were looked at a moment ago.
func (t *topics) fresh(names []string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !slices.ContainsFunc(names, func(n string) bool { return time.Since(t.looked[n]) > freshTime })
}

func (t *topics) names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := append(slices.Clone(t.driver.cfg.Topics), t.planned...)
	slices.Sort(names)
	return slices.Compact(names)
}

// take takes over what was found, and returns whether it is to be looked at again soon. A topic that was known and is not there is
// believed to be deleted at the second look, as brokers that have just started do not know all yet.
func (t *topics) take(names []string, found map[string]topic, refused []string) (unsure bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range names {
		t.looked[n] = time.Now()
		subscribed := slices.Contains(t.driver.cfg.Topics, n)
		is, ok := found[n]
		switch {
		case ok && t.former[is.id]:
			unsure = true // that broker is behind
		case ok:
			t.appeared(is, subscribed)
		case slices.Contains(refused, n):
			if !t.missing[n] && subscribed {
				t.driver.observe(ReadTrouble{Partition: strategy.TopicPartition{Topic: n, Partition: -1}, Err: ErrTopicUnauthorized})
			}
			unsure = true
		default:
			unsure = t.vanished(n, subscribed) || unsure
		}
	}
	return unsure
}

// appeared takes over a topic that is there.
func (t *topics) appeared(is topic, subscribed bool) {
	was, known := t.known[is.Name]
	delete(t.doubts, is.Name)
	if is.id == (topicID{}) {
		is.id = was.id // it was told by a broker before Kafka 2.8, while brokers are being upgraded
	}
	t.known[is.Name] = is
	if !subscribed {
		return
	}
	if _, ok := t.first[is.Name]; !ok {
		t.first[is.Name] = is.Partitions
	}
	switch {
	case t.missing[is.Name]:
		delete(t.missing, is.Name)
		t.first[is.Name] = 0 // all of it is new
		t.driver.observe(TopicFound{Topic: is.Name, Partitions: is.Partitions})
	case known && was.id != is.id && was.id != (topicID{}):
		t.former[was.id] = true
		t.first[is.Name] = 0
		t.driver.observe(TopicRecreated{Topic: is.Name, Partitions: is.Partitions})
	}
}

func (t *topics) vanished(name string, subscribed bool) (unsure bool) {
	if was, known := t.known[name]; known {
		if t.doubts[name]++; t.doubts[name] < 2 {
			return true
		}
		delete(t.known, name)
		delete(t.doubts, name)
		if was.id != (topicID{}) {
			t.former[was.id] = true
		}
	}
	if subscribed && !t.missing[name] {
		t.missing[name] = true
		t.driver.observe(TopicMissing{Topic: name})
	}
	return subscribed
}

// doubtful says whether one of the topics was not there the last time, and is not believed to be deleted.
func (t *topics) doubtful(names []string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(names, func(n string) bool { return t.doubts[n] > 0 })
}

// counts is what the member is told.
func (t *topics) counts() []membership.TopicCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []membership.TopicCount
	for _, n := range slices.Sorted(maps.Keys(t.known)) {
		is := t.known[n]
		list = append(list, membership.TopicCount{Topic: n, Partitions: is.Partitions, ID: is.id})
	}
	return list
}

// grown reports that a partition was added to a topic that was there when the member began, or came with the topic later. One that the
// group has of a topic of which this member does not know yet is as new.
func (t *topics) grown(p strategy.TopicPartition) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	first, ok := t.first[p.Topic]
	return t.missing[p.Topic] || ok && p.Partition >= first
}

// forPlan returns the topics that a plan needs, as they are now, or as they were known last where nobody can be asked.
func (t *topics) forPlan(ctx context.Context, names []string) []strategy.Topic {
	if !t.fresh(names) || t.doubtful(names) {
		found, refused, err := t.ask(ctx, names)
		if err != nil {
			t.driver.log.Warn("topics could not be looked at for the plan; what was known last is used", "error", err)
		} else {
			t.take(names, found, refused)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.planned = slices.Clone(names)
	var list []strategy.Topic
	for _, n := range names {
		if is, ok := t.known[n]; ok {
			list = append(list, is.Topic)
		}
	}
	return list
}

// ask asks brokers for topics until one answers. Those that do not exist are in neither result.
func (t *topics) ask(ctx context.Context, names []string) (found map[string]topic, refused []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	for {
		var failed error
		if found, refused, failed = t.askOne(ctx, names); failed == nil {
			return found, refused, nil
		}
		if err == nil || ctx.Err() == nil && !errors.Is(failed, context.DeadlineExceeded) { // what was cut short says less than what came before
			err = failed
		}
		if errors.Is(err, sarama.ErrSASLAuthenticationFailed) {
			return nil, nil, err // the same login is refused again, and too many lock a user out
		}
		select {
		case <-ctx.Done():
			return nil, nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// askOne asks the broker that was asked last, or if that fails the next one.
func (t *topics) askOne(ctx context.Context, names []string) (found map[string]topic, refused []string, err error) {
	select {
	case t.asking <- struct{}{}:
		defer func() { <-t.asking }()
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	addrs := t.brokers()
	t.turn++
	type answer struct {
		found   map[string]topic
		refused []string
		nodes   map[int32]string
	}
	a, err := conn.Ask(ctx, t.asker, []string{addrs[t.turn%len(addrs)]}, func(b *sarama.Broker) (a answer, err error) {
		request := sarama.NewMetadataRequest(sarama.MaxVersion, names)
		request.AllowAutoTopicCreation = false
		resp, err := b.GetMetadata(request)
		if err == nil {
			a.found, a.refused, err = read(resp)
			a.nodes = nodes(resp)
		}
		if err != nil {
			return a, fmt.Errorf("broker %s: %w", b.Addr(), err)
		}
		return a, nil
	})
	if err == nil {
		t.mu.Lock()
		t.nodes = a.nodes
		t.mu.Unlock()
	}
	return a.found, a.refused, err
}

// brokers returns the addresses to ask.
func (t *topics) brokers() []string {
	addrs := slices.Clone(t.driver.cfg.Brokers)
	for _, b := range t.driver.client.Brokers() {
		if !slices.Contains(addrs, b.Addr()) {
			addrs = append(addrs, b.Addr())
		}
	}
	return addrs
}

// hangUp closes the connection to the broker that was asked last.
func (t *topics) hangUp() {
	t.asking <- struct{}{}
	defer func() { <-t.asking }()
	t.asker.Close()
}
