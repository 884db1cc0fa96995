package protocol

import "unicode/utf8"

// names hands out one string for equal names, and numbers them in the order of their first appearance.
//
// Members name topics in the order of their names, each some of all topics. So the names are also chained, roughly in that order, and
// where one name was found the next one mostly is a few links away.
type names struct {
	list   []string
	number map[string]int32
	read   []bool  // a member subscribes to it
	first  int32   // of the chain, or end
	next   []int32 // the one behind each in the chain, or end
}

const (
	end  = -1
	hops = 8 // how far find follows the chain
)

// find returns the number of a name, a new one if it is not known, or -1 if raw is not UTF-8. The name probably is number after+step, or
// stands a little behind number after in the chain; after is -1 at the start of a list. A map finds all others, at several times
// the cost.
func (n *names) find(raw []byte, after, step int32) int32 {
	if guess := int(after) + int(step); guess >= 0 && guess < len(n.list) && n.is(int32(guess), raw) {
		return int32(guess)
	}
	at := n.behind(after)
	for range hops {
		if at == end {
			break
		}
		if n.is(at, raw) {
			return at
		}
		at = n.next[at]
	}
	if i, ok := n.number[string(raw)]; ok {
		return i
	}
	if !utf8.Valid(raw) {
		return -1
	}
	return n.add(string(raw), after)
}

// behind returns what follows a name in the chain, and its start for -1.
func (n *names) behind(at int32) int32 {
	switch {
	case at >= 0:
		return n.next[at]
	case len(n.list) == 0:
		return end
	}
	return n.first
}

// add numbers a name and chains it where it belongs, if that is not far behind number after. Wherever it is put, it can be found.
func (n *names) add(name string, after int32) int32 {
	next := n.behind(after)
	for range hops {
		if next == end || n.list[next] > name {
			break
		}
		after, next = next, n.next[next]
	}
	i := int32(len(n.list))
	n.list, n.read, n.next = append(n.list, name), append(n.read, false), append(n.next, next)
	if after < 0 {
		n.first = i
	} else {
		n.next[after] = i
	}
	if n.number == nil {
		n.number = map[string]int32{}
	}
	n.number[name] = i
	return i
}

// strings returns the names with these numbers, nil if there are none.
func (n *names) strings(numbers []int32) []string {
	if len(numbers) == 0 {
		return nil
	}
	list := make([]string, len(numbers))
	for i, number := range numbers {
		list[i] = n.list[number]
	}
	return list
}

// is says whether name i is raw. Neighbours in a sorted list mostly differ in their last letter.
func (n *names) is(i int32, raw []byte) bool {
	name := n.list[i]
	last := len(raw) - 1
	return len(name) == last+1 && (last < 0 || name[last] == raw[last]) && name == string(raw)
}
