package output

import (
	"bytes"
	"errors"
	"strings"
)

// errJSON is returned for text that no command of this program writes.
var errJSON = errors.New("not JSON")

// AppendYAML writes a JSON value as YAML: the same fields in the same order, lists of plain values on one line. Commands write
// JSON only, so that the two cannot differ.
func AppendYAML(dst, json []byte) ([]byte, error) {
	y := yamlWriter{in: json, out: dst}
	if err := y.value(0, true); err != nil {
		return nil, err
	}
	if y.space(); len(y.in) > 0 {
		return nil, errJSON
	}
	return y.out, nil
}

type yamlWriter struct{ in, out []byte }

func (y *yamlWriter) space() { y.in = bytes.TrimLeft(y.in, " \t\r\n") }

// peek returns the next byte that is not a space, 0 at the end.
func (y *yamlWriter) peek() byte {
	y.space()
	if len(y.in) == 0 {
		return 0
	}
	return y.in[0]
}

func (y *yamlWriter) indent(n int) {
	for range n {
		y.out = append(y.out, ' ', ' ')
	}
}

// value writes a value and the end of its line. first says that the output stands where the value may begin: at the start of a line
// or behind "- "; otherwise behind "key:".
func (y *yamlWriter) value(depth int, first bool) error {
	switch y.peek() {
	case '{':
		return y.object(depth, first)
	case '[':
		return y.array(depth, first)
	}
	if !first {
		y.out = append(y.out, ' ')
	}
	if err := y.scalar(); err != nil {
		return err
	}
	y.out = append(y.out, '\n')
	return nil
}

func (y *yamlWriter) object(depth int, first bool) error {
	y.in = y.in[1:]
	if y.peek() == '}' {
		y.in = y.in[1:]
		y.empty("{}", first)
		return nil
	}
	if !first {
		y.out = append(y.out, '\n')
	}
	for i := 0; ; i++ {
		if i > 0 || !first {
			y.indent(depth)
		}
		if y.peek() != '"' {
			return errJSON
		}
		if err := y.scalar(); err != nil {
			return err
		}
		if y.peek() != ':' {
			return errJSON
		}
		y.in = y.in[1:]
		y.out = append(y.out, ':')
		if err := y.value(depth+1, false); err != nil {
			return err
		}
		if more, err := y.more('}'); !more {
			return err
		}
	}
}

func (y *yamlWriter) array(depth int, first bool) error {
	if line := y.flow(); line != nil {
		if !first {
			y.out = append(y.out, ' ')
		}
		y.out = append(append(y.out, line...), '\n')
		return nil
	}
	y.in = y.in[1:]
	if !first {
		y.out = append(y.out, '\n')
	}
	if !first && depth > 0 {
		depth-- // a list may stand as far left as its key
	}
	for i := 0; ; i++ {
		if i > 0 || !first {
			y.indent(depth)
		}
		y.out = append(y.out, '-', ' ')
		if err := y.value(depth+1, true); err != nil {
			return err
		}
		if more, err := y.more(']'); !more {
			return err
		}
	}
}

// flow takes a list of plain values, which looks the same in both languages but for spaces; nil if it is none.
func (y *yamlWriter) flow() []byte {
	i := bytes.IndexAny(y.in[1:], `]{["`)
	if i < 0 {
		return nil
	}
	if i++; y.in[i] == ']' {
		line := append([]byte{'['}, bytes.ReplaceAll(bytes.ReplaceAll(y.in[1:i], []byte(" "), nil), []byte(","), []byte(", "))...)
		y.in = y.in[i+1:]
		return append(line, ']')
	}
	return nil
}

func (y *yamlWriter) empty(text string, first bool) {
	if !first {
		y.out = append(y.out, ' ')
	}
	y.out = append(append(y.out, text...), '\n')
}

// more takes the comma before another element, or the end.
func (y *yamlWriter) more(end byte) (bool, error) {
	switch y.peek() {
	case ',':
		y.in = y.in[1:]
		return true, nil
	case end:
		y.in = y.in[1:]
		return false, nil
	}
	return false, errJSON
}

// scalar copies a number, a word, or a string. JSON's strings are YAML's double-quoted ones; plain words need no quotes.
func (y *yamlWriter) scalar() error {
	if y.peek() != '"' {
		n := bytes.IndexAny(y.in, ",]} \t\r\n")
		if n < 0 {
			n = len(y.in)
		}
		if n == 0 {
			return errJSON
		}
		y.out, y.in = append(y.out, y.in[:n]...), y.in[n:]
		return nil
	}
	for n := 1; n < len(y.in); n++ {
		switch y.in[n] {
		case '\\':
			n++
		case '"':
			text := y.in[:n+1]
			y.in = y.in[n+1:]
			if plain(text[1:n]) {
				text = text[1:n]
			}
			y.out = append(y.out, text...)
			return nil
		}
	}
	return errJSON
}

// plain says whether every reader of YAML takes a bare word for the string that it is.
func plain(word []byte) bool {
	for i, c := range word {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789-./", rune(c))) {
			return false
		}
	}
	switch strings.ToLower(string(word)) {
	case "", "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return false
	}
	return true
}
