package metrics_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/metrics"
	"github.com/assignkit/assignkit/internal/embedded"
)

// A consumer with metrics reads three records, and then Prometheus reads the metrics.
func Example() {
	cluster, err := embedded.Start(context.Background(), embedded.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := cluster.Create(context.Background(), embedded.Topic{Name: "orders", Partitions: 1, Records: []int{3}}); err != nil {
		log.Fatal(err)
	}

	m := metrics.New(metrics.Config{Group: "billing", Client: "billing-1"})
	c, err := consumer.New(consumer.Config{
		Brokers: cluster.Addrs(), Group: "billing", Topics: []string{"orders"}, Observer: m, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := m.Watch(c); err != nil {
		log.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(m); err != nil {
		log.Fatal(err)
	}
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{}) // for http.Handle("/metrics", handler)

	err = c.Run(context.Background(), func(_ context.Context, m *consumer.Message) error {
		if m.Offset == 2 {
			c.Stop()
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	page := httptest.NewRecorder()
	handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for lines := bufio.NewScanner(page.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "assignkit_consumer_moved_partitions_total") {
			fmt.Println(lines.Text())
		}
	}
	cluster.Close()
	// Output:
	// assignkit_consumer_moved_partitions_total{change="assigned",client="billing-1",group="billing"} 1
	// assignkit_consumer_moved_partitions_total{change="lost",client="billing-1",group="billing"} 0
	// assignkit_consumer_moved_partitions_total{change="revoked",client="billing-1",group="billing"} 1
}
