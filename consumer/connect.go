package consumer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/lanes"
)

// connect makes the client, the lanes and the fetcher. It ends when ctx does.
func (d *driver) connect(ctx context.Context) error {
	conf := d.cfg.saramaConfig()
	d.gate = conn.NewGate(conn.DialerOf(conf))
	conf.Net.Proxy.Enable, conf.Net.Proxy.Dialer = true, d.gate
	backoff, own := conf.Metadata.Retry.Backoff, conf.Metadata.Retry.BackoffFunc
	conf.Metadata.Retry.BackoffFunc = func(retries, most int) time.Duration {
		switch {
		case d.gate.Cause() != nil:
			return 0
		case own != nil:
			return own(retries, most)
		}
		return backoff
	}
	defer context.AfterFunc(ctx, func() { d.gate.Shut(context.Cause(ctx)) })()
	var err error
	if d.client, err = sarama.NewClient(d.cfg.Brokers, conf); err != nil {
		return fmt.Errorf("consumer: %w", err)
	}
	d.topics = newTopics(d)
	if err = d.topics.begin(ctx); err != nil {
		d.disconnect()
		return fmt.Errorf("consumer: none of the brokers %s can be used: %w", strings.Join(d.cfg.Brokers, ", "), conn.ExplainOpen(err, conf))
	}
	d.lanes = lanes.New(lanes.Config{
		Client: d.client, Seeds: d.cfg.Brokers, Group: d.cfg.Group, Rebalance: d.cfg.RebalanceTimeout, Request: conf.Net.ReadTimeout, Logger: d.log,
	}, d.deliver)
	if d.fetcher, err = fetch.New(d.fetchConfig(conf)); err != nil {
		d.disconnect()
		return err
	}
	d.plans = newPlanner(d)
	return nil
}

// deliver takes what comes from a lane.
func (d *driver) deliver(in lanes.Delivery) {
	d.post(func() {
		if d.lanes.Current(in) {
			d.step(in.Input)
		}
	})
}

func (d *driver) fetchConfig(conf *sarama.Config) fetch.Config {
	return fetch.Config{
		Client: d.client, Rack: conf.RackID, ReadCommitted: conf.Consumer.IsolationLevel == sarama.ReadCommitted,
		MinBytes: conf.Consumer.Fetch.Min, PartitionBytes: conf.Consumer.Fetch.Default, MaxWait: conf.Consumer.MaxWaitTime,
		PartitionBuffer: d.cfg.PartitionBuffer, Buffer: d.cfg.Buffer,
		OutOfRange: fetch.OutOfRange(d.cfg.OutOfRange), Report: d.reading, Logger: d.log,
	}
}

// disconnect ends all connections, and what runs on them.
func (d *driver) disconnect() {
	d.gate.Shut(ErrNotRunning)
	d.topics.hangUp()
	if d.fetcher != nil {
		d.fetcher.Close()
	}
	if d.lanes != nil {
		d.lanes.Close()
	}
	_ = d.client.Close() // nothing is asked of it any more
}
