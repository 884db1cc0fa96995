package strategy

// topicNames finds the number of a topic by its name. Claims and subscriptions name a topic for every few partitions, so in a large
// group this is most of the work of understanding it, and a map costs three times as much.
type topicNames struct {
	names []string // sorted
	slots []int32  // open addressing, number+1, 0 is free; at most half full
	shift uint
}

func newTopicNames(topics []Topic) topicNames {
	n := topicNames{names: make([]string, len(topics)), shift: 63}
	size := 2
	for size < 2*len(topics) {
		size *= 2
		n.shift--
	}
	n.slots = make([]int32, size)
	for i := range topics {
		n.names[i] = topics[i].Name
		at := n.hash(topics[i].Name)
		for n.slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		n.slots[at] = int32(i) + 1
	}
	return n
}

// hash mixes the length and both ends of a name: topics of one group differ in their last letters, or their first. Names made
// to collide cost a comparison with each of them, no more than a search through the list.
func (n *topicNames) hash(name string) int {
	h := uint64(len(name))
	for i := max(0, len(name)-8); i < len(name); i++ {
		h = (h<<8 | h>>56) ^ uint64(name[i])
	}
	h *= 0x9E3779B97F4A7C15
	for i := range min(8, len(name)-8) {
		h = (h<<8 | h>>56) ^ uint64(name[i])
	}
	h ^= h >> 29
	return int(h * 0x9E3779B97F4A7C15 >> n.shift)
}

// find returns the number of the topic with this name, or -1.
func (n *topicNames) find(name string) int32 {
	for at := n.hash(name); n.slots[at] != 0; at = (at + 1) & (len(n.slots) - 1) {
		if i := n.slots[at] - 1; n.is(int(i), name) {
			return i
		}
	}
	return -1
}

// is says whether topic i has this name. Neighbours in a sorted list mostly differ in their last letter.
func (n *topicNames) is(i int, name string) bool {
	other := n.names[i]
	last := len(name) - 1
	return len(other) == last+1 && (last < 0 || other[last] == name[last]) && other == name
}

// findAfter is find for a name that probably stands step, or a little more than one, behind another topic, as names in a sorted
// list do.
func (n *topicNames) findAfter(name string, after, step int32) int32 {
	if guess := int(after) + int(step); guess >= 0 && guess < len(n.names) && n.is(guess, name) {
		return int32(guess)
	}
	for guess := int(after) + 1; guess < min(int(after)+5, len(n.names)); guess++ {
		if n.is(guess, name) {
			return int32(guess)
		}
	}
	return n.find(name)
}
