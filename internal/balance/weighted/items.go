package weighted

import (
	"cmp"
	"slices"
)

// An item is what goes to one member as a whole: a partition, or those that are together.
type item struct {
	weight int64
	stake  int64 // weight of the partitions that home has
	class  int32
	home   int32 // the owner if it may keep the item, or None
	owner  int32 // where the item is now, or None
	first  int32 // its partitions are parts[first : first+size]
	size   int32
	own    int32 // how many of them home has
}

// items makes items of partitions, numbered by rising weight.
func (s *solver) items(class []int32) {
	total := int32(len(class))
	s.parts = make([]int32, total)
	list := make([]item, 0, total)
	if s.p.Together == nil {
		for i := range total {
			s.parts[i] = i
			list = append(list, item{class: class[i], first: i, size: 1})
		}
	} else {
		list = s.gather(class, list)
	}
	for i := range list {
		for _, q := range s.partitions(&list[i]) {
			list[i].weight += s.p.weight(q)
		}
	}
	slices.SortFunc(list, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(s.parts[a.first], s.parts[b.first]))
	})
	s.item = list
}

// partitions of an item, ascending.
func (s *solver) partitions(i *item) []int32 { return s.parts[i.first : i.first+i.size] }

// gather puts partitions that are together into one item, unless no member may have them all.
func (s *solver) gather(class []int32, list []item) []item {
	total := int32(len(class))
	number := map[int32]int32{} // key -> group; asked, never walked
	group, sizes := make([]int32, total), make([]int32, 0, total)
	for i, key := range s.p.Together {
		g, known := number[key]
		if !known || key < 0 {
			g = int32(len(sizes))
			sizes = append(sizes, 0)
			if key >= 0 {
				number[key] = g
			}
		}
		group[i] = g
		sizes[g]++
	}
	first := make([]int32, len(sizes)+1)
	for g, n := range sizes {
		first[g+1] = first[g] + n
	}
	next := slices.Clone(first)
	for i, g := range group {
		s.parts[next[g]] = int32(i)
		next[g]++
	}
	row := make([]uint64, s.classes.words)
	for g, n := range sizes {
		x := item{first: first[g], size: n}
		x.class = class[s.parts[x.first]]
		if n == 1 {
			list = append(list, x)
			continue
		}
		if s.meet(&x, class, row) {
			list = append(list, x)
			continue
		}
		s.split = append(s.split, s.p.Together[s.parts[x.first]])
		for at := x.first; at < x.first+n; at++ {
			list = append(list, item{class: class[s.parts[at]], first: at, size: 1})
		}
	}
	return list
}

// meet finds the class of a group: the members that may have all of it. False if there is none.
func (s *solver) meet(x *item, class []int32, row []uint64) bool {
	copy(row, s.classes.row(x.class))
	last := x.class
	for _, q := range s.partitions(x) {
		if class[q] != last {
			last = class[q]
			for j, w := range s.classes.row(last) {
				row[j] &= w
			}
		}
	}
	x.class = s.classes.number(row)
	return slices.ContainsFunc(row, func(w uint64) bool { return w != 0 })
}

// settleHomes finds who had each item: of those who may keep it, who had most of its weight, then most of its partitions, then
// the first of them.
func (s *solver) settleHomes() {
	for i := range s.item {
		x := &s.item[i]
		x.home = None
		parts := s.partitions(x)
		for at, q := range parts {
			o := s.p.owner(q)
			if o == None || o == x.home || !s.classes.has(x.class, o) {
				continue
			}
			weight, own := int64(0), int32(0)
			for _, other := range parts[at:] {
				if s.p.owner(other) == o {
					weight += s.p.weight(other)
					own++
				}
			}
			if x.home == None || weight > x.stake || weight == x.stake && own > x.own {
				x.home, x.stake, x.own = o, weight, own
			}
		}
		x.owner = None
	}
}
