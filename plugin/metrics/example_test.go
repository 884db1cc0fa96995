package metrics_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/assignkit/assignkit/plugin/metrics"
	"github.com/assignkit/assignkit/strategy"
)

// A plugin is asked once, and then Prometheus reads the metrics.
func Example() {
	catalog, remove, err := openCatalog() // plugin.Open, with a plugin that is made for the example
	if err != nil {
		log.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(metrics.New(catalog)); err != nil {
		log.Fatal(err)
	}
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{}) // for http.Handle("/metrics", handler)

	a, err := catalog.Load("sticky")
	if err != nil {
		log.Fatal(err)
	}
	group := &strategy.Group{
		Name: "billing", Topics: []strategy.Topic{{Name: "orders", Partitions: 2}},
		Members: []strategy.Member{{ID: "billing-1", Topics: []string{"orders"}, Generation: strategy.NoGeneration}},
	}
	if _, err := a.Assign(context.Background(), group); err != nil {
		log.Fatal(err)
	}

	page := httptest.NewRecorder()
	handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for lines := bufio.NewScanner(page.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "assignkit_plugin_") && !strings.Contains(lines.Text(), "_duration_seconds_sum") {
			fmt.Println(lines.Text())
		}
	}
	if err := catalog.Close(); err != nil {
		log.Fatal(err)
	}
	remove()
	// Output:
	// assignkit_plugin_answers_total{plugin="sticky"} 1
	// assignkit_plugin_assign_duration_seconds_count{plugin="sticky"} 1
	// assignkit_plugin_backoff_seconds{plugin="sticky"} 0
	// assignkit_plugin_failures_total{cause="answer",plugin="sticky"} 0
	// assignkit_plugin_failures_total{cause="crash",plugin="sticky"} 0
	// assignkit_plugin_failures_total{cause="other",plugin="sticky"} 0
	// assignkit_plugin_failures_total{cause="refused",plugin="sticky"} 0
	// assignkit_plugin_failures_total{cause="start",plugin="sticky"} 0
	// assignkit_plugin_failures_total{cause="unresponsive",plugin="sticky"} 0
	// assignkit_plugin_info{plugin="sticky",version="0.0.0"} 1
	// assignkit_plugin_running{plugin="sticky"} 1
	// assignkit_plugin_starts_total{plugin="sticky"} 1
}
