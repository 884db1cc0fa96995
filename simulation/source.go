package simulation

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A node is a value of a YAML document, with its place in the file.
type node struct {
	kind         kind
	line, column int
	text         string  // of a scalar
	quoted       bool    // a scalar in quotes or in a block, so text whatever it looks like
	items        []*node // of a list
	pairs        []pair  // of a mapping
}

type pair struct{ key, value *node }

type kind uint8

const (
	scalar kind = iota
	null
	list
	mapping
)

func (n *node) String() string {
	switch n.kind {
	case null:
		return "nothing"
	case list:
		return "a list"
	case mapping:
		if len(n.pairs) == 0 {
			return "an empty mapping"
		}
		return "a mapping"
	}
	if n.quoted {
		return fmt.Sprintf("%q", clip(n.text))
	}
	return clip(n.text)
}

// clip shortens what an error quotes.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

// source is a file that is being read.
type source struct {
	file string
	text string
}

// fail is an error at a place in the file.
func (s *source) fail(line, column int, format string, args ...any) error {
	return &SyntaxError{File: s.file, Line: line, Column: column, Problem: oneLine(fmt.Sprintf(format, args...)), Excerpt: s.line(line)}
}

// whole is an error about the file as a whole.
func (s *source) whole(format string, args ...any) error {
	return &SyntaxError{File: s.file, Problem: oneLine(fmt.Sprintf(format, args...))}
}

func (s *source) at(n *node, format string, args ...any) error {
	return s.fail(n.line, n.column, format, args...)
}

// line returns a line of the file.
func (s *source) line(number int) string {
	rest := s.text
	for range number - 1 {
		_, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return ""
		}
		rest = after
	}
	line, _, _ := strings.Cut(rest, "\n")
	if line = strings.TrimRight(line, "\r"); len(line) > 200 {
		return ""
	}
	return line
}

// oneLine makes a text fit to be shown in a line: what it quotes comes from a file that may contain anything.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

// load reads a text and refuses what is none.
func load(file string, r io.Reader) (*source, error) {
	s := &source{file: file}
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxFile:
		return nil, s.whole("is larger than %d MiB", MaxFile>>20)
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, s.whole("is not a text file")
	}
	s.text = strings.ReplaceAll(text, "\r\n", "\n")
	return s, nil
}
