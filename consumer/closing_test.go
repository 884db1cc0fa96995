package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

// TestCloseSaysWhatItGaveUp has no commit succeed. Whoever notices first that the time is over, Close says so.
func TestCloseSaysWhatItGaveUp(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.CoordinatorLoadInProgress, Count: -1})
	for i := range 8 {
		cfg := config(cluster.Addrs(), fmt.Sprint("g", i), "orders")
		cfg.CloseTimeout = 150 * time.Millisecond
		a := start(t, "a", cfg, nil)
		a.waitRecords(5)
		if err := a.close(); !errors.Is(err, consumer.ErrUnclean) {
			t.Errorf("Close returned %v", err)
		}
	}
}

// TestCloseIsNoTrouble has a handler hold the end up while the member waits for records: that it breaks its connections is no news.
func TestCloseIsNoTrouble(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RevokeTimeout = 50 * time.Millisecond
	entered, release := make(chan struct{}, 2), make(chan struct{})
	a := start(t, "a", cfg, func(context.Context, *consumer.Message) error {
		entered <- struct{}{}
		<-release
		return nil
	})
	<-entered
	<-entered
	if err := a.close(); !errors.Is(err, consumer.ErrUnclean) {
		t.Error(err)
	}
	close(release)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.events {
		switch e.(type) {
		case consumer.BrokerTrouble, consumer.ReadTrouble:
			t.Errorf("%T %+v", e, e)
		}
	}
}
