package wire

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// names numbers strings in the order in which they come.
type names struct {
	index map[string]int32
	list  []string
	last  int32 // number of the one that was asked for last
	step  int32 // from the one before to it
}

func newNames(room int) *names {
	return &names{index: make(map[string]int32, room), list: make([]string, 0, room), last: -1, step: 1}
}

// number returns the number of a name, a new one if it has none.
func (n *names) number(name string) int32 {
	i := n.find(name)
	if i < 0 {
		i = int32(len(n.list))
		n.index[name] = i
		n.list = append(n.list, name)
		n.note(i)
	}
	return i
}

// find returns the number of a name, -1 if it has none. Lists of topics are sorted and much alike, so that the name is most often as far behind
// the last one as that was behind the one before; that costs no look at the map.
func (n *names) find(name string) int32 {
	for _, guess := range [2]int32{n.last + n.step, n.last + 1} {
		if guess >= 0 && int(guess) < len(n.list) && n.list[guess] == name {
			n.note(guess)
			return guess
		}
	}
	i, ok := n.index[name]
	if !ok {
		return -1
	}
	n.note(i)
	return i
}

func (n *names) note(i int32) { n.last, n.step = i, i-n.last }

// text makes a name of any bytes, such as members and labels may have, into the UTF-8 that a message can hold: one that is not, and one that begins
// like a quoted one, is quoted. Different names stay different.
func text(name string) string {
	if quoted(name) || !utf8.ValidString(name) {
		return strconv.QuoteToASCII(name)
	}
	return name
}

// raw is the inverse of text. What text does not make stays as it is.
func raw(text string) string {
	if !quoted(text) {
		return text
	}
	name, err := strconv.Unquote(text)
	if err != nil {
		return text
	}
	return name
}

func quoted(text string) bool { return text != "" && text[0] == '"' }

// texts is text for a list, which it returns itself where that changes nothing.
func texts(list []string) []string {
	return changed(list, text, func(s string) bool { return quoted(s) || !utf8.ValidString(s) })
}

// raws is the inverse of texts.
func raws(list []string) []string { return changed(list, raw, quoted) }

func changed(list []string, f func(string) string, changes func(string) bool) []string {
	if !slices.ContainsFunc(list, changes) {
		return list
	}
	out := make([]string, len(list))
	for i := range list {
		out[i] = f(list[i])
	}
	return out
}

// labels applies text or raw to keys and values. It returns the map itself where that changes nothing.
func labels(all map[string]string, f func(string) string) map[string]string {
	for k, v := range all {
		if f(k) != k || f(v) != v {
			out := make(map[string]string, len(all))
			for k, v := range all {
				out[f(k)] = f(v)
			}
			return out
		}
	}
	return all
}

// signals applies text or raw to names. It returns the map itself where that changes nothing.
func signals(all map[string]float64, f func(string) string) map[string]float64 {
	for name := range all {
		if f(name) != name {
			out := make(map[string]float64, len(all))
			for name, x := range all {
				out[f(name)] = x
			}
			return out
		}
	}
	return all
}
