package metrics_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer/metrics"
)

// TestDocs has docs/metrics.md say of each metric that it is there, and of no other; and name every value of reason.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	own, _, _ := strings.Cut(string(text), "\n## Plugins\n") // what follows is another package's
	var listed []string
	for _, line := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [`a-z, -]+ \\| (?:counter|gauge|histogram) \\|").FindAllStringSubmatch(own, -1) {
		listed = append(listed, line[1])
	}
	slices.Sort(listed)
	if got := described(); !slices.Equal(listed, got) {
		t.Errorf("it lists\n%q\nand there are\n%q", listed, got)
	}
	for _, reason := range metrics.Reasons {
		if !strings.Contains(string(text), "\n| `"+reason+"` |") {
			t.Errorf("it does not say what reason %s is", reason)
		}
	}
}

// described returns the names of all metrics, without what all of them begin with.
func described() (names []string) {
	descs := make(chan *prometheus.Desc, 100)
	metrics.New(metrics.Config{Group: "g"}).Describe(descs)
	close(descs)
	for d := range descs {
		name := regexp.MustCompile(`fqName: "assignkit_consumer_([a-z_]+)"`).FindStringSubmatch(d.String())
		names = append(names, name[1])
	}
	slices.Sort(names)
	return names
}
