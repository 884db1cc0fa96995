package protocol

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/assignkit/assignkit/strategy"
)

// A reader takes fields off data, one after another. After the first fault all it returns is zero, so callers look at err once they are
// through.
type reader struct {
	format string
	data   []byte
	at     int
	err    *DecodeError
}

// result returns the fault, if any, as a plain error.
func (r *reader) result() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// fail notes the first fault and ends the reading.
func (r *reader) fail(field string, at int, cause error) {
	if r.err == nil {
		r.err = &DecodeError{Format: r.format, Field: field, Offset: at, Err: cause}
		r.at = len(r.data)
	}
}

// within names the list and the entry that the fault was found in.
func (r *reader) within(list string, i int) {
	if r.err.Field == "" {
		r.err.Field = fmt.Sprintf("%s[%d]", list, i)
		return
	}
	r.err.Field = fmt.Sprintf("%s[%d].%s", list, i, r.err.Field)
}

func (r *reader) left() int { return len(r.data) - r.at }

func (r *reader) int8(field string) uint8 {
	if r.left() < 1 {
		r.fail(field, r.at, ErrTruncated)
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *reader) int16(field string) int16 {
	if r.left() < 2 {
		r.fail(field, r.at, ErrTruncated)
		return 0
	}
	r.at += 2
	return int16(binary.BigEndian.Uint16(r.data[r.at-2:]))
}

func (r *reader) int32(field string) int32 {
	if r.left() < 4 {
		r.fail(field, r.at, ErrTruncated)
		return 0
	}
	r.at += 4
	return int32(binary.BigEndian.Uint32(r.data[r.at-4:]))
}

func (r *reader) int64(field string) int64 {
	if r.left() < 8 {
		r.fail(field, r.at, ErrTruncated)
		return 0
	}
	r.at += 8
	return int64(binary.BigEndian.Uint64(r.data[r.at-8:]))
}

// version reads a version from 0 to newest, and any later one as newest.
func (r *reader) version(newest int16) int16 {
	v := r.int16("version")
	if v < 0 {
		r.fail("version", r.at-2, ErrVersion)
	}
	return min(v, newest)
}

// count reads the length of an array whose entries take at least so many bytes. A null array has no entries. The length is no more than
// what the bytes that are left can hold, so it is safe to allocate.
func (r *reader) count(field string, least int) int {
	at := r.at
	n := int(r.int32(field))
	switch {
	case n == -1:
		return 0
	case n < 0:
		r.fail(field, at, ErrLength)
		return 0
	case n > r.left()/least:
		r.fail(field, at, ErrTruncated)
		return 0
	}
	return n
}

// bytes reads bytes, nil if they are null, without copying them.
func (r *reader) bytes(field string) []byte {
	at := r.at
	return r.counted(field, at, int(r.int32(field)))
}

// text reads a string as it stands in the data, nil if it is null.
func (r *reader) text(field string) []byte {
	at := r.at
	return r.counted(field, at, int(r.int16(field)))
}

// counted reads the n bytes behind a length that stands at at; -1 is null.
func (r *reader) counted(field string, at, n int) []byte {
	switch {
	case r.err != nil || n == -1:
		return nil
	case n < 0:
		r.fail(field, at, ErrLength)
		return nil
	case n > r.left():
		r.fail(field, at, ErrTruncated)
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

// name reads the name of a topic that probably is number after+step of those that p knows, and returns its number.
func (r *reader) name(field string, p *pool, after, step int32) int32 {
	at := r.at
	raw := r.text(field)
	if raw == nil {
		r.fail(field, at, ErrLength) // null; no more than the first fault is noted
		return after
	}
	n := p.names.find(raw, after, step)
	if n < 0 {
		r.fail(field, at, ErrText)
		return after
	}
	return n
}

// names reads an array of names, as their numbers in p.
func (r *reader) names(field string, p *pool) []int32 {
	numbers := make([]int32, r.count(field, 2))
	at := int32(-1)
	for i := range numbers {
		at = r.name("", p, at, 1)
		if r.err != nil {
			r.within(field, i)
			return nil
		}
		numbers[i] = at
	}
	return numbers
}

// partitions reads an array of topics, each with an array of partitions. Topics without partitions say nothing and are left out, so
// nothing is lost when the list is written again.
func (r *reader) partitions(field string, p *pool) []strategy.TopicPartitions {
	start := r.at
	n := r.count(field, 6)
	if n == 0 {
		return nil
	}
	list, numbers := p.entries(n), p.numbers(r.left()/4)
	kept, used := 0, 0
	topic, step := int32(-1), int32(1)
	for i := range n {
		next, count := r.entry(p, topic, step)
		if r.err != nil {
			r.within(field, i)
			return nil
		}
		step, topic = next-topic, next
		if count == 0 {
			continue
		}
		from := used
		raw := r.data[r.at : r.at+4*count]
		for ; len(raw) >= 4; raw = raw[4:] {
			numbers[used] = int32(binary.BigEndian.Uint32(raw))
			used++
		}
		r.at += 4 * count
		list[kept] = strategy.TopicPartitions{Topic: p.names.list[topic], Partitions: numbers[from:used:used]}
		kept++
	}
	p.taken(kept, used)
	if kept == 0 {
		return nil
	}
	list = list[:kept:kept]
	p.partitions, p.raw = list, nil
	if kept == n {
		p.raw = r.data[start:r.at:r.at]
	}
	return list
}

// entry reads the topic of an entry, as [reader.name] does, and the number of its partitions. A large group has a million entries, so
// one that is as it should be, which nearly all are, is read without ado, and any other field by field.
func (r *reader) entry(p *pool, after, step int32) (topic int32, count int) {
	data := r.data[r.at:]
	if len(data) >= 6 {
		n := int(binary.BigEndian.Uint16(data))
		if n <= math.MaxInt16 && n <= len(data)-6 {
			name, head := data[2:2+n], 2+n+4
			count := int(int32(binary.BigEndian.Uint32(data[2+n:])))
			if count >= 0 && count <= (len(data)-head)/4 {
				guess := int(after) + int(step)
				if guess < 0 || guess >= len(p.names.list) || !p.names.is(int32(guess), name) {
					guess = int(p.names.find(name, after, 1))
				}
				if guess >= 0 {
					r.at += head
					return int32(guess), count
				}
			}
		}
	}
	topic = r.name("topic", p, after, step)
	return topic, r.count("partitions", 4)
}

// rack reads a string that may be null, which is "".
func (r *reader) rack(field string, p *pool) string {
	at := r.at
	raw := r.text(field)
	if len(raw) == 0 {
		return ""
	}
	if !utf8.Valid(raw) {
		r.fail(field, at, ErrText)
		return ""
	}
	return p.rack(raw)
}
