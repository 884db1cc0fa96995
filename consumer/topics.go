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

// lookTime bounds a look at topics.
const lookTime = 10 * time.Second

// topics knows the topics that the member reads and those of the plans that it makes, and notices changes. It is safe for concurrent
// use.
type topics struct {
	driver *driver
	asking sync.Mutex // held while a broker is asked
	conn   *conn.Conn
	turn   int // which address was connected to last

	mu      sync.Mutex
	known   map[string]strategy.Topic
	first   map[string]int32 // partitions of a subscribed topic when it was seen first: later ones are new
	planned []string         // topics of others, in this member's plan
	missing map[string]bool  // subscribed, and not there
	doubts  map[string]int   // how often a known topic was not there in a row
}

func newTopics(d *driver) *topics {
	return &topics{driver: d, turn: rand.IntN(len(d.cfg.Brokers)), known: map[string]strategy.Topic{}, first: map[string]int32{}, missing: map[string]bool{}, doubts: map[string]int{}}
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
		}
		wait = t.look(ctx)
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
	t.driver.post(func() { t.driver.step(membership.Metadata{Topics: t.counts()}) })
	if unsure {
		return min(interval, time.Second)
	}
	return interval
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
func (t *topics) take(names []string, found map[string]strategy.Topic, refused []string) (unsure bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range names {
		subscribed := slices.Contains(t.driver.cfg.Topics, n)
		topic, ok := found[n]
		switch {
		case ok:
			delete(t.doubts, n)
			t.known[n] = topic
			if subscribed {
				t.appeared(n, topic.Partitions)
			}
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

func (t *topics) appeared(topic string, partitions int32) {
	if _, ok := t.first[topic]; !ok {
		t.first[topic] = partitions
	}
	if t.missing[topic] {
		delete(t.missing, topic)
		t.first[topic] = 0 // all of it is new
		t.driver.observe(TopicFound{Topic: topic, Partitions: partitions})
	}
}

func (t *topics) vanished(topic string, subscribed bool) (unsure bool) {
	if _, known := t.known[topic]; known {
		if t.doubts[topic]++; t.doubts[topic] < 2 {
			return true
		}
		delete(t.known, topic)
		delete(t.doubts, topic)
	}
	if subscribed && !t.missing[topic] {
		t.missing[topic] = true
		t.driver.observe(TopicMissing{Topic: topic})
	}
	return subscribed
}

// counts is what the member is told.
func (t *topics) counts() []membership.TopicCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []membership.TopicCount
	for _, n := range slices.Sorted(maps.Keys(t.known)) {
		list = append(list, membership.TopicCount{Topic: n, Partitions: t.known[n].Partitions})
	}
	return list
}

// grown reports that a partition was added to a topic that was there when the member began, or came with the topic later.
func (t *topics) grown(p strategy.TopicPartition) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	first, ok := t.first[p.Topic]
	return ok && p.Partition >= first
}

// split sorts partitions by whether they are known not to exist any more.
func (t *topics) split(parts []strategy.TopicPartition) (gone, kept []strategy.TopicPartition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range parts {
		if t.missing[p.Topic] {
			gone = append(gone, p)
		} else {
			kept = append(kept, p)
		}
	}
	return gone, kept
}

// forPlan returns the topics that a plan needs, as they are now, or as they were known last where nobody can be asked.
func (t *topics) forPlan(ctx context.Context, names []string) []strategy.Topic {
	found, refused, err := t.ask(ctx, names)
	if err != nil {
		t.driver.log.Warn("topics could not be looked at for the plan; what was known last is used", "error", err)
	} else {
		t.take(names, found, refused)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.planned = slices.Clone(names)
	var list []strategy.Topic
	for _, n := range names {
		if topic, ok := t.known[n]; ok {
			list = append(list, topic)
		}
	}
	return list
}

// ask asks brokers for topics until one answers. Those that do not exist are in neither result.
func (t *topics) ask(ctx context.Context, names []string) (found map[string]strategy.Topic, refused []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	for {
		resp, failed := t.metadata(ctx, names)
		if failed == nil {
			if found, refused, failed = t.read(resp); failed == nil {
				return found, refused, nil
			}
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

// metadata asks one broker, over a connection that is kept. After an error the next one is asked.
func (t *topics) metadata(ctx context.Context, names []string) (*sarama.MetadataResponse, error) {
	t.asking.Lock()
	defer t.asking.Unlock()
	conf := t.driver.client.Config()
	if t.conn == nil {
		addrs := t.brokers()
		t.turn++
		addr := addrs[t.turn%len(addrs)]
		opening, cancel := context.WithTimeout(ctx, lookTime/3)
		defer cancel()
		c, err := conn.Open(opening, conf, addr, lookTime)
		if err != nil {
			return nil, err
		}
		t.conn = c
	}
	request := sarama.NewMetadataRequest(conf.Version, names)
	request.AllowAutoTopicCreation = false
	stop := context.AfterFunc(ctx, t.conn.Cut)
	resp, err := t.conn.GetMetadata(request)
	if !stop() || err != nil {
		addr := t.conn.Addr()
		t.hangUp()
		return nil, fmt.Errorf("broker %s: %w", addr, errors.Join(context.Cause(ctx), err))
	}
	return resp, nil
}

// hangUp is called with t.asking held, or by who asks nothing any more.
func (t *topics) hangUp() {
	if t.conn != nil {
		t.conn.Close()
		t.conn = nil
	}
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

// read takes an answer apart. An error is one after which another broker is to be asked.
func (t *topics) read(resp *sarama.MetadataResponse) (found map[string]strategy.Topic, refused []string, err error) {
	racks := map[int32]string{}
	for _, b := range resp.Brokers {
		racks[b.ID()] = b.Rack()
	}
	found = map[string]strategy.Topic{}
	for _, m := range resp.Topics {
		switch m.Err { //nolint:exhaustive // all others are an error of this broker, or of the moment
		case sarama.ErrNoError, sarama.ErrLeaderNotAvailable, sarama.ErrReplicaNotAvailable:
			if len(m.Partitions) > 0 {
				found[m.Name] = describe(m, racks)
			}
		case sarama.ErrUnknownTopicOrPartition, sarama.ErrInvalidTopic:
		case sarama.ErrTopicAuthorizationFailed:
			refused = append(refused, m.Name)
		default:
			return nil, nil, fmt.Errorf("topic %s: %w", m.Name, m.Err)
		}
	}
	slices.Sort(refused)
	return found, refused, nil
}

// describe makes a topic of its metadata, with the racks of its partitions' replicas where brokers have racks.
func describe(m *sarama.TopicMetadata, racks map[int32]string) strategy.Topic {
	topic := strategy.Topic{Name: m.Name}
	for _, p := range m.Partitions {
		topic.Partitions = max(topic.Partitions, p.ID+1)
	}
	byPartition := make([][]string, topic.Partitions)
	some := false
	for _, p := range m.Partitions {
		var list []string
		for _, replica := range p.Replicas {
			if rack := racks[replica]; rack != "" {
				list = append(list, rack)
			}
		}
		slices.Sort(list)
		byPartition[p.ID] = slices.Compact(list)
		some = some || len(list) > 0
	}
	if some {
		topic.Racks = byPartition
	}
	return topic
}
