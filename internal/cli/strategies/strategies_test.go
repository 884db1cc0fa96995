package strategies

import (
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// TestDescription shows a strategy with everything that there can be to say about one.
func TestDescription(t *testing.T) {
	strategy.Register("from-file", strategy.Definition{
		Summary: "does what a file says", Argument: "FILE",
		Parameters: []strategy.Parameter{
			{Name: "mode", Kind: strategy.KindChoice, Values: []string{"strict", "loose"}, Default: "strict", Summary: "how literally it is taken"},
			{Name: "limit", Kind: strategy.KindInt, Summary: "most partitions of a member"},
		},
		New: func(strategy.Spec) (strategy.Assignor, error) { panic("it cannot be made without a file") },
	})
	streams, out, _ := iostreams.Test("")
	if err := run(&options{io: streams, name: "from-file", format: output.Table}); err != nil {
		t.Fatal(err)
	}
	_ = streams.Out.Flush()
	const want = `from-file:FILE  does what a file says
wire name       -
protocol        -

PARAMETER    VALUE         DEFAULT  SUMMARY
mode         strict|loose  strict   how literally it is taken
limit        number        -        most partitions of a member
cooperative  bool          false    what another member still owns waits for a
                                    second round
`
	if out.String() != want {
		t.Errorf("it printed\n%s", out)
	}
}
