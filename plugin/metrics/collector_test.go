package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/plugin/metrics"
)

// TestShow has one plugin that was never asked, and one that has failed in all ways there are.
func TestShow(t *testing.T) {
	now := time.Unix(1000, 0)
	shown := metrics.Shown{Now: now, Stats: []plugin.Stats{
		{Plugin: "new"},
		{
			Plugin: "old", Version: "1.2.3", Running: true, Starts: 2, Answers: 3, Failures: 21,
			Causes:          plugin.Causes{Refused: 1, Start: 2, Crash: 3, Unresponsive: 4, Answer: 5, Other: 6},
			LastFailureTime: now.Add(-500 * time.Millisecond), Retry: now.Add(1500 * time.Millisecond),
			Assigns: 7, AssignTime: 2500 * time.Millisecond,
		},
	}}
	var want strings.Builder
	for _, line := range []string{
		`backoff_seconds{plugin="new"} 0`,
		`backoff_seconds{plugin="old"} 1.5`,
		`last_failure_timestamp_seconds{plugin="old"} 999.5`,
		`info{plugin="old",version="1.2.3"} 1`,
		`running{plugin="new"} 0`,
		`running{plugin="old"} 1`,
		`starts_total{plugin="old"} 2`,
		`answers_total{plugin="old"} 3`,
		`failures_total{cause="refused",plugin="old"} 1`,
		`failures_total{cause="start",plugin="old"} 2`,
		`failures_total{cause="crash",plugin="old"} 3`,
		`failures_total{cause="unresponsive",plugin="old"} 4`,
		`failures_total{cause="answer",plugin="old"} 5`,
		`failures_total{cause="other",plugin="old"} 6`,
		`failures_total{cause="other",plugin="new"} 0`,
		`assign_duration_seconds_sum{plugin="old"} 2.5`,
		`assign_duration_seconds_count{plugin="old"} 7`,
	} {
		want.WriteString("assignkit_plugin_" + line + "\n")
	}
	page := read(t, shown)
	for line := range strings.Lines(want.String()) {
		if !strings.Contains(page, line) {
			t.Errorf("there is no %s", line)
		}
	}
	if strings.Contains(page, `last_failure_timestamp_seconds{plugin="new"}`) || strings.Contains(page, `info{plugin="new"`) {
		t.Errorf("what is not known is shown:\n%s", page)
	}
	problems, err := testutil.CollectAndLint(shown)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// read reads the page of a collector as Prometheus does.
func read(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	page := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return page.Body.String()
}

// TestUse has a plugin loaded and closed: its series are there in between.
func TestUse(t *testing.T) {
	catalog, remove, err := openCatalog()
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	defer catalog.Close()
	m := metrics.New(catalog)
	if n := testutil.CollectAndCount(m); n != 0 {
		t.Errorf("%d series of nobody", n)
	}
	a, err := catalog.Load("sticky")
	if err != nil {
		t.Fatal(err)
	}
	if n := testutil.CollectAndCount(m, "assignkit_plugin_running"); n != 1 {
		t.Errorf("%d series", n)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if n := testutil.CollectAndCount(m); n != 0 {
		t.Errorf("%d series of nobody", n)
	}
}

// TestDocs has docs/metrics.md say of each metric that it is there, and of no other.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Plugins\n")
	if !found {
		t.Fatal("it says nothing about plugins")
	}
	var listed []string
	for _, line := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [`a-z, -]+ \\| (?:counter|gauge|summary) \\|").FindAllStringSubmatch(section, -1) {
		listed = append(listed, line[1])
	}
	var described []string
	descs := make(chan *prometheus.Desc, 100)
	metrics.New(nil).Describe(descs)
	close(descs)
	for d := range descs {
		described = append(described, regexp.MustCompile(`fqName: "assignkit_plugin_([a-z_]+)"`).FindStringSubmatch(d.String())[1])
	}
	slices.Sort(listed)
	slices.Sort(described)
	if !slices.Equal(listed, described) {
		t.Errorf("it lists\n%q\nand there are\n%q", listed, described)
	}
}
