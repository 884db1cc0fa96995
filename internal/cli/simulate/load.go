package simulate

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

// A subject is one scenario to run, and what to call it where there are several.
type subject struct {
	name     string
	scenario simulation.Scenario
	recorded *simulation.Result // what really happened in it, nil where that is not known
}

// load returns what the command line wants simulated, with the events of its flags.
func (o *options) load(ctx context.Context) ([]subject, error) {
	subjects, err := o.source(ctx)
	if err != nil {
		return nil, err
	}
	for i := range subjects {
		s := &subjects[i].scenario
		s.Events = append(s.Events[:len(s.Events):len(s.Events)], o.events...)
		s.Assertions = append(s.Assertions[:len(s.Assertions):len(s.Assertions)], o.assertions...)
		if len(s.Group.Topics) == 0 && len(s.Events) == 0 {
			return nil, fmt.Errorf("%sthere are no topics, so there is nothing to assign", prefix(subjects[i].name))
		}
		if len(s.Group.Members) == 0 && len(s.Events) == 0 && !o.whatIf.asked() {
			return nil, fmt.Errorf("%sthere are no members, so there is nobody to assign to", prefix(subjects[i].name))
		}
	}
	return subjects, nil
}

func prefix(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

func (o *options) source(ctx context.Context) ([]subject, error) {
	switch {
	case o.fromCluster():
		return o.liveGroup(ctx)
	case o.imported != "":
		return o.read(o.imported, o.importGroup)
	case o.trace != "":
		return o.read(o.trace, func(file string, in *bufio.Reader) ([]subject, error) { return o.replayTrace(ctx, file, in) })
	case o.file != "":
		return o.read(o.file, o.readFile)
	}
	members := slices.Clone(o.members)
	for i := range members {
		if o.static {
			members[i].InstanceID = members[i].ID
		}
	}
	return []subject{{scenario: simulation.Scenario{Group: strategy.Group{Topics: o.topics, Members: members}}}}, nil
}

// read opens a file and has f read it, by the name that messages give it.
func (o *options) read(name string, f func(file string, in *bufio.Reader) ([]subject, error)) ([]subject, error) {
	src, err := input.Open(name, o.io.In)
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
func (o *options) readFile(file string, in *bufio.Reader) ([]subject, error) {
	if isDescription(in) {
		return nil, fmt.Errorf("%s: looks like the output of kafka-consumer-groups: read it with --import", file)
	}
	if trace.Is(in) {
		return nil, fmt.Errorf("%s: looks like a trace: read it with --trace, or with --import to start from its end", file)
	}
	if isCases(o.file, in) {
		return readCases(file, in)
	}
	s, err := simulation.Read(file, in)
	if err != nil {
		return nil, err
	}
	return []subject{{scenario: *s}}, nil
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

func readCases(file string, r io.Reader) ([]subject, error) {
	lines := input.NewLines(r, maxInput)
	var subjects []subject
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
		subjects = append(subjects, subject{name: caseName(line, where), scenario: simulation.Scenario{Group: *group}})
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
