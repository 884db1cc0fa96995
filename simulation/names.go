package simulation

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// NewMembers returns n further members, which read all topics. Their ids go on counting where those of existing ones end: after
// billing-1 and billing-2 come billing-3 and billing-4. Where existing ids are not numbered so, it is member-1, member-2 and so on; of
// several series the longest is continued. It is what a count means in the members and join of a scenario.
func NewMembers(existing []strategy.Member, n int) []strategy.Member {
	taken := make(map[string]bool, len(existing))
	for i := range existing {
		taken[existing[i].ID] = true
	}
	prefix, next, width := series(existing)
	members := make([]strategy.Member, 0, max(0, n))
	for ; len(members) < n; next++ {
		id := fmt.Sprintf("%s%0*d", prefix, width, next)
		if !taken[id] {
			members = append(members, strategy.Member{ID: id, Generation: strategy.NoGeneration})
		}
	}
	return members
}

// series finds the longest series of numbered ids: what stands before the number, the next number, and how many digits it has.
func series(members []strategy.Member) (prefix string, next, width int) {
	type run struct{ count, last, width int }
	runs := map[string]run{}
	best := ""
	for i := range members {
		id, _ := incarnation(members[i].ID)
		head, number, width, ok := numbered(id)
		if !ok {
			continue
		}
		r := runs[head]
		r.count++
		r.last = max(r.last, number)
		r.width = max(r.width, width)
		runs[head] = r
		if b := runs[best]; best == "" || cmp.Or(cmp.Compare(r.count, b.count), cmp.Compare(best, head)) > 0 {
			best = head
		}
	}
	if best == "" {
		return "member-", 1, 0
	}
	return best, runs[best].last + 1, runs[best].width
}

// numbered splits billing-07 into billing-, 7 and the 2 digits that its zeros ask for.
func numbered(id string) (prefix string, number, width int, ok bool) {
	i := len(id)
	for i > 0 && id[i-1] >= '0' && id[i-1] <= '9' {
		i--
	}
	digits := id[i:]
	if digits == "" || len(digits) > 9 || i < 2 || id[i-1] != '-' {
		return "", 0, 0, false
	}
	number, err := strconv.Atoi(digits)
	if err != nil {
		return "", 0, 0, false
	}
	if digits[0] == '0' {
		width = len(digits)
	}
	return id[:i], number, width, true
}

// incarnation splits billing-1~2 into billing-1 and 2. An id without such an ending is the first incarnation.
func incarnation(id string) (base string, n int) {
	i := strings.LastIndexByte(id, '~')
	if i <= 0 || len(id)-i-1 > 9 || len(id)-i-1 == 0 {
		return id, 1
	}
	n, err := strconv.Atoi(id[i+1:])
	if err != nil || n < 2 {
		return id, 1
	}
	return id[:i], n
}

// compareNatural orders billing-2 before billing-10: what is a number in both is compared as such.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		x, restA := digits(a)
		y, restB := digits(b)
		if x != "" && y != "" {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) (number, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// enumerate lists names for people: the first few, and how many there are beside them.
func enumerate(names []string) string {
	const shown = 3
	if len(names) <= shown+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// compareIDs is compareNatural with an order for ids that are equal in it, such as a-1 and a-01.
func compareIDs(a, b string) int { return cmp.Or(compareNatural(a, b), cmp.Compare(a, b)) }
