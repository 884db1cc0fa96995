package strategies

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// Attend has assignors tell on standard error what they find odd, as remarks of the program, each once for all of them. Those that log
// to nobody in particular would write lines with the time to slog.Default(), which belongs to the program that calls this one.
func Attend(io *iostreams.Streams, assignors ...strategy.Assignor) {
	logger := slog.New(&remarks{io: io, told: map[string]bool{}})
	for _, a := range assignors {
		if teller, ok := strategy.As[interface{ LogTo(logger *slog.Logger) }](a); ok {
			teller.LogTo(logger)
		}
	}
}

// remarks is a handler that prints each text once. It knows no groups, and no attributes but those of a record.
type remarks struct {
	io   *iostreams.Streams
	mu   sync.Mutex
	told map[string]bool
}

// Enabled leaves out what is in order.
func (r *remarks) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle prints a record without its time.
func (r *remarks) Handle(_ context.Context, record slog.Record) error {
	var of []string
	record.Attrs(func(a slog.Attr) bool {
		of = append(of, a.Key+" "+a.Value.String())
		return true
	})
	text := r.io.Name + ": " + record.Message
	if len(of) > 0 {
		text += " (" + strings.Join(of, ", ") + ")"
	}
	text = output.Clean(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told[text] {
		return nil
	}
	r.told[text] = true
	start := ""
	if r.io.ErrTerminal {
		start = "\r\x1b[K" // progress may stand in the line
	}
	_, err := fmt.Fprintf(r.io.Err, "%s%s\n", start, output.Paper{Width: r.io.Width}.Wrap(nil, output.Cell{Text: text}))
	return err
}

// WithAttrs makes it a handler.
func (r *remarks) WithAttrs([]slog.Attr) slog.Handler { return r }

// WithGroup makes it a handler.
func (r *remarks) WithGroup(string) slog.Handler { return r }
