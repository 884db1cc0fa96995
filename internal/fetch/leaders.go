package fetch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/strategy"
)

const (
	leaderAge    = 5 * time.Minute // after which a leader is asked for again, when a partition is opened
	metadataTime = 3 * time.Second // for an answer about leaders, before another broker is asked
	// patience is how many failures in a row make leaders believable that are older than ones known before: the topic may be a new one.
	patience = 4
)

// A leader is the broker that leads a partition.
type leader struct {
	node  int32
	epoch int32 // -1 if brokers do not say
	since time.Time
}

// A verdict is what a broker says about a partition's leader.
type verdict struct {
	leader
	err error
}

// finder finds leaders until the fetcher is closed. Partitions that have one do not wait for it.
func (f *Fetcher) finder() {
	asker := conn.NewAsker(f.cfg.Client.Config(), metadataTime)
	defer asker.Close()
	for {
		select {
		case <-f.ended.Done():
			return
		case <-f.find:
		}
		if !f.sleep(gather) { // for more to come
			return
		}
		topics := f.sought()
		if len(topics) == 0 {
			continue
		}
		resp, err := f.metadata(asker, topics)
		if f.ended.Err() != nil {
			return
		}
		f.found(topics, resp, err)
	}
}

// sought returns the topics of partitions to look for.
func (f *Fetcher) sought() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	topics := map[string]bool{}
	for p := range f.lost {
		topics[p.at.Topic] = true
	}
	for l := range f.doubted {
		for _, a := range l.asked {
			topics[a.at.Topic] = true
		}
	}
	return slices.Sorted(maps.Keys(topics))
}

// metadata asks brokers one after the other, until one answers.
func (f *Fetcher) metadata(asker *conn.Asker, topics []string) (*sarama.MetadataResponse, error) {
	request := sarama.NewMetadataRequest(f.cfg.Client.Config().Version, topics)
	addrs, doubtful := f.addrs()
	if slices.Contains(doubtful, asker.Addr()) {
		asker.Close()
	}
	resp, err := conn.Ask(f.ended, asker, append(addrs, doubtful...), func(b *sarama.Broker) (*sarama.MetadataResponse, error) {
		resp, err := b.GetMetadata(request)
		if err == nil && len(resp.Brokers) == 0 {
			err = errors.New("it knows no brokers yet")
		}
		if err != nil {
			return nil, fmt.Errorf("asking broker %s for leaders: %w", b.Addr(), err)
		}
		return resp, nil
	})
	if err == nil || f.ended.Err() != nil {
		return resp, err
	}
	f.rediscover(topics)
	return nil, err
}

// addrs returns where known brokers are, those apart that are away or do not answer.
func (f *Fetcher) addrs() (well, doubtful []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	silent := map[*broker]bool{}
	for l := range f.doubted {
		silent[l.broker] = true
	}
	for _, node := range slices.Sorted(maps.Keys(f.brokers)) {
		switch b := f.brokers[node]; {
		case b.addr == "":
		case b.down || silent[b]:
			doubtful = append(doubtful, b.addr)
		default:
			well = append(well, b.addr)
		}
	}
	for _, b := range f.cfg.Client.Brokers() {
		if !slices.Contains(well, b.Addr()) && !slices.Contains(doubtful, b.Addr()) {
			well = append(well, b.Addr())
		}
	}
	return well, doubtful
}

// rediscover has the client find brokers again, from the addresses that it was given. That cannot be cut, so it is not waited for longer
// than the fetcher is open.
func (f *Fetcher) rediscover(topics []string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.cfg.Client.RefreshMetadata(topics...) // what comes of it is the addresses of its brokers
	}()
	select {
	case <-done:
	case <-f.ended.Done():
	}
}

// found has partitions go on that leaders were found for.
func (f *Fetcher) found(topics []string, resp *sarama.MetadataResponse, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	found, missing := map[strategy.TopicPartition]verdict{}, verdict{err: ErrMissing}
	if err != nil {
		missing.err = fmt.Errorf("finding the leader: %w", err)
	} else {
		f.locateBrokers(resp)
		found = f.verdicts(resp, now)
	}
	lost := slices.SortedFunc(maps.Keys(f.lost), func(a, b *Partition) int { return a.at.Compare(b.at) })
	for _, p := range lost {
		if !slices.Contains(topics, p.at.Topic) {
			signal(f.find)
			continue
		}
		delete(f.lost, p)
		is, ok := found[p.at]
		if !ok {
			is = missing
			if whole, ok := found[strategy.TopicPartition{Topic: p.at.Topic, Partition: wholeTopic}]; ok {
				is = whole
			}
		}
		f.learn(p, is)
	}
	for l := range f.doubted {
		delete(f.doubted, l)
		l.judge()
	}
}

// learn has a lost partition go on, with its leader, or later.
func (f *Fetcher) learn(p *Partition, is verdict) {
	if is.err == nil && is.epoch < p.epoch && p.failures < patience {
		is.err = fmt.Errorf("%w: the broker that was asked knows the leader before the one that was", ErrNoLeader)
	}
	switch {
	case errors.Is(is.err, ErrUnauthorized):
		p.fail(p.next, ErrUnauthorized)
	case is.err != nil:
		f.setback(p, is.err)
	default:
		f.leaders[p.at] = is.leader
		f.route(p)
	}
}

// wholeTopic stands for all partitions of a topic.
const wholeTopic = -1

// verdicts takes an answer apart. Leaders that are newer than those known before are kept also for partitions that nobody looks for.
func (f *Fetcher) verdicts(resp *sarama.MetadataResponse, now time.Time) map[strategy.TopicPartition]verdict {
	found := map[strategy.TopicPartition]verdict{}
	for _, t := range resp.Topics {
		if t.Err != sarama.ErrNoError {
			found[strategy.TopicPartition{Topic: t.Name, Partition: wholeTopic}] = verdict{err: leaderError(t.Err)}
			continue
		}
		for _, p := range t.Partitions {
			at := strategy.TopicPartition{Topic: t.Name, Partition: p.ID}
			is := verdict{leader: leader{node: p.Leader, epoch: p.LeaderEpoch, since: now}}
			if resp.Version < 7 {
				is.epoch = -1
			}
			if p.Leader < 0 || f.brokers[p.Leader] == nil {
				is.err = ErrNoLeader
				if p.Err != sarama.ErrNoError {
					is.err = leaderError(p.Err)
				}
			}
			found[at] = is
			if known, ok := f.leaders[at]; is.err == nil && (!ok || known.epoch <= is.epoch) {
				f.leaders[at] = is.leader
			}
		}
	}
	return found
}

func leaderError(code sarama.KError) error {
	switch code { //nolint:exhaustive // what others mean, they say
	case sarama.ErrTopicAuthorizationFailed:
		return ErrUnauthorized
	case sarama.ErrUnknownTopicOrPartition, sarama.ErrInvalidTopic:
		return fmt.Errorf("%w: %w", ErrMissing, code)
	case sarama.ErrLeaderNotAvailable:
		return fmt.Errorf("%w: %w", ErrNoLeader, code)
	}
	return fmt.Errorf("finding the leader: %w", code)
}

// locateBrokers notes where brokers are. Connections to where one was are of no use any more.
func (f *Fetcher) locateBrokers(resp *sarama.MetadataResponse) {
	for _, known := range resp.Brokers {
		b := f.broker(known.ID())
		if b.addr != "" && b.addr != known.Addr() {
			b.cut()
		}
		b.addr = known.Addr()
	}
}

// A link is a connection that may be there or not, and breaks when the context ends that it was opened with. It is for one goroutine, but
// for its context.
type link struct {
	conn *conn.Conn
	stop func() bool
}

func (l *link) open(ctx context.Context, conf *sarama.Config, addr string, answer time.Duration) error {
	c, err := conn.Open(ctx, conf, addr, answer)
	if err != nil {
		return err
	}
	l.conn, l.stop = c, context.AfterFunc(ctx, c.Cut)
	return nil
}

func (l *link) close() {
	if l.conn == nil {
		return
	}
	l.stop()
	l.conn.Close()
	l.conn = nil
}
