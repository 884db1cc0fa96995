package weighted

// A search looks for the shortest chain of members each of which passes on as many partitions as it gets, from an item that
// only full members may have to one that is not. Where nothing is together it finds a chain if there is one. Members that one
// failed search came by stay full for good, so that all searches together go through each class a few times at most.
type search struct {
	s     *solver
	via   []hop // the item that a member would get; None: not reached
	seen  []bool
	queue []int32
	full  []bool // members that no search gets past
}

func newSearch(s *solver) *search {
	return &search{s: s, via: make([]hop, s.p.Members), seen: make([]bool, s.classes.len()), full: make([]bool, s.p.Members)}
}

// makeRoom places item i, or tells that there is no room.
func (r *search) makeRoom(i int32) bool {
	s := r.s
	for m := range r.via {
		r.via[m] = hop{None, None}
	}
	clear(r.seen)
	r.queue = r.queue[:0]
	end := r.reach(i)
	for at := 0; end == None && at < len(r.queue); at++ {
		m := r.queue[at]
		for _, j := range s.held[m] {
			if s.count[m]+s.item[r.via[m].item].size-s.item[j].size > s.limit[m] {
				continue
			}
			if end = r.reach(j); end != None {
				break
			}
		}
	}
	if end == None {
		for _, m := range r.queue {
			r.full[m] = r.full[m] || s.item[i].size == 1
		}
		return false
	}
	hops := s.trial[:0]
	for m := end; m != None; {
		h := r.via[m]
		hops = append(hops, h)
		m = s.item[h.item].owner
	}
	s.trial = hops
	for _, h := range hops {
		s.item[h.item].home = None // the move is forced
	}
	s.apply(Made, hops[len(hops)-1].to, hops)
	s.cause[i].reason = Placed
	s.journal[len(s.journal)-1].cause.reason = Placed
	return true
}

// reach adds the members that may have an item to the queue; it returns the first that has room.
func (r *search) reach(i int32) int32 {
	s, x := r.s, &r.s.item[i]
	if r.seen[x.class] {
		return None
	}
	r.seen[x.class] = true
	for _, m := range s.classes.list(x.class) {
		if r.via[m].item != None || r.full[m] {
			continue
		}
		r.via[m] = hop{i, m}
		if s.count[m] <= s.limit[m]-x.size {
			return m
		}
		r.queue = append(r.queue, m)
	}
	return None
}
