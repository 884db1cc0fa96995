package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A decoder walks through one line that is known to be JSON. Decoding into Go structs would take fields of any case, and twice, and
// would not say where a value was wrong.
type decoder struct {
	json *json.Decoder
	line []byte
}

func newDecoder(line []byte) *decoder {
	d := &decoder{json: json.NewDecoder(bytes.NewReader(line)), line: line}
	d.json.UseNumber()
	return d
}

// fields are those of an object that have been seen.
type fields map[string]bool

// A fault is what is wrong, and where.
type fault struct {
	at      int // bytes before it
	path    string
	problem string
}

func (f *fault) Error() string {
	if f.path == "" {
		return f.problem
	}
	return f.path + ": " + f.problem
}

// at is where the next value begins.
func (d *decoder) at() int {
	at := int(d.json.InputOffset())
	for at < len(d.line) && bytes.IndexByte([]byte(" \t\r\n,:"), d.line[at]) >= 0 {
		at++
	}
	return at
}

func problem(at int, format string, args ...any) error {
	return &fault{at: at, problem: fmt.Sprintf(format, args...)}
}

// within puts a step in front of the path of err.
func within(step string, err error) error {
	var f *fault
	if errors.As(err, &f) {
		if f.path != "" && f.path[0] != '[' {
			step += "."
		}
		f.path = step + f.path
	}
	return err
}

// located is an error of this decoder as callers see it, but for the file and the line.
func (d *decoder) located(err error) *Error {
	var f *fault
	if errors.As(err, &f) {
		return &Error{Column: f.at + 1, Err: f}
	}
	return &Error{Err: err}
}

// object calls f with each key of an object; f has to read or skip the value. null is an object without keys.
func (d *decoder) object(f func(key string) error) error {
	at, some, err := d.begin('{', "an object")
	if !some {
		return err
	}
	seen := fields{}
	for d.json.More() {
		at := d.at()
		key, err := d.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return within(step(key), problem(at, "stands twice"))
		}
		seen[key] = true
		if err := f(key); err != nil {
			return within(step(key), err)
		}
	}
	return d.end(at)
}

// step is a key as it stands in a path.
func step(key string) string {
	for _, c := range key {
		if (c < 'a' || c > 'z') && c != '_' {
			return "[" + strconv.Quote(key) + "]"
		}
	}
	return key
}

// list reads each entry of a list. null is a list without entries.
func list[T any](d *decoder, to *[]T, read func() (T, error)) error {
	at, some, err := d.begin('[', "a list")
	if !some {
		return err
	}
	for i := 0; d.json.More(); i++ {
		v, err := read()
		if err != nil {
			return within("["+strconv.Itoa(i)+"]", err)
		}
		*to = append(*to, v)
	}
	return d.end(at)
}

// begin passes over the bracket that begins an object or a list; there is none of a null.
func (d *decoder) begin(bracket json.Delim, what string) (at int, some bool, err error) {
	at = d.at()
	switch t, err := d.json.Token(); {
	case err != nil:
		return at, false, problem(at, "%v", err)
	case t == nil:
		return at, false, nil
	case t != bracket:
		return at, false, problem(at, "wants %s, not %s", what, name(t))
	}
	return at, true, nil
}

// end passes over the bracket that ends an object or a list.
func (d *decoder) end(at int) error {
	if _, err := d.json.Token(); err != nil {
		return problem(at, "%v", err)
	}
	return nil
}

// skip passes over a value of any kind.
func (d *decoder) skip() error {
	var value json.RawMessage
	if err := d.json.Decode(&value); err != nil {
		return problem(d.at(), "%v", err)
	}
	return nil
}

// value reads a string, number, bool or null.
func value[T any](d *decoder, wants string) (v T, at int, err error) {
	at = d.at()
	t, err := d.json.Token()
	if err != nil {
		return v, at, problem(at, "%v", err)
	}
	v, ok := t.(T)
	if !ok {
		return v, at, problem(at, "wants %s, not %s", wants, name(t))
	}
	return v, at, nil
}

func (d *decoder) text() (string, error) {
	s, _, err := value[string](d, "a string")
	return s, err
}

func (d *decoder) truth() (bool, error) {
	b, _, err := value[bool](d, "true or false")
	return b, err
}

func (d *decoder) number() (float64, error) {
	n, at, err := value[json.Number](d, "a number")
	if err != nil {
		return 0, err
	}
	f, err := n.Float64()
	if err != nil {
		return 0, problem(at, "%.40s is beyond what a number can be", n)
	}
	return f, nil
}

// whole reads a whole number that fits into 32 bits.
func (d *decoder) whole() (int32, error) {
	n, at, err := value[json.Number](d, "a whole number")
	if err != nil {
		return 0, err
	}
	i, err := strconv.ParseInt(n.String(), 10, 32)
	if err != nil {
		return 0, problem(at, "%.40s is no whole number within %d..%d", n, math.MinInt32, math.MaxInt32)
	}
	return int32(i), nil
}

func (d *decoder) time() (time.Time, error) {
	s, at, err := value[string](d, "a time")
	if err != nil {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, problem(at, "%.40q is no time such as 2026-01-02T15:04:05.6Z", s)
	}
	return t.UTC(), nil
}

// name names the kind of a token.
func name(t json.Token) string {
	switch t.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a bool"
	case json.Delim:
		if t == json.Delim('[') {
			return "a list"
		}
	}
	return "an object"
}
