package output

import (
	"strings"
	"unicode/utf8"
)

// ellipsis stands for what a shortened name leaves out.
const ellipsis = "…"

// Names are names as they are to be shown: fit to print, and where they are too long, without their middle. A name looks the same
// wherever it stands, and two names never look the same.
type Names struct{ shown map[string]string }

// ShortNames decides how to show names in a terminal of the width given.
func ShortNames(names []string, columns int) *Names {
	most := min(max(columns/4, 16), 48)
	for longest(names) > most {
		n := &Names{shown: make(map[string]string, len(names))}
		taken := make(map[string]string, len(names))
		unique := true
		for _, name := range names {
			short := shorten(Clean(name), most)
			n.shown[name] = short
			if other, ok := taken[short]; ok && other != name {
				unique = false
				break
			}
			taken[short] = name
		}
		if unique {
			return n
		}
		most += 4
	}
	return FullNames()
}

// FullNames shows every name in full.
func FullNames() *Names { return &Names{} }

// Show returns name as it is to be shown.
func (n *Names) Show(name string) string {
	if s, ok := n.shown[name]; ok {
		return s
	}
	return Clean(name)
}

func longest(names []string) int {
	most := 0
	for _, name := range names {
		most = max(most, width(Clean(name)))
	}
	return most
}

// shorten takes the middle out of a name. More is left of its beginning, which tells what it is; the end tells it from its siblings.
func shorten(name string, most int) string {
	if width(name) <= most {
		return name
	}
	tail := most / 3
	head := most - tail - 1
	var b strings.Builder
	for used := 0; name != ""; {
		r, size := utf8.DecodeRuneInString(name)
		if w := width(string(r)); used+w > head {
			break
		} else {
			used += w
		}
		b.WriteString(name[:size])
		name = name[size:]
	}
	b.WriteString(ellipsis)
	for width(name) > tail {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:]
	}
	b.WriteString(name)
	return b.String()
}
