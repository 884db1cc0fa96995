package balance

import (
	"slices"
	"testing"
)

// problemFrom makes a problem, malformed ones included, of any bytes.
func problemFrom(data []byte) (*Problem, Options) {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	list := func(length, from, to int) []int32 {
		l := make([]int32, max(0, length))
		for i := range l {
			l[i] = int32(from + next()%(to-from+1))
		}
		return l
	}
	flags, wrong := next(), next()
	off := func(bit int) int { // sometimes a length that does not fit
		if wrong >= 128 && wrong>>bit&1 != 0 {
			return next()%3 - 1
		}
		return 0
	}
	p := &Problem{Members: next()%9 + off(0)}
	p.Partitions = list(next()%6, -off(1), 7)
	total := 0
	for _, n := range p.Partitions {
		total += int(max(0, n))
	}
	if flags&1 != 0 {
		p.Start = []int32{int32(off(2))}
		for range len(p.Partitions) + off(3) {
			mask := next()
			for m := range max(0, p.Members) {
				if mask>>m&1 != 0 {
					p.Subscribers = append(p.Subscribers, int32(m+off(4)))
				}
			}
			p.Start = append(p.Start, int32(len(p.Subscribers)))
		}
	}
	if flags&2 != 0 {
		p.Owner = list(total+off(5), -2, p.Members+1)
	}
	if flags&4 != 0 {
		p.Capacity = list(p.Members+off(6), off(0), 4)
	}
	if flags&8 != 0 {
		p.MemberRack = list(p.Members+off(2), -1, 3)
		p.RackStart = []int32{0}
		for range total + off(3) {
			p.PartitionRacks = append(p.PartitionRacks, list(next()%3, 0, 3)...)
			p.RackStart = append(p.RackStart, int32(len(p.PartitionRacks)+off(1)))
		}
	}
	if flags&16 != 0 {
		p.Host = list(p.Members+off(4), -1, 3)
	}
	o := Options{}
	if flags&32 != 0 {
		o.Tolerance = int32(next()%4 + off(5))
	}
	if flags&64 != 0 {
		o.Budget = int64(next()) * int64(next())
	}
	return p, o
}

func FuzzSolve(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x03\x00\x04\x03\x05\x02\x06\x0f\x03\x0c\x01\x02\x03\x04\x00\x01\x02\x03"))
	f.Add([]byte("\x7f\xff\x04\x03\x05\x02\x06\x0f\x03\x0c\x01\x02\x03\x04\x00\x01\x02\x03"))
	f.Add([]byte("\x3f\x00\x08\x05\x07\x07\x07\x07\x07\xff\xff\x0f\xf0\x33\x01\x02\x03\x04\x05\x06\x07\x00\x01\x02\x03"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, o := problemFrom(data)
		got, err := Solve(p, o)
		best, errBest := Optimum(p, o)
		if (err != nil) != (errBest != nil) {
			t.Fatal(err, errBest)
		}
		if err != nil {
			return
		}
		check(t, p, got)
		if got.Stopped == Complete && best.Stopped == Complete && best.Voluntary != got.Voluntary {
			t.Fatalf("optimum %d moves, solved %d\n%s", best.Voluntary, got.Voluntary, p.describe())
		}
		if again, _ := Solve(p, o); !slices.Equal(again.Owner, got.Owner) {
			t.Fatal("not deterministic")
		}
	})
}
