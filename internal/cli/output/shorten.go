package output

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// ellipsis stands for what a shortened name leaves out.
const ellipsis = "…"

// Names are names as they are to be shown: fit to print, and where they are too long, without their middle. A name looks the same
// wherever it stands, and two names never look the same.
type Names struct {
	shown  map[string]string
	within *strings.Replacer // nil if none is shortened
}

// ShortNames decides how to show names in a terminal of the width given.
func ShortNames(names []string, columns int) *Names {
	most, step := min(max(columns/4, 16), 48), 4
	for whole := longest(names); most < whole; {
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
			n.within = replacer(n.shown)
			return n
		}
		most, step = most+step, 2*step
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

// Within shortens the names that stand in a text.
func (n *Names) Within(text string) string {
	if n.within != nil {
		text = n.within.Replace(text)
	}
	return Clean(text)
}

// replacer puts what is shown in the place of names, of longer ones first, as a name may begin with another.
func replacer(shown map[string]string) *strings.Replacer {
	var long []string
	for name, short := range shown {
		if name != short {
			long = append(long, name)
		}
	}
	slices.SortFunc(long, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(long))
	for _, name := range long {
		pairs = append(pairs, name, shown[name])
	}
	return strings.NewReplacer(pairs...)
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
	from, used := 0, 0
	for {
		r, size := utf8.DecodeRuneInString(name[from:])
		if used += width(string(r)); used > head {
			break
		}
		from += size
	}
	to := len(name)
	for used = 0; ; {
		r, size := utf8.DecodeLastRuneInString(name[:to])
		if used += width(string(r)); used > tail {
			break
		}
		to -= size
	}
	return name[:from] + ellipsis + name[to:]
}
