package balance

import (
	"math/bits"
	"slices"
)

func lowest(word uint64) int32 { return int32(bits.TrailingZeros64(word)) }

func bit(i int32) uint64 { return 1 << uint(i&63) }

func has(mask []uint64, i int32) bool { return mask[i>>6]>>uint(i&63)&1 != 0 }

// rows is a sparse bit matrix: row i has words[start[i]:start[i+1]], ascending by place. Empty words are left out.
type rows struct {
	start []int32
	words []rowWord
}

type rowWord struct {
	bits  uint64
	place int32 // which 64 columns
}

func (r *rows) row(i int32) []rowWord { return r.words[r.start[i]:r.start[i+1]] }

// transpose turns a matrix of height x width around: bit by bit if sparse, else in blocks of 64 x 64.
func transpose(a rows, height, width int) rows {
	set := 0
	for _, w := range a.words {
		set += bits.OnesCount64(w.bits)
	}
	across := (width + 63) / 64
	if set < 40*across*((height+63)/64) {
		return transposeSparse(a, height, width)
	}
	r := rows{start: make([]int32, width+1)}
	union := make([]uint64, across)
	for g := 0; g < height; g += 64 {
		clear(union)
		for _, w := range a.words[a.start[g]:a.start[min(g+64, height)]] {
			union[w.place] |= w.bits
		}
		for place, x := range union {
			for ; x != 0; x &= x - 1 {
				r.start[place*64+int(lowest(x))+1]++
			}
		}
	}
	for i := range width {
		r.start[i+1] += r.start[i]
	}
	r.words = make([]rowWord, r.start[width])
	fill := slices.Clone(r.start[:width])
	blocks := make([][64]uint64, across)
	for g := 0; g < height; g += 64 {
		for i := g; i < min(g+64, height); i++ {
			for _, w := range a.row(int32(i)) {
				blocks[w.place][i-g] = w.bits
			}
		}
		for place := range blocks {
			block := &blocks[place]
			transposeBlock(block)
			for j, x := range block {
				if x != 0 {
					i := place*64 + j
					r.words[fill[i]] = rowWord{bits: x, place: int32(g >> 6)}
					fill[i]++
				}
			}
			clear(block[:])
		}
	}
	return r
}

func transposeSparse(a rows, height, width int) rows {
	r := rows{start: make([]int32, width+1)}
	last := make([]int32, width) // last word of a result row, plus 1
	for i := range int32(height) {
		g := i>>6 + 1
		for _, w := range a.row(i) {
			for x := w.bits; x != 0; x &= x - 1 {
				if j := w.place*64 + lowest(x); last[j] != g {
					last[j] = g
					r.start[j+1]++
				}
			}
		}
	}
	for i := range width {
		r.start[i+1] += r.start[i]
	}
	r.words = make([]rowWord, r.start[width])
	fill := slices.Clone(r.start[:width])
	clear(last)
	for i := range int32(height) {
		g := i>>6 + 1
		for _, w := range a.row(i) {
			for x := w.bits; x != 0; x &= x - 1 {
				j := w.place*64 + lowest(x)
				if last[j] != g {
					last[j] = g
					r.words[fill[j]].place = g - 1
					fill[j]++
				}
				r.words[fill[j]-1].bits |= bit(i)
			}
		}
	}
	return r
}

func transposeBlock(a *[64]uint64) {
	mask := uint64(0x00000000FFFFFFFF)
	for j := uint(32); j != 0; j, mask = j>>1, mask^(mask<<(j>>1)) {
		for k := uint(0); k < 64; k = (k + j + 1) &^ j {
			x := (a[k]>>j ^ a[k+j]) & mask
			a[k] ^= x << j
			a[k+j] ^= x
		}
	}
}
