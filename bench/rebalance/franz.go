package main

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// franzAhead is how many polled batches of a partition may wait for its goroutine. It is enough for a partition that waits for
// a commit not to hold up the others, which the library leaves to the program.
const franzAhead = 1000

// franzClient is franz-go with its cooperative balancer, used as its examples do: a loop that polls, a goroutine for each partition,
// and automatic commits of records that are marked as processed.
func franzClient() client {
	return client{"franz-go/cooperative-sticky", []commits{commitAuto, commitAsync, commitSync}, startFranz}
}

func startFranz(_ context.Context, m *member) (running, error) {
	f := &franzMember{member: m, workers: map[int32]*franzWorker{}}
	opts := []kgo.Opt{
		kgo.SeedBrokers(m.brokers...), kgo.ConsumerGroup(m.group), kgo.ConsumeTopics(m.topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.OnPartitionsAssigned(f.assigned), kgo.OnPartitionsRevoked(f.revoked), kgo.OnPartitionsLost(f.lost),
		kgo.AutoCommitMarks(), kgo.AutoCommitCallback(f.autoCommitted),
	}
	if m.heartbeat > 0 {
		opts = append(opts, kgo.HeartbeatInterval(m.heartbeat))
	}
	if m.instance != "" {
		opts = append(opts, kgo.InstanceID(m.instance))
	}
	var err error
	if f.client, err = kgo.NewClient(opts...); err != nil {
		return running{}, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.poll()
	}()
	return running{stop: func() error {
		f.client.Close()
		<-done
		return nil
	}}, nil
}

// A franzMember is one client.
type franzMember struct {
	*member
	client *kgo.Client

	mu      sync.Mutex
	workers map[int32]*franzWorker
}

// A franzWorker processes a partition's records.
type franzWorker struct {
	batches    chan []*kgo.Record
	quit, done chan struct{}
	committing atomic.Bool // an asynchronous commit is on its way
}

// poll hands what is fetched to the workers until the client is closed.
func (f *franzMember) poll() {
	for {
		fetches := f.client.PollFetches(context.Background())
		if fetches.IsClientClosed() {
			return
		}
		_, generation := f.client.GroupMetadata()
		f.generation(generation)
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			f.mu.Lock()
			w := f.workers[p.Partition]
			f.mu.Unlock()
			if w == nil || len(p.Records) == 0 { // revoked since it was polled
				return
			}
			select {
			case w.batches <- p.Records:
			case <-w.quit:
			}
		})
	}
}

func (f *franzMember) assigned(_ context.Context, _ *kgo.Client, added map[string][]int32) {
	f.assign(added[f.topic]...)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range added[f.topic] {
		w := &franzWorker{batches: make(chan []*kgo.Record, franzAhead), quit: make(chan struct{}), done: make(chan struct{})}
		f.workers[p] = w
		go f.work(w)
	}
}

func (f *franzMember) work(w *franzWorker) {
	defer close(w.done)
	for {
		select {
		case <-w.quit:
			return
		case records := <-w.batches:
			for _, r := range records {
				select {
				case <-w.quit: // whoever comes next reads the rest
					return
				default:
				}
				f.deliver(r.Partition, r.Offset)
				f.client.MarkCommitRecords(r)
				if f.commits == commitSync && r.Partition == syncPartition {
					f.committing()
					f.committed(f.client.CommitRecords(context.Background(), r))
				}
			}
			if f.commits == commitAsync {
				f.commitAsync(w, records[len(records)-1])
			}
		}
	}
}

// commitAsync commits up to a record, unless a commit of the partition is on its way: the library would queue them all, and the next
// rebalance with them. What is left out is marked, and so committed later.
func (f *franzMember) commitAsync(w *franzWorker, r *kgo.Record) {
	if !w.committing.CompareAndSwap(false, true) {
		return
	}
	offsets := map[string]map[int32]kgo.EpochOffset{r.Topic: {r.Partition: {Epoch: r.LeaderEpoch, Offset: r.Offset + 1}}}
	f.committing()
	f.client.CommitOffsets(context.Background(), offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
		w.committing.Store(false)
		f.committed(commitError(answer, err))
	})
}

func (f *franzMember) autoCommitted(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
	if err := commitError(answer, err); err != nil {
		f.commitFailed(err)
	}
}

// commitError is the first error of a commit.
func commitError(answer *kmsg.OffsetCommitResponse, err error) error {
	if err != nil || answer == nil {
		return err
	}
	for _, t := range answer.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *franzMember) revoked(ctx context.Context, c *kgo.Client, removed map[string][]int32) {
	if len(removed[f.topic]) == 0 { // it is also called at the end of a session
		return
	}
	f.end(removed[f.topic])
	f.revoke(removed[f.topic]...)
	if err := c.CommitMarkedOffsets(ctx); err != nil {
		f.commitFailed(err)
	}
}

func (f *franzMember) lost(_ context.Context, _ *kgo.Client, removed map[string][]int32) {
	f.end(removed[f.topic])
	f.gone(removed[f.topic]...)
}

// end ends workers, after the record that they are at.
func (f *franzMember) end(partitions []int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range partitions {
		w := f.workers[p]
		if w == nil {
			continue
		}
		delete(f.workers, p)
		close(w.quit)
		<-w.done
	}
}
