package groupjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// An Error says where in a line something is not as it should be.
type Error struct {
	Path    string // such as members[2].owned["orders"][0]; "" is the whole line
	Problem string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

func problem(format string, args ...any) error {
	return &Error{Problem: fmt.Sprintf(format, args...)}
}

// within puts a step in front of the path of err.
func within(step string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	path := step
	if e.Path != "" && e.Path[0] != '[' {
		path += "."
	}
	return &Error{Path: path + e.Path, Problem: e.Problem}
}

// quoted is the step to a key that is a name, not a field.
func quoted(key string) string { return "[" + strconv.Quote(key) + "]" }

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// A reader walks through text that is known to be valid JSON, so it checks kinds and values but no syntax. Decoding into Go
// structs would neither notice a key that stands twice nor say where a value was wrong, and takes several times as long.
type reader struct {
	text  []byte
	at    int
	names map[string]string // strings read so far: a group has few different ones, many times over
}

// newReader checks the syntax, and with it how deep values nest.
func newReader(text []byte) (*reader, error) {
	if !json.Valid(text) {
		var raw json.RawMessage
		err := json.Unmarshal(text, &raw)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, problem("not JSON: %s (byte %d)", syntax.Error(), syntax.Offset)
		}
		return nil, problem("not JSON")
	}
	return &reader{text: text, names: map[string]string{}}, nil
}

// next returns the first byte of the next value or mark, and goes there.
func (r *reader) next() byte {
	for {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return c
		}
	}
}

// kind names the kind of the next value.
func (r *reader) kind() string {
	switch r.next() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a bool"
	case 'n':
		return "null"
	}
	return "a number"
}

// null passes over the next value if it is null.
func (r *reader) null() bool {
	if r.next() != 'n' {
		return false
	}
	r.at += len("null")
	return true
}

// token passes over a string, number or word and returns its text.
func (r *reader) token() []byte {
	quote := r.next() == '"'
	from := r.at
	if quote {
		for r.at++; r.text[r.at] != '"'; r.at++ {
			if r.text[r.at] == '\\' {
				r.at++
			}
		}
		r.at++
		return r.text[from:r.at]
	}
	for r.at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:]}"), r.text[r.at]) < 0 {
		r.at++
	}
	return r.text[from:r.at]
}

// skip passes over a value of any kind.
func (r *reader) skip() {
	depth := 0
	for {
		switch r.next() {
		case '{', '[':
			depth++
			r.at++
		case '}', ']':
			depth--
			r.at++
		default:
			r.token()
		}
		if depth == 0 {
			return
		}
	}
}

// object calls f with each key of an object; f has to read or skip the value. null is an object without keys.
func (r *reader) object(f func(key string) error) error {
	if r.null() {
		return nil
	}
	if r.next() != '{' {
		return problem("wants an object, not %s", r.kind())
	}
	r.at++
	for r.next() != '}' {
		key, err := r.string()
		if err != nil {
			return err
		}
		if err := f(key); err != nil {
			return err
		}
	}
	r.at++
	return nil
}

// list calls f with the index of each entry of a list; f has to read or skip the entry. null is a list without entries.
func (r *reader) list(f func(i int) error) error {
	if r.null() {
		return nil
	}
	if r.next() != '[' {
		return problem("wants a list, not %s", r.kind())
	}
	r.at++
	for i := 0; r.next() != ']'; i++ {
		if err := f(i); err != nil {
			return within(index(i), err)
		}
	}
	r.at++
	return nil
}

// string reads a string.
func (r *reader) string() (string, error) {
	if r.next() != '"' {
		return "", problem("wants a string, not %s", r.kind())
	}
	token := r.token()
	raw := token[1 : len(token)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		if s, ok := r.names[string(raw)]; ok {
			return s, nil
		}
		if !utf8.Valid(raw) {
			return "", problem("%q is not UTF-8", raw)
		}
		s := string(raw)
		r.names[s] = s
		return s, nil
	}
	if !utf8.Valid(raw) {
		return "", problem("%q is not UTF-8", raw)
	}
	var s string
	if err := json.Unmarshal(token, &s); err != nil {
		return "", problem("%s is no string: %s", token, err)
	}
	return s, nil
}

// optional is string with null for "".
func (r *reader) optional() (string, error) {
	if r.null() {
		return "", nil
	}
	return r.string()
}

// int reads a whole number that fits into 32 bits.
func (r *reader) int() (int32, error) {
	if r.kind() != "a number" {
		return 0, problem("wants a whole number, not %s", r.kind())
	}
	token := r.token()
	if bytes.ContainsAny(token, ".eE") {
		return 0, problem("wants a whole number without fraction or exponent, not %s", clipped(token))
	}
	n, err := strconv.ParseInt(string(token), 10, 32)
	if err != nil {
		return 0, problem("%s is beyond %d..%d", clipped(token), math.MinInt32, math.MaxInt32)
	}
	return int32(n), nil
}

// float reads a number.
func (r *reader) float() (float64, error) {
	if r.kind() != "a number" {
		return 0, problem("wants a number, not %s", r.kind())
	}
	token := r.token()
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		return 0, problem("%s is beyond what a number can be", clipped(token))
	}
	return f, nil
}

// clipped keeps errors short whatever the line has.
func clipped(token []byte) string {
	if len(token) > 40 {
		return string(token[:40]) + "..."
	}
	return string(token)
}
