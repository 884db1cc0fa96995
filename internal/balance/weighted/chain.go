package weighted

import (
	"math"
	"math/bits"
	"sort"
)

func lowestBit(mask int) int { return bits.TrailingZeros(uint(mask)) }

// chain looks for the shortest chain of members that begins with a: each passes on an item for the one that it gets, and all
// stay below the ceiling. A class is gone through once, so that a search costs no more than the sizes of classes. Where all items
// weigh the same it finds a chain if there is one.
func (s *solver) chain(a int32, ceiling float64) bool {
	if s.classes.len() == 1 || s.left < 0 {
		return false
	}
	via := make([]hop, s.p.Members) // the item that reaches a member
	for m := range via {
		via[m].item = None
	}
	seen := make([]bool, s.classes.len())
	for queue := []int32{a}; len(queue) > 0; queue = queue[1:] {
		m := queue[0]
		held := s.held[m]
		from := 0
		if m != a {
			weight := s.item[via[m].item].weight
			need := min(float64(weight), math.Floor(float64(s.load[m]+weight)-float64(ceiling*s.capacity[m]))+1)
			from = sort.Search(len(held), func(k int) bool { return float64(s.item[held[k]].weight) >= need })
		}
		s.spend(len(held))
		for k := from; k < len(held); k++ {
			i := held[k]
			if m == a { // heaviest first
				i = held[len(held)-1-k]
			}
			x := &s.item[i]
			if seen[x.class] || x.weight == 0 || !s.movable(i) {
				continue
			}
			seen[x.class] = true
			s.spend(len(s.classes.list(x.class)))
			end, lowest := int32(None), ceiling
			for _, b := range s.classes.list(x.class) {
				if b == a || via[b].item != None {
					continue
				}
				via[b] = hop{i, b}
				if r := s.with(b, x.weight); r < lowest {
					end, lowest = b, r
				}
				queue = append(queue, b)
			}
			if end != None {
				return s.follow(a, end, via)
			}
		}
	}
	return false
}

// follow makes the chain that ends at a member, if so much may move and everybody keeps to the limit.
func (s *solver) follow(a, end int32, via []hop) bool {
	hops := s.trial[:0]
	more := int32(0) // partitions that the member after gets less those that it passes on
	for b := end; b != a; {
		i := via[b].item
		giver := s.item[i].owner
		if x := s.pick(giver, b, float64(s.item[i].weight), true); x != None && s.item[x].weight == s.item[i].weight {
			i = x // as heavy, and cheaper
		}
		hops = append(hops, hop{i, b})
		if s.count[b] > s.limit[b]-(s.item[i].size-more) {
			s.trial = hops
			return false
		}
		more = s.item[i].size
		b = giver
	}
	s.trial = hops
	if _, allowed := s.price(hops); !allowed || !s.certain(s.earned(a), end, s.item[hops[0].item].weight, hops[:1]) {
		return false
	}
	s.apply(Chained, a, hops)
	return true
}
