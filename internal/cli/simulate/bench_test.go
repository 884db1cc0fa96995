package simulate

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	_ "github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// large returns 100 topics of 1,000 partitions, 1,000 members, and events that replace members one by one.
func large(events int) *options {
	o := &options{strategies: []string{"sticky"}, format: output.JSON}
	o.Members = simulation.NewMembers(nil, 1000)
	for i := range 100 {
		o.Topics = append(o.Topics, strategy.Topic{Name: fmt.Sprintf("topic-%02d", i), Partitions: 1000})
	}
	for i := range events {
		if i%2 == 0 {
			o.Events = append(o.Events, simulation.Join{Count: 1})
		} else {
			o.Events = append(o.Events, simulation.Leave{Members: []string{fmt.Sprintf("member-%d", i)}})
		}
	}
	return o
}

// BenchmarkLargeJSON is what a plan for a large cluster costs, from the options to the last byte: 10 million partition numbers at
// events=100.
func BenchmarkLargeJSON(b *testing.B) {
	for _, events := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("events=%d", events), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o := large(events)
				o.IO = &iostreams.Streams{Out: iostreams.NewWriter(io.Discard)}
				if err := run(context.Background(), o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
