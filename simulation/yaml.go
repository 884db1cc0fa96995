package simulation

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// parse turns the text into nodes; nil is an empty document. What scenarios do not need is refused: anchors, aliases, merge keys, tags,
// keys that are more than a word, a second document.
func (s *source) parse() (*node, error) {
	// Before the library takes a few hundred bytes for each.
	signs := 0
	for i := range len(s.text) {
		if strings.IndexByte("\n,:\"'[]{}", s.text[i]) >= 0 {
			signs++
		}
	}
	if signs > maxSigns {
		return nil, s.whole("has more than %d lines, commas, colons, quotes and brackets", maxSigns)
	}
	loader, err := yaml.NewLoader(strings.NewReader(s.text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxNesting))))
	if err != nil {
		return nil, s.whole("cannot be read: %v", err)
	}
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, s.notYAML(err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, s.fail(second.Line, second.Column, "a second document; a scenario is one")
	case !errors.Is(err, io.EOF):
		return nil, s.notYAML(err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, s.whole("is not YAML")
	}
	return s.node(document.Content[0])
}

// notYAML says what the library could not read, and where.
func (s *source) notYAML(err error) error {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return s.whole("is not YAML: %v", err)
	}
	at, message := e.Mark, e.Message
	if at.Line == 0 {
		at = e.ContextMark
	}
	switch {
	case strings.Contains(message, "unknown anchor"):
		return s.fail(at.Line, at.Column, "%s", noAliases)
	case strings.Contains(message, "exceeded max depth"):
		return s.fail(at.Line, at.Column, "is nested more than %d deep", maxNesting)
	case strings.Contains(message, "cannot start any token") && strings.HasPrefix(strings.TrimLeft(s.line(at.Line), " "), "\t"):
		message = "a tab cannot indent; spaces can"
	case e.ContextMsg != "" && e.ContextMark.Line > 0:
		message = fmt.Sprintf("%s that begins in line %d, column %d: %s", e.ContextMsg, e.ContextMark.Line, e.ContextMark.Column, message)
	}
	if at.Line == 0 {
		return s.whole("is not YAML: %s", message)
	}
	return s.fail(at.Line, max(1, at.Column), "%s", message)
}

const noAliases = "aliases are not supported in scenarios (a pattern that begins with * has to be quoted)"

// node turns a value of the library into one of ours. Its depth is bounded by the loader.
func (s *source) node(y *yaml.Node) (*node, error) {
	n := &node{line: y.Line, column: y.Column}
	switch {
	case y.Kind == yaml.AliasNode:
		return nil, s.at(n, "%s", noAliases)
	case y.Anchor != "":
		return nil, s.at(n, "anchors are not supported in scenarios")
	case y.Style&yaml.TaggedStyle != 0:
		return nil, s.at(n, "tags are not supported in scenarios")
	}
	switch y.Kind {
	case yaml.MappingNode:
		return n, s.pairs(n, y.Content)
	case yaml.SequenceNode:
		n.kind = list
		for _, c := range y.Content {
			item, err := s.node(c)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case yaml.ScalarNode:
		n.text = y.Value
		n.quoted = y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
		if y.ShortTag() == "!!null" {
			n.kind, n.text = null, ""
		}
	default:
		return nil, s.at(n, "is not YAML that scenarios are made of")
	}
	return n, nil
}

// pairs fills a mapping from its keys and values in turn.
func (s *source) pairs(n *node, content []*yaml.Node) error {
	n.kind = mapping
	lines := make(map[string]int, len(content)/2)
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].ShortTag() == "!!merge" {
			return s.fail(content[i].Line, content[i].Column, "merge keys are not supported in scenarios")
		}
		key, err := s.node(content[i])
		if err != nil {
			return err
		}
		if key.kind != scalar {
			return s.at(key, "a key is a word, not %s", key)
		}
		if line, twice := lines[key.text]; twice {
			return s.at(key, "%s is there twice, first in line %d", clip(key.text), line)
		}
		lines[key.text] = key.line
		value, err := s.node(content[i+1])
		if err != nil {
			return err
		}
		n.pairs = append(n.pairs, pair{key, value})
	}
	return nil
}
