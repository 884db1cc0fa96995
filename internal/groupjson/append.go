package groupjson

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/assignkit/assignkit/strategy"
)

// AppendAnswer appends the line for an answer, without a newline: members by id, reasons, topics by name, partitions by number.
func AppendAnswer(dst []byte, a *strategy.Assignment) []byte {
	dst = append(dst, `{"assignment":`...)
	dst = AppendAssignment(dst, a)
	dst = append(dst, `,"unassigned":`...)
	dst = AppendUnassigned(dst, a.Unassigned)
	dst = AppendStopped(dst, a)
	return append(dst, '}')
}

// AppendStopped appends the field that says at what the assignor's budget ended, and the comma before it, if it did.
func AppendStopped(dst []byte, a *strategy.Assignment) []byte {
	if a.Stopped == "" {
		return dst
	}
	return AppendString(append(dst, `,"stopped":`...), a.Stopped)
}

// AppendError appends the line for an answer that could not be given, without a newline.
func AppendError(dst []byte, err error) []byte {
	dst = append(dst, `{"error":`...)
	dst = AppendString(dst, err.Error())
	return append(dst, '}')
}

// AppendAssignment appends the object of members, each with the object of its partitions.
func AppendAssignment(dst []byte, a *strategy.Assignment) []byte {
	ids := slices.Sorted(maps.Keys(a.Members))
	size := 0
	for _, id := range ids {
		size += len(id) + 8
		for k := range a.Members[id] {
			size += len(a.Members[id][k].Topic) + 8 + 6*len(a.Members[id][k].Partitions)
		}
	}
	dst = append(slices.Grow(dst, size), '{')
	for i, id := range ids {
		dst = appendKey(dst, i, id)
		dst = AppendPartitions(dst, a.Members[id])
	}
	return append(dst, '}')
}

// AppendPartitions appends the object of topics, each with its partition numbers. The list need not be sorted, and may name a
// topic several times.
func AppendPartitions(dst []byte, list []strategy.TopicPartitions) []byte {
	list = sorted(list)
	dst = append(dst, '{')
	for i := range list {
		dst = appendKey(dst, i, list[i].Topic)
		dst = appendNumbers(dst, list[i].Partitions)
	}
	return append(dst, '}')
}

// AppendUnassigned appends the object of reasons, each with the object of the partitions that nobody gets for it. The list need not be
// sorted.
func AppendUnassigned(dst []byte, list []strategy.Unassigned) []byte {
	byReason := map[strategy.Reason][]strategy.Unassigned{}
	for _, u := range list {
		byReason[u.Reason] = append(byReason[u.Reason], u)
	}
	dst = append(dst, '{')
	for i, reason := range slices.Sorted(maps.Keys(byReason)) {
		of := byReason[reason]
		slices.SortFunc(of, func(a, b strategy.Unassigned) int {
			return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
		})
		var partitions []strategy.TopicPartitions
		for _, u := range of {
			if n := len(partitions); n == 0 || partitions[n-1].Topic != u.Topic {
				partitions = append(partitions, strategy.TopicPartitions{Topic: u.Topic})
			}
			last := &partitions[len(partitions)-1].Partitions
			*last = append(*last, u.Partition)
		}
		dst = appendKey(dst, i, string(reason))
		dst = AppendPartitions(dst, partitions)
	}
	return append(dst, '}')
}

// AppendString appends s as a JSON string. What is not UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0 // what stands before is appended
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, `\n`...)
			case '\t':
				dst = append(dst, `\t`...)
			case '\r':
				dst = append(dst, `\r`...)
			default:
				dst = append(dst, `\u00`...)
				dst = append(dst, hex[c>>4], hex[c&15])
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, s[from:i]...)
			dst = append(dst, `\ufffd`...)
			from = i + n
		case escaped(r):
			dst = append(dst, s[from:i]...)
			dst = append(dst, `\u`...)
			dst = append(dst, hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
			from = i + n
		}
		i += n
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// escaped says whether a character is written as an escape, although JSON does not ask for it: line ends to some readers of lines, what
// terminals act on, what turns the order of a line around, and what YAML does not allow.
func escaped(r rune) bool {
	switch {
	case r >= 0x80 && r <= 0x9f, r == 0x2028, r == 0x2029:
		return true
	case r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r == 0xfeff || r == 0xfffe || r == 0xffff
}

// appendKey appends the comma before all entries of an object but the first, and the key.
func appendKey(dst []byte, i int, key string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = AppendString(dst, key)
	return append(dst, ':')
}

func appendNumbers(dst []byte, list []int32) []byte {
	dst = append(dst, '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumber(dst, n)
	}
	return append(dst, ']')
}

// appendNumber is strconv.AppendInt, in half the time for what partition numbers mostly are.
func appendNumber(dst []byte, n int32) []byte {
	switch {
	case uint32(n) < 10:
		return append(dst, byte('0'+n))
	case uint32(n) < 100:
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	case uint32(n) < 1000:
		return append(dst, byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
	case uint32(n) < 10000:
		return append(dst, byte('0'+n/1000), byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// sorted returns the list with each topic once, by name, its partitions by number: the list itself if it is that already.
func sorted(list []strategy.TopicPartitions) []strategy.TopicPartitions {
	for i := range list {
		if i > 0 && list[i-1].Topic >= list[i].Topic || !slices.IsSorted(list[i].Partitions) {
			return sortedCopy(list)
		}
	}
	return list
}

func sortedCopy(list []strategy.TopicPartitions) []strategy.TopicPartitions {
	byTopic := map[string][]int32{}
	for i := range list {
		byTopic[list[i].Topic] = append(byTopic[list[i].Topic], list[i].Partitions...)
	}
	out := make([]strategy.TopicPartitions, 0, len(byTopic))
	for _, topic := range slices.Sorted(maps.Keys(byTopic)) {
		slices.Sort(byTopic[topic])
		out = append(out, strategy.TopicPartitions{Topic: topic, Partitions: byTopic[topic]})
	}
	return out
}
