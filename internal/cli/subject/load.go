package subject

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/input"
	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// maxInput is how many bytes of cases or of another program's text are read: what comes of all of it is kept until the end.
const maxInput = 64 << 20

// A Subject is one scenario to look at, and what to call it where there are several.
type Subject struct {
	Name     string
	Scenario simulation.Scenario
	Recorded *simulation.Result // what really happened in it, nil where that is not known
}

// Load returns what the command line names, at least one, with the events of its flags. What people have to know about it, such as what
// was assumed, goes to standard error.
func (o *Options) Load(ctx context.Context) ([]Subject, error) {
	subjects, err := o.source(ctx)
	if err != nil {
		return nil, err
	}
	for i := range subjects {
		s := &subjects[i].Scenario
		s.Events = append(s.Events[:len(s.Events):len(s.Events)], o.Events...)
		if len(s.Group.Topics) == 0 && len(s.Events) == 0 {
			return nil, fmt.Errorf("%sthere are no topics, so there is nothing to assign", Prefix(subjects[i].Name))
		}
		if len(s.Group.Members) == 0 && len(s.Events) == 0 && !o.AnyMembers {
			return nil, fmt.Errorf("%sthere are no members, so there is nobody to assign to", Prefix(subjects[i].Name))
		}
	}
	return subjects, nil
}

// Prefix is what an error about a case begins with: its name, if it has one.
func Prefix(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

func (o *Options) source(ctx context.Context) ([]Subject, error) {
	switch {
	case o.FromCluster():
		return o.liveGroup(ctx)
	case o.Import != "":
		return o.read(o.Import, o.importGroup)
	case o.Trace != "":
		return o.read(o.Trace, func(file string, in *bufio.Reader) ([]Subject, error) { return o.replayTrace(ctx, file, in) })
	case o.File != "":
		return o.read(o.File, o.readFile)
	}
	members := slices.Clone(o.Members)
	for i := range members {
		if o.Static {
			members[i].InstanceID = members[i].ID
		}
	}
	return []Subject{{Scenario: simulation.Scenario{Group: strategy.Group{Topics: o.Topics, Members: members}}}}, nil
}

// read opens a file and has f read it, by the name that messages give it.
func (o *Options) read(name string, f func(file string, in *bufio.Reader) ([]Subject, error)) ([]Subject, error) {
	src, err := input.Open(name, o.IO.In)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }() // it was only read
	limited, err := src.Limit(maxInput)
	if err != nil {
		return nil, err
	}
	return f(src.Name, bufio.NewReader(limited))
}

// readFile reads a scenario, or cases.
func (o *Options) readFile(file string, in *bufio.Reader) ([]Subject, error) {
	if isDescription(in) {
		return nil, fmt.Errorf("%s: looks like the output of kafka-consumer-groups: read it with --import", file)
	}
	if trace.Is(in) {
		return nil, fmt.Errorf("%s: looks like a trace: read it with --trace, or with --import to start from its end", file)
	}
	if isCases(o.File, in) {
		return readCases(file, in)
	}
	s, err := simulation.Read(file, in)
	if err != nil {
		return nil, err
	}
	return []Subject{{Scenario: *s}}, nil
}

// isCases tells JSON lines from YAML by the end of the name, else by the first byte that is not blank.
func isCases(name string, in *bufio.Reader) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jsonl", ".json":
		return true
	case ".yaml", ".yml":
		return false
	}
	start, _ := in.Peek(512)
	return bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("{"))
}

// isDescription says whether the first line that is not blank is the header of a table of kafka-consumer-groups.
func isDescription(in *bufio.Reader) bool {
	start, _ := in.Peek(4096)
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, " \t\r\n"), []byte("\n"))
	return bytes.HasPrefix(line, []byte("GROUP ")) && (bytes.Contains(line, []byte("CONSUMER-ID")) || bytes.Contains(line, []byte("PARTITION")))
}

func readCases(file string, r io.Reader) ([]Subject, error) {
	lines := input.NewLines(r, maxInput)
	var subjects []Subject
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		where := fmt.Sprintf("%s:%d", file, lines.Number)
		group, err := groupjson.Decode(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		for i := range group.Members { // to a scenario nil would mean all topics
			if m := &group.Members[i]; m.Topics == nil {
				m.Topics = []string{}
			}
		}
		subjects = append(subjects, Subject{Name: caseName(line, where), Scenario: simulation.Scenario{Group: *group}})
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("%s: there are no cases in it", file)
	}
	return subjects, nil
}

// caseName is what a case calls itself, else where it stands.
func caseName(line []byte, where string) string {
	var c struct{ Name string }
	if err := json.Unmarshal(line, &c); err != nil || c.Name == "" {
		return where
	}
	return c.Name
}
