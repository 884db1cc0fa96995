package rules_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// TestLogTo names a logger for an assignor of a specification, which is told of these rules and of the next in the file.
func TestLogTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lag.yaml")
	write := writer(t, path)
	write("name: by-lag\nweight: partition.lag\n")
	a, err := strategy.Parse("rules:" + path)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	a.(*rules.File).LogTo(slog.New(slog.NewTextHandler(&log, nil)))
	g := &strategy.Group{
		Topics:  []strategy.Topic{{Name: "orders", Partitions: 2}},
		Members: []strategy.Member{{ID: "a", Topics: []string{"orders"}}},
	}
	for _, want := range []string{"signal=lag", "signal=rate"} {
		if _, err := a.Assign(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
		write("name: by-lag\nweight: partition.rate + 1\n")
	}
}
