package balance

import "slices"

// classes are sets of topics with equal subscriber sets: their partitions are interchangeable as far as loads and moves
// go. Class c has topics[start[c]:start[c+1]], ascending; sets.row(c) is its subscribers. Classes ascend by number
// of subscribers, then by their first topic. Topics without partitions or without subscribers are in no class.
type classes struct {
	count  int
	start  []int32
	topics []int32
	sets   rows
	full   int // words of a set without gaps
}

var hashMask = ^uint64(0) // tests make every hash collide

func newClasses(p *Problem) *classes {
	k := &classes{full: (p.Members + 63) / 64}
	topics := sortedTopics(p)
	if len(topics) == 0 {
		k.start, k.sets.start = make([]int32, 1), make([]int32, 1)
		return k
	}
	if p.Start == nil {
		k.count, k.start, k.topics = 1, []int32{0, int32(len(topics))}, topics
		k.sets = rows{start: []int32{0, int32(k.full)}, words: appendRow(nil, numbers(p.Members))}
		return k
	}
	k.sets.start = make([]int32, 1, len(topics)+1)
	words := make([]rowWord, 0, min(len(p.Subscribers), len(topics)*k.full))
	class := make([]int32, len(topics))
	next := make([]int32, 0, len(topics)) // chain of classes with the same hash
	head := make(map[uint64]int32, len(topics))
	for i, t := range topics {
		from := len(words)
		words = appendRow(words, p.Subscribers[p.Start[t]:p.Start[t+1]])
		row := words[from:]
		hash := hashRow(row) & hashMask
		c, found := head[hash]
		for c--; found && c >= 0 && !slices.Equal(words[k.sets.start[c]:k.sets.start[c+1]], row); {
			c = next[c]
		}
		if !found || c < 0 {
			c = int32(len(next))
			next = append(next, head[hash]-1)
			head[hash] = c + 1
			k.sets.start = append(k.sets.start, int32(len(words)))
		} else {
			words = words[:from]
		}
		class[i] = c
	}
	k.sets.words = words
	k.count = len(next)
	k.group(topics, class)
	return k
}

// group lists the topics by class.
func (k *classes) group(topics, class []int32) {
	k.start = make([]int32, k.count+1)
	for _, c := range class {
		k.start[c+1]++
	}
	for c := range k.count {
		k.start[c+1] += k.start[c]
	}
	fill := slices.Clone(k.start)
	k.topics = make([]int32, len(topics))
	for i, c := range class {
		k.topics[fill[c]] = topics[i]
		fill[c]++
	}
}

func (k *classes) of(c int32) []int32 { return k.topics[k.start[c]:k.start[c+1]] }

// sortedTopics lists the topics that can be assigned by ascending number of subscribers, then by number (counting sort).
func sortedTopics(p *Problem) []int32 {
	degree := func(t int) int32 {
		if p.Partitions[t] == 0 {
			return 0
		}
		if p.Start == nil {
			return int32(p.Members)
		}
		return p.Start[t+1] - p.Start[t]
	}
	place := make([]int32, p.Members+2)
	n := 0
	for t := range p.Partitions {
		if d := degree(t); d > 0 {
			place[d+1]++
			n++
		}
	}
	for d := 1; d < len(place); d++ {
		place[d] += place[d-1]
	}
	topics := make([]int32, n)
	for t := range p.Partitions {
		if d := degree(t); d > 0 {
			topics[place[d]] = int32(t)
			place[d]++
		}
	}
	return topics
}

// appendRow appends the words of a row with these columns set.
func appendRow(words []rowWord, columns []int32) []rowWord {
	last := int32(-1)
	var w *rowWord
	for _, m := range columns {
		if place := m >> 6; place != last {
			words = append(words, rowWord{place: place})
			w = &words[len(words)-1]
			last = place
		}
		w.bits |= bit(m)
	}
	return words
}

func hashRow(row []rowWord) uint64 {
	h := uint64(len(row))
	for _, w := range row {
		h = (h ^ w.bits) * 0x9E3779B97F4A7C15
		h ^= h>>29 ^ uint64(w.place)
	}
	return h
}
