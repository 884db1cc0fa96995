package simulation

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// A parser makes nodes of the tokens that the YAML library's scanner finds. The library's own parser is not used: it descends once for
// each pair of a mapping, with time that grows with the square of their number, and runs out of stack where a file has enough of them.
// Here depth is bounded by maxNesting and time by the number of tokens. What scenarios do not need is refused: anchors, aliases, merge
// keys, tags, directives, keys that are more than a word.
type parser struct {
	*source
	tokens []*token.Token // without comments and document markers
	pos    int
	depth  int
	line   int // of the token taken last
}

// parse turns the text into nodes; nil is an empty document.
func (s *source) parse() (root *node, err error) {
	defer func() { // the scanner is fuzzed, and still not ours
		if v := recover(); v != nil {
			root, err = nil, s.whole("is not YAML: %v", v)
		}
	}()
	// Before the scanner takes a hundred bytes and more for each.
	if strings.Count(s.text, "\n")+strings.Count(s.text, ",")+strings.Count(s.text, ":") > maxTokens/2 {
		return nil, s.whole("has more than %d words and signs", maxTokens)
	}
	tokens, err := s.usable(lexer.Tokenize(s.text))
	if err != nil || len(tokens) == 0 {
		return nil, err
	}
	p := parser{source: s, tokens: tokens}
	if root, err = p.block(); err != nil {
		return nil, err
	}
	if t := p.peek(); t != nil {
		return nil, p.unexpected(t)
	}
	return root, nil
}

// usable returns the tokens of the one document that there may be, and refuses what scenarios do not have.
func (s *source) usable(all token.Tokens) ([]*token.Token, error) {
	if len(all) > maxTokens {
		return nil, s.whole("has more than %d words and signs", maxTokens)
	}
	out := make([]*token.Token, 0, len(all))
	ended := false
	for _, t := range all {
		refuse := func(what string) error {
			return s.fail(t.Position.Line, t.Position.Column, "%s are not supported in scenarios", what)
		}
		switch t.Type {
		case token.CommentType:
			continue
		case token.DocumentHeaderType, token.DocumentEndType:
			ended = ended || len(out) > 0
			continue
		case token.AliasType:
			return nil, refuse("aliases (a pattern that begins with * has to be quoted)")
		case token.AnchorType:
			return nil, refuse("anchors")
		case token.MergeKeyType:
			return nil, refuse("merge keys")
		case token.TagType:
			return nil, refuse("tags")
		case token.DirectiveType:
			return nil, refuse("directives")
		case token.MappingKeyType:
			return nil, refuse("keys that are marked with ?")
		case token.InvalidType, token.UnknownType:
			problem := t.Error
			if strings.Contains(problem, "'\t'") {
				problem = "a tab cannot indent; spaces can"
			}
			return nil, s.fail(t.Position.Line, max(1, t.Position.Column), "%s", problem)
		}
		if ended {
			return nil, s.fail(t.Position.Line, max(1, t.Position.Column), "a second document; a scenario is one")
		}
		out = append(out, t)
	}
	return out, nil
}

// peek returns the next token, nil at the end.
func (p *parser) peek() *token.Token {
	if p.pos == len(p.tokens) {
		return nil
	}
	return p.tokens[p.pos]
}

func (p *parser) take() *token.Token {
	t := p.tokens[p.pos]
	p.pos++
	p.line = t.Position.Line
	return t
}

func (p *parser) failAt(t *token.Token, format string, args ...any) error {
	return p.fail(t.Position.Line, max(1, t.Position.Column), format, args...)
}

func (p *parser) unexpected(t *token.Token) error {
	what := t.Value
	if t.Type == token.StringType || what == "" {
		what = fmt.Sprintf("%q", clip(what))
	}
	return p.failAt(t, "%s does not belong here; is it indented right?", what)
}

// descend counts how deep the value is that is about to be parsed at t.
func (p *parser) descend(t *token.Token) error {
	if p.depth++; p.depth > maxNesting {
		return p.failAt(t, "is nested more than %d deep", maxNesting)
	}
	return nil
}

// isKey says whether the next token is the key of a pair.
func (p *parser) isKey() bool {
	if p.pos+1 >= len(p.tokens) {
		return false
	}
	key, sign := p.tokens[p.pos], p.tokens[p.pos+1]
	return isScalar(key) && sign.Type == token.MappingValueType && sign.Position.Line == key.Position.Line
}

func isScalar(t *token.Token) bool {
	switch t.Type {
	case token.StringType, token.SingleQuoteType, token.DoubleQuoteType, token.NullType, token.InfinityType, token.NanType,
		token.IntegerType, token.BinaryIntegerType, token.OctetIntegerType, token.HexIntegerType, token.FloatType, token.BoolType:
		return true
	}
	return false
}

// block parses a value that begins with the next token.
func (p *parser) block() (*node, error) {
	t := p.peek()
	if err := p.descend(t); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	switch {
	case t.Type == token.SequenceEntryType:
		return p.sequence(t.Position.Column)
	case p.isKey():
		return p.pairs(t.Position.Column)
	}
	return p.simple()
}

// sequence parses a list of lines that begin with "-" in one column.
func (p *parser) sequence(column int) (*node, error) {
	first := p.peek()
	n := &node{kind: list, line: first.Position.Line, column: column}
	for {
		t := p.peek()
		if t == nil || t.Position.Column < column || t.Position.Column == column && t.Type != token.SequenceEntryType {
			return n, nil
		}
		if t.Position.Column > column || t != first && t.Position.Line == p.line {
			return nil, p.unexpected(t)
		}
		p.take()
		item := &node{kind: null, line: t.Position.Line, column: t.Position.Column}
		if v := p.peek(); v != nil && v.Position.Column > column {
			var err error
			if item, err = p.block(); err != nil {
				return nil, err
			}
		}
		n.items = append(n.items, item)
	}
}

// pairs parses a mapping whose keys stand in one column.
func (p *parser) pairs(column int) (*node, error) {
	first := p.peek()
	n := &node{kind: mapping, line: first.Position.Line, column: column}
	seen := keys{}
	for {
		t := p.peek()
		if t == nil || t.Position.Column < column {
			return n, nil
		}
		if t.Position.Column > column || !p.isKey() || t != first && t.Position.Line == p.line {
			return nil, p.unexpected(t)
		}
		key, err := p.key(seen)
		if err != nil {
			return nil, err
		}
		value, err := p.value(p.take(), column)
		if err != nil {
			return nil, err
		}
		n.pairs = append(n.pairs, pair{key, value})
	}
}

// value parses what stands behind the ":" of a pair whose key stands in column.
func (p *parser) value(sign *token.Token, column int) (*node, error) {
	v := p.peek()
	switch {
	case v == nil:
	case v.Position.Line == sign.Position.Line:
		if p.isKey() || v.Type == token.SequenceEntryType {
			return nil, p.failAt(v, "a mapping or list does not begin on the line of its key")
		}
		return p.block()
	case v.Position.Column > column, v.Position.Column == column && v.Type == token.SequenceEntryType:
		return p.block()
	}
	return &node{kind: null, line: sign.Position.Line, column: sign.Position.Column}, nil
}

// keys are those of one mapping, with their lines.
type keys map[string]int

func (p *parser) key(seen keys) (*node, error) {
	key, err := p.simple()
	if err != nil {
		return nil, err
	}
	if key.kind != scalar {
		return nil, p.at(key, "a key is a word, not %s", key)
	}
	if line, ok := seen[key.text]; ok {
		return nil, p.at(key, "%s is there twice, first in line %d", clip(key.text), line)
	}
	seen[key.text] = key.line
	return key, nil
}

// simple parses a scalar or what stands in brackets or braces.
func (p *parser) simple() (*node, error) {
	t := p.take()
	n := &node{line: t.Position.Line, column: t.Position.Column, text: t.Value}
	switch t.Type {
	case token.SequenceStartType:
		return p.bracket(t)
	case token.MappingStartType:
		return p.brace(t)
	case token.LiteralType, token.FoldedType:
		n.text, n.quoted = "", true
		if v := p.peek(); v != nil && v.Type == token.StringType {
			n.text = p.take().Value
		}
		return n, nil
	case token.NullType:
		n.kind, n.text = null, ""
		return n, nil
	}
	if !isScalar(t) {
		return nil, p.unexpected(t)
	}
	switch t.Type {
	case token.StringType, token.SingleQuoteType, token.DoubleQuoteType:
		n.quoted = t.Type != token.StringType
	}
	return n, nil
}

// flow parses a value within brackets or braces.
func (p *parser) flow(start *token.Token) (*node, error) {
	t := p.peek()
	if t == nil {
		return nil, p.failAt(start, "%s is never closed", start.Value)
	}
	if err := p.descend(t); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	return p.simple()
}

// next takes the comma or the end behind an item, and says whether it was the end.
func (p *parser) next(start *token.Token, end token.Type) (done bool, err error) {
	t := p.peek()
	switch {
	case t == nil:
		return true, p.failAt(start, "%s is never closed", start.Value)
	case t.Type == end:
		p.take()
		return true, nil
	case t.Type != token.CollectEntryType:
		return true, p.failAt(t, "a comma or the end of %s is due before %s", start.Value, clip(t.Value))
	}
	p.take()
	if t = p.peek(); t != nil && t.Type == end { // behind a last comma
		p.take()
		return true, nil
	}
	return false, nil
}

func (p *parser) bracket(start *token.Token) (*node, error) {
	n := &node{kind: list, line: start.Position.Line, column: start.Position.Column}
	if t := p.peek(); t != nil && t.Type == token.SequenceEndType {
		p.take()
		return n, nil
	}
	for {
		item, err := p.flow(start)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
		if done, err := p.next(start, token.SequenceEndType); done || err != nil {
			return n, err
		}
	}
}

func (p *parser) brace(start *token.Token) (*node, error) {
	n := &node{kind: mapping, line: start.Position.Line, column: start.Position.Column}
	if t := p.peek(); t != nil && t.Type == token.MappingEndType {
		p.take()
		return n, nil
	}
	seen := keys{}
	for {
		if t := p.peek(); t == nil {
			return nil, p.failAt(start, "%s is never closed", start.Value)
		} else if !isScalar(t) {
			return nil, p.failAt(t, "a key is a word, not %s", clip(t.Value))
		}
		key, err := p.key(seen)
		if err != nil {
			return nil, err
		}
		value := &node{kind: null, line: key.line, column: key.column}
		if t := p.peek(); t != nil && t.Type == token.MappingValueType {
			p.take()
			if v := p.peek(); v == nil || v.Type != token.CollectEntryType && v.Type != token.MappingEndType {
				if value, err = p.flow(start); err != nil {
					return nil, err
				}
			}
		}
		n.pairs = append(n.pairs, pair{key, value})
		if done, err := p.next(start, token.MappingEndType); done || err != nil {
			return n, err
		}
	}
}
