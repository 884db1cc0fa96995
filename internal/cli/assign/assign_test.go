package assign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/strategy"
)

// odd is an assignor that does with each group what the group's topic says.
type odd struct{}

func (odd) Name() string { return "odd" }

func (odd) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	switch g.Topics[0].Name {
	case "panic":
		panic("out of ideas")
	case "error":
		return strategy.Assignment{}, errors.New("no idea")
	case "invalid":
		return strategy.Assignment{}, nil
	}
	return strategy.Assignment{Members: map[string][]strategy.TopicPartitions{"a": {{Topic: g.Topics[0].Name, Partitions: []int32{0}}}}}, nil
}

// TestFaultsStayInTheirLine has an assignor fail in every way: the line is answered with the fault, the next one as ever.
func TestFaultsStayInTheirLine(t *testing.T) {
	strategy.Register("odd", strategy.Definition{New: func(strategy.Spec) (strategy.Assignor, error) { return odd{}, nil }})
	want := map[string]string{
		"panic":   `{"error":"odd panicked: out of ideas"}`,
		"error":   `{"error":"no idea"}`,
		"invalid": `{"error":"invalid assignment (2 violations); `,
		"fine":    `{"assignment":{"a":{"fine":[0]}},"unassigned":{}}`,
	}
	order := []string{"panic", "fine", "error", "invalid", "fine"}
	var in strings.Builder
	for _, topic := range order {
		fmt.Fprintf(&in, `{"topics":{%q:1},"members":[{"id":"a","topics":[%q]}]}`+"\n", topic, topic)
	}
	streams, out, _ := iostreams.Test(in.String())
	err := run(context.Background(), &options{io: streams, files: []string{"-"}, strategy: "odd", format: "json"})
	if err == nil || err.Error() != "3 of 5 groups failed; see the answers" {
		t.Errorf("the error is %v", err)
	}
	_ = streams.Out.Flush()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(order) {
		t.Fatalf("%d answers:\n%s", len(lines), out)
	}
	for i, topic := range order {
		if !strings.HasPrefix(lines[i], want[topic]) {
			t.Errorf("%s: %s", topic, lines[i])
		}
	}
}

// TestAnswersAtOnce asks one group after the other, each only after the answer to the one before.
func TestAnswersAtOnce(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	streams := &iostreams.Streams{In: in, Out: iostreams.NewWriter(out)}
	done := make(chan error)
	strategy.Register("prompt", strategy.Definition{New: func(strategy.Spec) (strategy.Assignor, error) { return odd{}, nil }})
	go func() {
		done <- run(context.Background(), &options{io: streams, files: []string{"-"}, strategy: "prompt", format: "json"})
	}()
	buffer := make([]byte, 4096)
	for i := range 3 {
		fmt.Fprintf(ask, `{"topics":{"t%d":1},"members":[{"id":"a","topics":["t%d"]}]}`+"\n", i, i)
		n, err := answers.Read(buffer)
		if want := fmt.Sprintf(`{"assignment":{"a":{"t%d":[0]}},"unassigned":{}}`+"\n", i); err != nil || string(buffer[:n]) != want {
			t.Fatalf("answer %d is %q, %v", i, buffer[:n], err)
		}
	}
	_ = ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
