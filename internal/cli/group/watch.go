package group

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/live"
)

// minWatch is the least time between two looks: brokers have other things to do.
const minWatch = 100 * time.Millisecond

// clearScreen moves to the corner and wipes what is below.
const clearScreen = "\x1b[H\x1b[2J"

// watchGroup looks at the group until the context ends. What goes wrong at first ends it as well; later it is said, and looked again: a
// rebalance or a broker that restarts is what is watched for.
func (o *describeOptions) watchGroup(ctx context.Context, client *connect.Client) error {
	tick := time.NewTicker(o.watch)
	defer tick.Stop()
	for seen := false; ; {
		text, err := o.look(ctx, client)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			seen = true
		case !seen && !errors.Is(err, live.ErrRebalancing):
			return err
		}
		if err := o.showLook(text, err); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look reads the group as it is at the moment.
func (o *describeOptions) look(ctx context.Context, client *connect.Client) ([]byte, error) {
	g, err := live.Read(ctx, client, o.group, live.Options{Wait: -1})
	if err != nil {
		return nil, err
	}
	return o.render(g)
}

// showLook writes what was seen: over the last on a terminal, else below it, with the time. JSON is a document a line; what went wrong
// is then on the other stream.
func (o *describeOptions) showLook(text []byte, problem error) error {
	var b bytes.Buffer
	documents := o.format == output.JSON || o.format == output.YAML
	if problem != nil {
		problemText := output.CleanText(problem.Error())
		if documents {
			fmt.Fprintf(o.io.Err, "%s: %s\n", o.io.Name, problemText)
			return nil
		}
		text = append(paper(o.io, o.format).Wrap(nil, output.Cell{Text: problemText, Style: output.Bad}), '\n')
	}
	switch {
	case o.format == output.YAML:
		b.WriteString("---\n")
	case documents:
	case o.io.OutTerminal:
		b.WriteString(clearScreen)
		fallthrough
	default:
		fmt.Fprintf(&b, "%s, every %s\n\n", time.Now().Format(time.RFC3339), o.watch)
	}
	b.Write(text)
	if !documents && !o.io.OutTerminal {
		b.WriteByte('\n')
	}
	if _, err := o.io.Out.Write(b.Bytes()); err != nil {
		return err
	}
	return o.io.Out.Flush()
}
