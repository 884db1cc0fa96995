package consumer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/lanes"
)

// connect makes the client, the lanes and the fetcher. It ends when ctx does.
func (d *driver) connect(ctx context.Context) error {
	conf := d.cfg.saramaConfig()
	d.gate = conn.NewGate(conf)
	backoff, own := conf.Metadata.Retry.Backoff, conf.Metadata.Retry.BackoffFunc
	conf.Metadata.Retry.BackoffFunc = func(retries, most int) time.Duration {
		switch {
		case d.gate.IsShut():
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
		return fmt.Errorf("consumer: none of the brokers %s can be used: %w%s", strings.Join(d.cfg.Brokers, ", "), err, hint(err, conf))
	}
	d.lanes = lanes.New(lanes.Config{Client: d.client, Seeds: d.cfg.Brokers, Group: d.cfg.Group, Rebalance: d.cfg.Rebalance, Request: conf.Net.ReadTimeout, Logger: d.log}, d.deliver)
	if d.fetcher, err = fetch.New(d.fetchConfig(conf)); err != nil {
		d.disconnect()
		return err
	}
	d.plans = newPlanner(d)
	return nil
}

// hint says what may be behind an error of Sarama's that does not say it.
func hint(err error, conf *sarama.Config) string {
	// Brokers close connections on which something else is spoken, after at most a few bytes.
	closed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
	switch {
	case closed && conf.Net.TLS.Enable:
		return " (it was closed at once: is that the port for TLS, and does it want a certificate?)"
	case closed:
		return " (it was closed at once: does that port want TLS?)"
	case strings.Contains(err.Error(), "first record does not look like a TLS handshake"):
		return " (the broker's port takes plain connections; turn Net.TLS off, or use its TLS port)"
	case errors.Is(err, sarama.ErrOutOfBrokers) && !conf.Net.TLS.Enable:
		return " (is a broker listening there, and does its port take plain connections, without TLS?)"
	}
	return ""
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
