package simulate

import (
	"context"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
)

// TestTraceCut has the writer of a trace end in its last line: what stands before is replayed.
func TestTraceCut(t *testing.T) {
	const line = `{"v":1,"kind":"rebalance","time":"2026-01-02T03:00:01Z","group":"g","generation":1,"assignor":"range","member":"a","leader":true,` +
		`"asked":{"topics":{"t":1},"members":[{"id":"a","topics":["t"]}]},"answer":{"assignment":{"a":{"t":[0]}}}}` + "\n"
	for args, want := range map[string]string{
		"--trace -":  "assignctl: standard input:2:40: the last line is not whole: left out\n",
		"--import -": "assignctl: standard input:2:40: the last line is not whole: left out\n",
	} {
		streams, out, errs := iostreams.Test(line + line[:40])
		cmd := NewCommand(streams, nil)
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.ExecuteContext(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := streams.Out.Flush(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(errs.String(), want) || !strings.Contains(out.String(), "1 partition on 1 member") {
			t.Errorf("%s: printed\n%s%s", args, errs, out)
		}
	}
}
