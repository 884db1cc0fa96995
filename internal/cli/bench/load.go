package bench

import (
	"bufio"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/input"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/suggest"
	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/internal/trace/replay"
	"github.com/assignkit/assignkit/simulation"
)

// Names of several workloads.
const (
	all      = "all"
	profiles = "profiles"
)

// load returns the workloads that the command line names, in its order, each once.
func (o *options) load() ([]bench.Workload, error) {
	names := o.workloads
	if len(names) == 0 {
		names = []string{profiles}
		if o.list {
			names = []string{all}
		}
	}
	known := bench.All()
	var list []bench.Workload
	seen := map[string]bool{}
	for _, name := range names {
		found, err := o.find(known, name)
		if err != nil {
			return nil, err
		}
		for _, w := range found {
			if !seen[w.Name] {
				seen[w.Name] = true
				list = append(list, w)
			}
		}
	}
	return list, nil
}

// find returns the workloads that a name, a pattern or a file means.
func (o *options) find(known []bench.Workload, name string) ([]bench.Workload, error) {
	switch name {
	case all:
		return known, nil
	case profiles:
		return bench.Profiles(), nil
	}
	pattern := strings.ContainsAny(name, `*?[\`)
	var found []bench.Workload
	for _, w := range known {
		ok := w.Name == name || strings.HasPrefix(w.Name, strings.TrimSuffix(name, "/")+"/")
		if pattern {
			var err error
			if ok, err = path.Match(slashless(name), slashless(w.Name)); err != nil {
				return nil, fault.Usage("the pattern %q is malformed", name)
			}
		}
		if ok {
			found = append(found, w)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case !isFile(name):
		return nil, unknown(known, name)
	case !pattern:
		w, err := o.open(name)
		return []bench.Workload{w}, err
	}
	files, err := filepath.Glob(name)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no file matches %s", name)
	}
	for _, file := range files {
		w, err := o.open(file)
		if err != nil {
			return nil, err
		}
		found = append(found, w)
	}
	return found, nil
}

// slashless has * stand for slashes as well.
func slashless(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// isFile tells files from names of workloads by how they end.
func isFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json", ".jsonl"}, strings.ToLower(filepath.Ext(name)))
}

func unknown(known []bench.Workload, name string) error {
	var names []string
	groups := map[string]bool{}
	for _, w := range known {
		names = append(names, w.Name)
		if g := group(w.Name); !groups[g] {
			groups[g] = true
			names = append(names, g)
		}
	}
	if near := suggest.Nearest(name, names); near != "" {
		return fault.Usage("no workload %q; did you mean %q? --list has them; a file ends in .yaml or .jsonl", name, near)
	}
	return fault.Usage("no workload %q; --list has them; a file ends in .yaml or .jsonl", name)
}

// group is what workloads that are shown together have in common: what stands before the first slash.
func group(name string) string {
	if isFile(name) {
		return "files"
	}
	before, _, _ := strings.Cut(name, "/")
	return before
}

// open reads a scenario or a trace.
func (o *options) open(file string) (bench.Workload, error) {
	src, err := input.Open(file, o.io.In)
	if err != nil {
		return bench.Workload{}, err
	}
	defer func() { _ = src.Close() }() // it was only read
	limited, err := src.Limit(maxInput)
	if err != nil {
		return bench.Workload{}, err
	}
	in := bufio.NewReader(limited)
	if trace.Is(in) {
		p, err := replay.Read(file, in, "")
		if err != nil {
			return bench.Workload{}, err
		}
		summary := fmt.Sprintf("what a trace has recorded of group %s, generations %d to %d", output.Clean(p.Group), p.First, p.Last)
		return checked(bench.Of(file, summary, &p.Scenario), &p.Scenario)
	}
	if ext := strings.ToLower(filepath.Ext(file)); ext == ".json" || ext == ".jsonl" {
		return bench.Workload{}, fmt.Errorf("%s: is not a trace; cases, to which nothing happens, are for simulate", file)
	}
	s, err := simulation.Read(file, in)
	if err != nil {
		return bench.Workload{}, err
	}
	return checked(bench.Of(file, "a scenario: "+output.Count(len(s.Events), "event"), s), s)
}

// checked refuses a scenario that would take too much memory, before anything runs.
func checked(w bench.Workload, s *simulation.Scenario) (bench.Workload, error) {
	if _, err := s.Size(); err != nil {
		return w, fmt.Errorf("%s: %w", w.Name, err)
	}
	return w, nil
}

// maxInput is how many bytes of a file are read.
const maxInput = 64 << 20
