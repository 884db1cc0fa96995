package consumer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

func TestCoordinatorLostSaysWhy(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault func(*testing.T, *kfake.Cluster)
		want  string
	}{
		{"silent", func(t *testing.T, c *kfake.Cluster) {
			_, release := hold(c, kmsg.Heartbeat)
			t.Cleanup(func() { close(release) })
		}, "does not answer"},
		{"moved", func(_ *testing.T, c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.NotCoordinator})
		}, "does not coordinate"},
		{"broken", func(_ *testing.T, c *kfake.Cluster) {
			c.ControlKey(int16(kmsg.Heartbeat), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("hang up"), true })
		}, "EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.SessionTimeout = 6 * time.Second // the least
			a := start(t, "a", cfg, nil)
			a.waitOwned(1)
			test.fault(t, cluster.Fake())
			a.sees("why", func(e consumer.Event) bool {
				l, ok := e.(consumer.CoordinatorLost)
				return ok && l.Err != nil && strings.Contains(l.Err.Error(), test.want)
			})
		})
	}
}
