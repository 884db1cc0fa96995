package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/internal/suggest"
)

// MaxFile is how many bytes a file of rules may have.
const MaxFile = 64 << 10

// Load reads and compiles a file of rules.
func Load(path string) (*Assignor, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// read reads a file, and no more of it than [Parse] wants.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// Parse compiles the text of a file of rules. file is how errors name it. Its error lists all that is wrong, each with its line and
// column. What nobody knows is refused, as rules that are understood only in part decide something else than what was meant.
func Parse(file string, text []byte) (*Assignor, error) {
	p := parser{file: file, lines: strings.Split(string(text), "\n"), at: places{}}
	if len(text) > MaxFile {
		return nil, p.fail(1, 1, "the file has more than %d bytes", MaxFile)
	}
	root, err := p.load(text)
	if err != nil {
		return nil, err
	}
	fields := map[string]func(*yaml.Node) error{
		"name":    p.text(&p.config.Name),
		"wire":    p.text(&p.config.Wire),
		"options": func(n *yaml.Node) error { return p.mapping(n, "options", p.optionFields()) },
	}
	for name, to := range map[string]*string{
		"eligible": &p.config.Eligible, "weight": &p.config.Weight, "capacity": &p.config.Capacity, "prefer": &p.config.Prefer, "together": &p.config.Together,
		"limit": &p.config.Limit,
	} {
		fields[name] = p.expression(name, to)
	}
	if err := p.mapping(root, "the rules", fields); err != nil {
		return nil, err
	}
	if _, ok := p.at["name"]; !ok {
		return nil, p.fail(root.Line, root.Column, "the rules have no name; add name: my-rules")
	}
	return compile(p.config, p.at)
}

// A parser turns the nodes of one file into a config.
type parser struct {
	file   string
	lines  []string
	config Config
	at     places
}

func (p *parser) fail(line, column int, format string, args ...any) error {
	return &expression.Error{Position: expression.Position{File: p.file, Line: max(line, 1), Column: max(column, 1)}, Problem: fmt.Sprintf(format, args...)}
}

// load reads the only document there may be.
func (p *parser) load(text []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(8))))
	if err != nil {
		return nil, p.fail(1, 1, "cannot be read: %v", err)
	}
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, p.fail(1, 1, "is empty; rules have a name at least")
	case err != nil:
		return nil, p.notYAML(err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, p.fail(second.Line, second.Column, "a second document; rules are one")
	case !errors.Is(err, io.EOF):
		return nil, p.notYAML(err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, p.fail(1, 1, "is not YAML")
	}
	return document.Content[0], nil
}

// quotes is the hint for what most often goes wrong with expressions in YAML.
const quotes = "an expression that has \": \" or \" #\" in it, or begins with one of \" ' [ { ! & * > | % @ `, has to be quoted or to stand in a block behind |"

func (p *parser) notYAML(err error) error {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return p.fail(1, 1, "is not YAML: %v", err)
	}
	at := e.Mark
	if at.Line == 0 {
		at = e.ContextMark
	}
	for _, of := range []string{"mapping values are not allowed", "did not find expected", "unknown anchor", "cannot start any token"} {
		if strings.Contains(e.Message, of) {
			return p.fail(at.Line, at.Column, "is not YAML: %s; %s", e.Message, quotes)
		}
	}
	return p.fail(at.Line, at.Column, "is not YAML: %s", e.Message)
}

// mapping hands each value of a mapping to the function of its key.
func (p *parser) mapping(n *yaml.Node, what string, fields map[string]func(*yaml.Node) error) error {
	if n.Kind != yaml.MappingNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return p.fail(n.Line, n.Column, "%s have to be fields with values, such as name: my-rules", what)
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		set := fields[key.Value]
		if key.Kind != yaml.ScalarNode || set == nil {
			hint := "there are " + strings.Join(names, ", ")
			if best := suggest.Nearest(key.Value, names); best != "" {
				hint = fmt.Sprintf("did you mean %q?", best)
			}
			return p.fail(key.Line, key.Column, "%s have no field %.40q; %s", what, key.Value, hint)
		}
		if line, twice := seen[key.Value]; twice {
			return p.fail(key.Line, key.Column, "%s is there twice, first in line %d", key.Value, line)
		}
		seen[key.Value] = key.Line
		if value.Kind == yaml.AliasNode || value.Anchor != "" || value.Style&yaml.TaggedStyle != 0 {
			return p.fail(value.Line, value.Column, "%s: anchors, aliases and tags are not supported; %s", key.Value, quotes)
		}
		p.at[key.Value] = expression.Position{File: p.file, Line: value.Line, Column: value.Column}
		if err := set(value); err != nil {
			return err
		}
	}
	return nil
}

// text reads a scalar as it is written.
func (p *parser) text(to *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode {
			return p.fail(n.Line, n.Column, "a word is wanted")
		}
		*to = n.Value
		return nil
	}
}

// expression reads a source and notes where its first character stands.
func (p *parser) expression(field string, to *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode {
			return p.fail(n.Line, n.Column, "%s: an expression is wanted, this is a list or a mapping; %s", field, quotes)
		}
		if strings.TrimSpace(n.Value) == "" || n.ShortTag() == "!!null" {
			return p.fail(n.Line, n.Column, "%s: the expression is empty; leave the field out if there is no rule", field)
		}
		at := p.at[field]
		switch {
		case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
			at.Line++ // the line behind the bar
			if at.Line <= len(p.lines) {
				line := p.lines[at.Line-1]
				at.Indent = len(line) - len(strings.TrimLeft(line, " "))
			}
			at.Column = at.Indent + 1
		case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
			at.Column++
		}
		p.at[field] = at
		*to = n.Value
		return nil
	}
}

// whole reads a whole number from 0.
func (p *parser) whole(field string, to *int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		x, err := strconv.ParseInt(n.Value, 10, 32)
		if n.Kind != yaml.ScalarNode || err != nil || x < 0 {
			return p.fail(n.Line, n.Column, "%s: %.40q is no whole number from 0 to 2147483647", field, n.Value)
		}
		if *to = int(x); x == 0 {
			*to = -1 // none, where 0 in a Config stands for the default
		}
		return nil
	}
}

func (p *parser) optionFields() map[string]func(*yaml.Node) error {
	share := func(field string, to *float64) func(*yaml.Node) error {
		return func(n *yaml.Node) error {
			x, err := strconv.ParseFloat(n.Value, 64)
			if n.Kind != yaml.ScalarNode || err != nil || !(x >= 0 && x <= maxOption) {
				return p.fail(n.Line, n.Column, "%s: %.40q is no number from 0 to %d; 0.05 is five percent", field, n.Value, maxOption)
			}
			if *to = x; x == 0 {
				*to = -1
			}
			return nil
		}
	}
	return map[string]func(*yaml.Node) error{
		"tolerance":  share("tolerance", &p.config.Tolerance),
		"hysteresis": share("hysteresis", &p.config.Hysteresis),
		"max_moves":  p.whole("max_moves", &p.config.MaxMoves),
	}
}
