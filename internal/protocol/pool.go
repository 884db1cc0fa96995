package protocol

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A pool is the memory behind what is decoded: of one subscription, or of a whole group, whose members mostly name the same topics.
type pool struct {
	names names
	racks map[string]string
	free  []strategy.TopicPartitions
	spare []int32
	room  int // bytes of input in all, which bounds what is worth allocating ahead; 0: nothing is

	// The list of partitions that was read last, and its bytes, nil if it was not written as this package does.
	partitions []strategy.TopicPartitions
	raw        []byte

	// What shared has read.
	lists []topicList
	byRaw map[uint64]int32 // hash of topicList.raw -> the latest such list
	seed  maphash.Seed
	last  int // the list that the previous member sent
}

// newPool returns a pool for a group whose members sent so many bytes in all. For a single subscription the zero value will do.
func newPool(size int) *pool {
	return &pool{room: size, byRaw: map[uint64]int32{}, seed: maphash.MakeSeed()}
}

// Chunks are large enough that their ends, which stay unused, do not matter, and small enough that the last one does not.
const (
	chunkEntries = 8 << 10
	chunkNumbers = 64 << 10
)

// entries returns room for n entries, to be confirmed by taken.
func (p *pool) entries(n int) []strategy.TopicPartitions {
	if n > len(p.free) {
		p.free = make([]strategy.TopicPartitions, max(n, min(chunkEntries, p.room/16)))
	}
	return p.free[:n]
}

// numbers returns room for n numbers, to be confirmed by taken.
func (p *pool) numbers(n int) []int32 {
	if n > len(p.spare) {
		p.spare = make([]int32, max(n, min(chunkNumbers, p.room/4)))
	}
	return p.spare[:n]
}

// taken says how much of the room was used. What was not is handed out again.
func (p *pool) taken(entries, numbers int) {
	p.free, p.spare = p.free[entries:], p.spare[numbers:]
}

// written returns the bytes that the list was read from, nil unless it was read last and all its topics have partitions.
func (p *pool) written(list []strategy.TopicPartitions) []byte {
	if !same(list, p.partitions) {
		return nil
	}
	return p.raw
}

// same says whether two lists are one.
func same(a, b []strategy.TopicPartitions) bool {
	return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0]
}

// rack returns a string for raw, the same one for equal racks.
func (p *pool) rack(raw []byte) string {
	if known, ok := p.racks[string(raw)]; ok {
		return known
	}
	if p.racks == nil {
		p.racks = map[string]string{}
	}
	s := string(raw)
	p.racks[s] = s
	return s
}

// A topicList is a subscription's topics as several members may send them.
type topicList struct {
	raw      []byte // the whole array
	topics   []string
	unmarked []int32 // the topics' numbers, until accept
	next     int32   // another list with the same hash, or -1
}

// topics reads an array of topics: as it is from a single subscription, and sorted and without doubles from those of a group.
func (p *pool) topics(r *reader, field string) []string {
	if p.byRaw != nil {
		return p.shared(r, field)
	}
	return p.names.strings(r.names(field, p))
}

// shared reads an array of topics that others may have sent as well. Arrays of equal bytes give one slice, so that
// neither this package nor an assignor looks at a list again that it has seen: members of a group mostly subscribe alike.
func (p *pool) shared(r *reader, field string) []string {
	rest := r.data[r.at:]
	if p.last < len(p.lists) {
		// An array says where it ends, so data that begins with the bytes of one has that very array there.
		if l := &p.lists[p.last]; bytes.HasPrefix(rest, l.raw) {
			r.at += len(l.raw)
			return l.topics
		}
	}
	skip := reader{data: rest}
	for range skip.count("", 2) {
		skip.text("")
	}
	if skip.err != nil {
		r.names(field, p) // for the fault that it finds
		return nil
	}
	raw := rest[:skip.at]
	hash := maphash.Bytes(p.seed, raw)
	first, known := p.byRaw[hash]
	if !known {
		first = -1
	}
	for at := first; at >= 0; at = p.lists[at].next {
		if l := &p.lists[at]; bytes.Equal(l.raw, raw) {
			r.at += len(raw)
			p.last = int(at)
			return l.topics
		}
	}
	l := topicList{raw: raw, unmarked: r.names(field, p), next: first}
	if r.err != nil {
		return nil
	}
	l.topics = p.names.strings(l.unmarked)
	if !slices.IsSorted(l.topics) {
		slices.Sort(l.topics)
	}
	l.topics = slices.Compact(l.topics)
	p.last = len(p.lists)
	p.byRaw[hash] = int32(p.last)
	p.lists = append(p.lists, l)
	return l.topics
}

// accept notes that a member subscribes to the list that shared read last.
func (p *pool) accept() {
	l := &p.lists[p.last]
	for _, i := range l.unmarked {
		p.names.read[i] = true
	}
	l.unmarked = nil
}

// accepted returns every topic that accept was called for, sorted.
func (p *pool) accepted() []string {
	all := make([]string, 0, len(p.names.list))
	for i, name := range p.names.list {
		if p.names.read[i] {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
