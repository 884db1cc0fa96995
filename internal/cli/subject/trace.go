package subject

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/trace/replay"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// RecordedName stands where a strategy would, for what the trace says that really happened.
const RecordedName = "recorded"

// isJSON says whether text begins with an object.
func isJSON(in *bufio.Reader) bool {
	start, _ := in.Peek(512)
	return bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \t\r\n"), []byte("{"))
}

// importTrace reads a group out of a trace: as its last rebalance has left it.
func (o *Options) importTrace(file string, text io.Reader) ([]Subject, error) {
	if o.Subscriptions != "" {
		return nil, fault.Usage("--subscriptions says what to make of the text of kafka-consumer-groups; a trace tells what members read")
	}
	p, err := o.readPast(file, text)
	if err != nil {
		return nil, err
	}
	o.say(fmt.Sprintf("%s: group %s as generation %d has left it, recorded at %s; --trace shows how it came there",
		o.IO.Name, output.Clean(p.Group), p.Last, p.To.Format(time.RFC3339)))
	return []Subject{{Scenario: simulation.Scenario{Group: p.Now}}}, nil
}

// replayTrace has what happened to a group happen again. Beside the strategies stands what was recorded, as long as nothing is to happen
// after it.
func (o *Options) replayTrace(ctx context.Context, file string, text io.Reader) ([]Subject, error) {
	p, err := o.readPast(file, text)
	if err != nil {
		return nil, err
	}
	o.say(o.pastNote(p))
	s := Subject{Scenario: p.Scenario}
	switch {
	case len(o.Events) > 0: // only strategies know what would happen next
	case p.Answers == nil:
		o.say(fmt.Sprintf("%s: what really happened is not shown: the trace lacks an answer", o.IO.Name))
	default:
		s.Recorded, err = simulation.PlayBack(ctx, &p.Scenario, RecordedName, p.Answers)
		var run *simulation.RunError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &run):
			o.say(fmt.Sprintf("%s: what really happened is not shown: the trace makes no sense in step %d (%s): %s", o.IO.Name,
				run.Step, output.Clean(run.Event), output.Clean(run.Err.Error())))
		case err != nil:
			return nil, err
		}
	}
	return []Subject{s}, nil
}

// readPast reads what a trace tells of the group that is wanted.
func (o *Options) readPast(file string, text io.Reader) (*replay.Past, error) {
	p, err := replay.Read(file, text, o.Group)
	var other *replay.GroupError
	if errors.As(err, &other) && other.Wanted == "" && len(other.Groups) > 0 {
		return nil, fault.Usage("%s; choose one with --group", output.Clean(other.Error()))
	}
	if err != nil {
		return nil, err
	}
	if o.Weights == "none" {
		unweigh(p)
	}
	if p.Cut != nil {
		o.say(fmt.Sprintf("%s: %s: left out", o.IO.Name, output.Clean(p.Cut.Error())))
	}
	return p, nil
}

// pastNote says what of the group's past the trace has.
func (o *Options) pastNote(p *replay.Past) string {
	names := make([]string, len(p.Assignors))
	for i, name := range p.Assignors {
		names[i] = output.Clean(name)
	}
	which := fmt.Sprintf("%d generations, %d to %d, from %s to %s", p.Generations, p.First, p.Last, p.From.Format(time.RFC3339), p.To.Format(time.RFC3339))
	if p.Generations == 1 {
		which = fmt.Sprintf("generation %d, at %s", p.Last, p.To.Format(time.RFC3339))
	}
	note := fmt.Sprintf("%s: group %s: %s, assigned by %s", o.IO.Name, output.Clean(p.Group), which, strings.Join(names, ", "))
	if p.Missing > 0 {
		note += fmt.Sprintf("; %d between them are missing, as members led that do not record: what happened in them shows in the next one", p.Missing)
	}
	return note
}

// unweigh takes away what partitions weigh, and their lags.
func unweigh(p *replay.Past) {
	lists := [][]strategy.Topic{p.Now.Topics, p.Scenario.Group.Topics}
	for _, e := range p.Scenario.Events {
		if c, ok := e.(simulation.Change); ok {
			lists = append(lists, c.Topics)
		}
	}
	for _, topics := range lists {
		for i := range topics {
			weighNothing(&topics[i])
		}
	}
}
