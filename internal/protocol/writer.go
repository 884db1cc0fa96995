package protocol

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// Everything is measured before it is written: sizes are what encoders allocate, and measuring is where a value that has no place in a
// format is refused, so that the append functions cannot fail.

func sizeText(what, s string) (int, error) {
	if len(s) > math.MaxInt16 {
		return 0, fmt.Errorf("%s of %d bytes; %d is the most: %w", what, len(s), math.MaxInt16, ErrLimit)
	}
	return 2 + len(s), nil
}

func sizeTopics(list []string) (int, error) {
	size := 4
	for _, name := range list {
		n, err := sizeText("a topic's name", name)
		if err != nil {
			return 0, err
		}
		size += n
	}
	return size, nil
}

// sizePartitions measures a list and counts its topics that have partitions, as the others are not written.
func sizePartitions(list []strategy.TopicPartitions) (size, topics int, err error) {
	size = 4
	for i := range list {
		tp := &list[i]
		if len(tp.Partitions) == 0 {
			continue
		}
		n, err := sizeText("a topic's name", tp.Topic)
		if err != nil {
			return 0, 0, err
		}
		size += n + 4 + 4*len(tp.Partitions)
		topics++
	}
	return size, topics, nil
}

func sizeBytes(data []byte) int { return 4 + len(data) }

func appendText(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(s)))
	return append(b, s...)
}

// appendBytes writes nil as null.
func appendBytes(b, data []byte) []byte {
	if data == nil {
		return binary.BigEndian.AppendUint32(b, math.MaxUint32)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}

func appendTopics(b []byte, list []string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(list)))
	for _, name := range list {
		b = appendText(b, name)
	}
	return b
}

// appendPartitions writes a list in its own order; topics is what sizePartitions counted.
func appendPartitions(b []byte, list []strategy.TopicPartitions, topics int) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(topics))
	for i := range list {
		tp := &list[i]
		if len(tp.Partitions) == 0 {
			continue
		}
		b = appendText(b, tp.Topic)
		b = binary.BigEndian.AppendUint32(b, uint32(len(tp.Partitions)))
		for _, p := range tp.Partitions {
			b = binary.BigEndian.AppendUint32(b, uint32(p))
		}
	}
	return b
}

// sortedTopics returns the list sorted, itself if it is already.
func sortedTopics(list []string) []string {
	if slices.IsSorted(list) {
		return list
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// sortedPartitions returns the list sorted by topic and partition, each topic once, itself if it is like that already.
func sortedPartitions(list []strategy.TopicPartitions) []strategy.TopicPartitions {
	tidy := true
	for i := range list {
		tidy = tidy && (i == 0 || list[i-1].Topic < list[i].Topic) && slices.IsSorted(list[i].Partitions)
	}
	if tidy {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b strategy.TopicPartitions) int { return cmp.Compare(a.Topic, b.Topic) })
	kept := list[:0]
	for _, tp := range list {
		if n := len(kept); n > 0 && kept[n-1].Topic == tp.Topic {
			kept[n-1].Partitions = slices.Concat(kept[n-1].Partitions, tp.Partitions)
			continue
		}
		kept = append(kept, tp)
	}
	for i := range kept {
		if !slices.IsSorted(kept[i].Partitions) {
			kept[i].Partitions = slices.Clone(kept[i].Partitions)
			slices.Sort(kept[i].Partitions)
		}
	}
	return kept
}

// appendNullable writes "" as null.
func appendNullable(b []byte, s string) []byte {
	if s == "" {
		return binary.BigEndian.AppendUint16(b, math.MaxUint16)
	}
	return appendText(b, s)
}

// grow makes room for n bytes: exactly so many if there was nothing, as slices.Grow does not.
func grow(b []byte, n int) []byte {
	if cap(b) == 0 {
		return make([]byte, 0, n)
	}
	return slices.Grow(b, n)
}
