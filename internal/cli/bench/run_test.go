package bench

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	_ "github.com/assignkit/assignkit/strategies/standard"
	"github.com/assignkit/assignkit/strategy"
)

// interrupting ends a context when it has been asked some times.
type interrupting struct {
	calls *atomic.Int32
	end   context.CancelFunc
}

func (interrupting) Name() string { return "interrupting" }

func (a interrupting) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if a.calls.Add(-1) == 0 {
		a.end()
	}
	inner, err := strategy.Parse("roundrobin")
	if err != nil {
		return strategy.Assignment{}, err
	}
	return inner.Assign(ctx, g)
}

// What is done when a command is interrupted is printed, and how much that is.
func TestInterrupted(t *testing.T) {
	var calls atomic.Int32
	var end context.CancelFunc
	strategy.Register("interrupting", strategy.Definition{New: func(strategy.Spec) (strategy.Assignor, error) { return interrupting{&calls, end}, nil }})
	for _, format := range []string{"table", "json", "csv"} {
		var ctx context.Context
		ctx, end = context.WithCancel(t.Context())
		calls.Store(120)
		streams, out, errs := iostreams.Test("")
		cmd := NewCommand(streams, nil)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs([]string{"--workload", "flapper", "--strategy", "interrupting", "--seeds", "50", "-o", format})
		err := cmd.ExecuteContext(ctx)
		_ = streams.Out.Flush()
		end()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", format, err)
		}
		m := regexp.MustCompile(`^assignctl: (\d+) of 50 runs are done\n$`).FindStringSubmatch(errs.String())
		if m == nil || m[1] == "50" {
			t.Errorf("%s: it says %q", format, errs)
			continue
		}
		if out.Len() > 0 != (m[1] != "0") || out.Len() > 0 && !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
			t.Errorf("%s: after %s runs it has printed %q", format, m[1], out)
		}
		if format == "json" && m[1] != "0" && strings.Count(out.String(), "\n") == 0 {
			t.Errorf("%s: %q", format, out)
		}
	}
}
