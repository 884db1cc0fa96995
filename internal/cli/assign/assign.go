// Package assign is the command that answers groups with assignments, line by line, so that other programs can ask an assignor.
package assign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/input"
	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// options is what the command line says.
type options struct {
	io          *iostreams.Streams
	files       []string // never empty
	strategy    string
	cooperative bool
	format      output.Format
}

// NewCommand returns the command.
func NewCommand(io *iostreams.Streams) *cobra.Command {
	opts := &options{io: io}
	cmd := &cobra.Command{
		Use:   "assign --strategy SPEC [FILE|-]...",
		Short: "Answer groups with assignments, one a line",
		Long: `Read groups as JSON, one a line, and answer each with an assignment, one a line,
as soon as it is read. Every answer is checked. What is wrong with a group or
with an answer is the answer to that line, and the exit code is then 1.

A group is

  {"topics": {"orders": 12}, "members": [{"id": "a", "topics": ["orders"]}]}

Members may have owned (topic to numbers), generation, instance, rack, capacity,
labels, uptime (seconds) and signals (name to number); the group may have racks,
weights and leader_racks by topic, and signals by name and topic.
An answer is one of

  {"assignment": {"a": {"orders": [0, 1]}}, "unassigned": {}}
  {"error": "..."}`,
		Example: `  assignctl assign --strategy range groups.jsonl
  assignctl assign --strategy sticky --cooperative < groups.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.strategy == "" {
				return fault.Usage("--strategy is missing; see '%s strategies'", io.Name)
			}
			if opts.files = args; len(args) == 0 {
				opts.files = []string{input.Stdin}
			}
			return run(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.strategy, "strategy", "s", "", "the strategy: a `SPEC` such as sticky or range?wire=chunks")
	cmd.Flags().BoolVar(&opts.cooperative, "cooperative", false, "withhold what others still own, as for incremental rebalancing")
	output.AddFlag(cmd, &opts.format, output.JSON, output.Table, output.Wide, output.YAML)
	strategies.CompleteFlag(cmd, "strategy", false)
	return cmd
}

func run(ctx context.Context, opts *options) (err error) {
	if err := input.CheckFiles(opts.files); err != nil {
		return err
	}
	a, err := strategies.Parse(opts.strategy)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, strategy.Close(a)) }()
	strategies.Attend(opts.io, a)
	if opts.cooperative {
		a = strategy.Cooperative(a)
	}
	if opts.io.InTerminal && slices.Contains(opts.files, input.Stdin) {
		fmt.Fprintf(opts.io.Err, "%s: reading groups from the terminal, one JSON object a line\n", opts.io.Name)
	}
	w := &answerer{opts: opts, assignor: a}
	for _, file := range opts.files {
		if err := w.file(ctx, file); err != nil {
			return err
		}
	}
	if w.failed > 0 {
		return fmt.Errorf("%d of %s failed; see the answers", w.failed, output.Count(w.answered, "group"))
	}
	return nil
}

// An answerer answers the lines of all files.
type answerer struct {
	opts             *options
	assignor         strategy.Assignor
	answered, failed int
	line             []byte // kept to be used again
}

func (w *answerer) file(ctx context.Context, name string) error {
	src, err := input.Open(name, w.opts.io.In)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()                            // it was only read
	lines := input.NewLines(input.Until(ctx, src), input.MaxLine) // so that the assignor is closed at once
	for {
		if lines.Idle() {
			if err := w.opts.io.Out.Flush(); err != nil { // whoever asks may wait for the answer
				return err
			}
		}
		line, err := lines.Next()
		var long *input.LongLineError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.As(err, &long):
			return fmt.Errorf("%s: %w", src.Name, err)
		}
		where := fmt.Sprintf("%s:%d", src.Name, lines.Number)
		if err := w.answer(ctx, where, line, err); err != nil {
			return err
		}
	}
}

// answer writes the answer to one line, or what was wrong with it.
func (w *answerer) answer(ctx context.Context, where string, line []byte, problem error) error {
	var answer strategy.Assignment
	if problem == nil {
		answer, problem = w.assign(ctx, line)
	}
	if ctx.Err() != nil {
		return ctx.Err() // not the fault of the group
	}
	w.answered++
	if problem != nil {
		w.failed++
		w.line = groupjson.AppendError(w.line[:0], problem)
	} else {
		w.line = groupjson.AppendAnswer(w.line[:0], &answer)
	}
	var err error
	switch w.opts.format {
	case output.Table, output.Wide:
		_, err = w.opts.io.Out.Write(w.table(where, &answer, problem))
	case output.YAML:
		if _, err = io.WriteString(w.opts.io.Out, "---\n"); err == nil {
			err = output.Print(w.opts.io.Out, output.YAML, w.line)
		}
	default:
		w.line = append(w.line, '\n')
		_, err = w.opts.io.Out.Write(w.line)
	}
	return err
}

// assign decodes, assigns and checks. A panic of the assignor is its answer to this group only.
func (w *answerer) assign(ctx context.Context, line []byte) (answer strategy.Assignment, err error) {
	group, err := groupjson.Decode(line)
	if err != nil {
		return strategy.Assignment{}, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panicked: %v", w.opts.strategy, r)
		}
	}()
	if answer, err = w.assignor.Assign(ctx, group); err != nil {
		return strategy.Assignment{}, err
	}
	return answer, strategy.Validate(group, &answer, strategy.ProtocolOf(w.assignor))
}
