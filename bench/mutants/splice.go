package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// A splice is a file's text with what is to be put into it. Lines stay what they are.
type splice struct {
	file *token.File
	text []byte
	// By offset: what ends there, innermost first, then what is put in place of what stands there, then what begins there, outermost first.
	ends, begins map[int]string
	instead      map[int]replacement
}

type replacement struct {
	text   string
	length int
}

func newSplice(file *token.File, text []byte) *splice {
	return &splice{file: file, text: text, ends: map[int]string{}, begins: map[int]string{}, instead: map[int]replacement{}}
}

// wrap puts text around a node. Nodes are wrapped before those within them; who wraps one node twice begins with what is to be outside.
func (s *splice) wrap(n ast.Node, before, after string) {
	from, to := s.file.Offset(n.Pos()), s.file.Offset(n.End())
	s.begins[from] += before
	s.ends[to] = after + s.ends[to]
}

// replace puts text in place of a token.
func (s *splice) replace(at token.Pos, length int, text string) {
	s.instead[s.file.Offset(at)] = replacement{text, length}
}

// source is a node as it was written.
func (s *splice) source(n ast.Node) string {
	return string(s.text[s.file.Offset(n.Pos()):s.file.Offset(n.End())])
}

func (s *splice) bytes() []byte {
	var offsets []int
	for offset := range s.ends {
		offsets = append(offsets, offset)
	}
	for offset := range s.begins {
		offsets = append(offsets, offset)
	}
	for offset := range s.instead {
		offsets = append(offsets, offset)
	}
	slices.Sort(offsets)
	var out []byte
	at := 0
	for _, offset := range slices.Compact(offsets) {
		out = append(out, s.text[at:offset]...)
		out = append(append(out, s.ends[offset]...), s.begins[offset]...)
		r := s.instead[offset]
		out = append(out, r.text...)
		at = offset + r.length
	}
	return append(out, s.text[at:]...)
}
