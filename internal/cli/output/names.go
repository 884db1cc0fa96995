package output

import (
	"cmp"
	"strings"
)

// CompareNames orders names as people count, member-2 before member-10.
func CompareNames(a, b string) int {
	whole := cmp.Compare(a, b)
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		n, m := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if c := cmp.Or(cmp.Compare(len(n), len(m)), cmp.Compare(n, m)); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// digits counts the digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
