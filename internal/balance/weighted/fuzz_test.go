package weighted

import (
	"reflect"
	"testing"

	"github.com/assignkit/assignkit/internal/balance"
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
	flags, wrong := next(), next()
	off := func(bit int) int { // sometimes a number that does not fit
		if wrong >= 128 && wrong>>bit&1 != 0 {
			return next()%3 - 1
		}
		return 0
	}
	list := func(bit, length, from, to int) []int32 {
		if flags>>bit&1 == 0 {
			return nil
		}
		l := make([]int32, max(0, length+off(bit)))
		for i := range l {
			l[i] = int32(from + off(bit) + next()%(to-from+1))
		}
		return l
	}
	p := &Problem{Problem: balance.Problem{Members: next() % 9}}
	for range next() % 5 {
		p.Partitions = append(p.Partitions, int32(next()%7))
	}
	total := p.total()
	p.Owner = list(0, total, -2, p.Members+1)
	p.Capacity = list(1, p.Members, 0, 4)
	p.Together = list(2, total, -1, 5)
	p.PreferClass = list(3, total, 0, 2)
	p.Prefer = list(4, max(3, len(p.Partitions))*p.Members, -2, 2)
	if flags&32 != 0 {
		for range total*p.Words() + off(5) {
			p.Eligible = append(p.Eligible, uint64(next()|next()<<8))
		}
	}
	if flags&64 != 0 {
		for range total + off(6) {
			p.Weight = append(p.Weight, int64(next()+off(6))<<(next()%46))
		}
	}
	o := Options{Strict: flags&128 != 0}
	switch next() % 4 {
	case 1:
		p.Limit = int32(next()%5 + off(1))
	case 2:
		o.MaxMoves, o.MaxWeight = int32(next()%6)-1, int64(next())-1
	case 3:
		o.Tolerance, o.Gain, o.Noise = int32(next()-1), int32(next()-1), int32(next()-1)
		o.Budget = int64(next()) * int64(next())
	}
	return p, o
}

func FuzzSolve(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x41\x00\x04\x02\x05\x06\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x09\x01\x03\x05\x02\x04\x01\x22\x02\x30\x01\x17\x02\x09\x01"))
	f.Add([]byte("\x7f\x00\x05\x03\x05\x06\x04\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x09\x01\x03\x05\x02\x04\x01\x22\x02\x30\x01\x17\x02\x09\x01\x01\x02"))
	f.Add([]byte("\xff\xff\x05\x03\x05\x06\x04\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x09\x01\x03\x05\x02\x04\x01\x22\x02\x30\x01\x17\x02\x09\x01\x01\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, o := problemFrom(data)
		got, err := Solve(t.Context(), p, o)
		if err != nil {
			return
		}
		check(t, p, o, got)
		if again, _ := Solve(t.Context(), p, o); !reflect.DeepEqual(again, got) {
			t.Fatal("not deterministic")
		}
		s := newSolver(t.Context(), p, o)
		s.run()
		newReplay(t, s).run()
	})
}
