package wire

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/assignkit/assignkit/bench"
	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// BenchmarkSteps measures each step of a call between the assignors of host and plugin.
func BenchmarkSteps(b *testing.B) {
	for _, s := range []bench.Shape{
		{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Equal},
		{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal},
	} {
		for _, phase := range []string{"join", "fresh"} {
			b.Run(s.String()+"/"+phase, func(b *testing.B) { benchmarkSteps(b, s, phase) })
		}
	}
}

func benchmarkSteps(b *testing.B, s bench.Shape, phase string) {
	g, err := s.Group(b.Context(), phase, sticky.Assignor{})
	if err != nil {
		b.Fatal(err)
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := sticky.Assignor{}.Assign(b.Context(), t.Group)
	if err != nil {
		b.Fatal(err)
	}
	step := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	request := AssignRequest(t)
	bytes, err := proto.Marshal(request)
	if err != nil {
		b.Fatal(err)
	}
	response, err := AssignResponse(t.Group, &answer)
	if err != nil {
		b.Fatal(err)
	}
	answered, err := proto.Marshal(response)
	if err != nil {
		b.Fatal(err)
	}
	step("request", func() error { AssignRequest(t); return nil })
	step("marshal", func() error { _, err := proto.Marshal(request); return err })
	step("unmarshal", func() error { return proto.Unmarshal(bytes, &pluginproto.AssignRequest{}) })
	step("group", func() error { _, err := Group(request); return err })
	step("response", func() error { _, err := AssignResponse(t.Group, &answer); return err })
	step("unmarshal and assignment", func() error {
		r := &pluginproto.AssignResponse{}
		if err := proto.Unmarshal(answered, r); err != nil {
			return err
		}
		_, err := Assignment(t, r)
		return err
	})
}
