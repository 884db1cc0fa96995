package strategies

import (
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

func TestOptions(t *testing.T) {
	tests := []struct {
		args, name string
		format     output.Format
	}{
		{"", "", output.Table},
		{"sticky", "sticky", output.Table},
		{"-o json", "", output.JSON},
		{"range --output yaml", "range", output.YAML},
	}
	for _, test := range tests {
		streams, _, _ := iostreams.Test("")
		var got options
		cmd := NewCommand(streams, func(o *options) error { got = *o; return nil })
		cmd.SetArgs(strings.Fields(test.args))
		if err := cmd.Execute(); err != nil || got.name != test.name || got.format != test.format {
			t.Errorf("%s: name %q, format %s, %v", test.args, got.name, got.format, err)
		}
	}
}

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
