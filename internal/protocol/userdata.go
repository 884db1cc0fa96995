// User data: what members and leaders of this project add to subscriptions and assignments.
//
//	version 1  labels, capacity, draining, follow-up, coming, releasing, previous, expecting, follows, started; the
//	           assignor's own part

package protocol

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/assignkit/assignkit/strategy"
)

// Limits of [UserData].
const (
	MaxUserData   = 64 << 10 // bytes in all
	MaxLabels     = 64
	MaxLabelKey   = 255 // bytes; the least is 1
	MaxLabelValue = 512 // bytes
)

// UserData is the user data of subscriptions and assignments for every wire name but [StickyName], whose user data is Java's. Its zero
// value says nothing.
//
// The layout is fixed, as programs of other versions read it. Integers are big-endian.
//
//	offset  bytes  content
//	0       4      ff ff ff ff: int32 -1, where Java's cooperative-sticky reads a generation: none
//	4       4      61 6b 69 74: "akit"
//	8       1      version: 1
//	9       4      int32 F, at least 0
//	13      F      the framework's part: items, by ascending tag, none twice
//	13+F    4      int32 A, at least 0, or -1 where the assignor sends nothing
//	17+F    A      the assignor's own part, opaque
//
//	item:  uint8 tag | int32 length | so many bytes of value
//
//	tag  name       value
//	1    labels     for each label, by ascending key: int16 length | key | int16 length | value
//	2    capacity   int32, from 1 to 2^20-1; without it 1
//	3    draining   nothing
//	4    follow-up  int32 after | int32 grace, both in milliseconds, at least 0
//	5    coming     int32 count | { int16 length | topic | int32 count | int32 partitions }
//	6    releasing  the same
//	7    previous   int32 generation | as coming
//	8    expecting  as coming
//	9    follows    nothing
//	10   started    int64 milliseconds since 1970, more than 0
//
// Readers pass over items with other tags, bytes behind what they know of a value (but labels take all of theirs), and bytes behind the
// assignor's part, so all three may grow within version 1. What another version contains is not known.
type UserData struct {
	// Of a member, in subscriptions.
	Labels    map[string]string          // what the member says about itself
	Capacity  int32                      // its share relative to others; 0 is not written and means 1
	Draining  bool                       // it is about to leave
	Releasing []strategy.TopicPartitions // what it still owns and gives up as soon as it can
	Previous  *Previous                  // what it had before it gave everything up to join, nil for nothing
	Expecting []strategy.TopicPartitions // what it was told was coming, and reads ahead
	Follows   bool                       // it does as a FollowUp says
	Started   time.Time                  // when the member began, by its own clock; zero is not written. In whole milliseconds: fractions are cut

	// Of the leader, in assignments.
	FollowUp *FollowUp                  // the round that follows, nil if none does
	Coming   []strategy.TopicPartitions // what the member is to get in it

	// Assignor is what the assignor sends, nil for nothing.
	Assignor []byte
}

// Previous is what an eager member had: it gives everything up before it joins, and an assignor can only let it keep its partitions if it
// says which they were. Java's sticky assignor has user data of its own for that, every other wire name has this.
type Previous struct {
	Generation int32 // in which the member was given the partitions
	Partitions []strategy.TopicPartitions
}

// FollowUp announces another round in which what was withheld is handed out. Times are since the assignment was received, in whole
// milliseconds: fractions are cut.
type FollowUp struct {
	After time.Duration // when members that give nothing up are to join it
	Grace time.Duration // how much longer those that do may go on
}

const (
	userDataHead    = "\xff\xff\xff\xffakit"
	userDataVersion = 1
)

const (
	tagLabels    = 1
	tagCapacity  = 2
	tagDraining  = 3
	tagFollowUp  = 4
	tagComing    = 5
	tagReleasing = 6
	tagPrevious  = 7
	tagExpecting = 8
	tagFollows   = 9
	tagStarted   = 10
)

// AppendBinary appends u to b, always in the same way for the same content. What is beyond the limits is refused with an error that
// wraps [ErrLimit], and labels that are not UTF-8 with one that wraps [ErrText]; b is then returned as it was.
func (u *UserData) AppendBinary(b []byte) ([]byte, error) {
	sizes, err := u.measure()
	if err != nil {
		return b, fmt.Errorf("user data: %w", err)
	}
	return u.append(grow(b, sizes.all()), sizes), nil
}

// userDataSizes are those of the parts that take work to measure.
type userDataSizes struct {
	keys                                   []string // of the labels, sorted
	labels                                 int
	coming, releasing, previous, expecting listSize
	framework, assignor                    int
}

func (s userDataSizes) all() int { return len(userDataHead) + 1 + 4 + s.framework + 4 + s.assignor }

// listSize is that of a list of partitions: in bytes, and how many topics in it have any.
type listSize struct{ bytes, topics int }

const itemHead = 1 + 4

// measure checks u.
func (u *UserData) measure() (s userDataSizes, err error) {
	if err := u.checkLabels(); err != nil {
		return s, err
	}
	if u.Capacity < 0 || u.Capacity > strategy.MaxCapacity {
		return s, fmt.Errorf("capacity %d is not within 0..%d: %w", u.Capacity, strategy.MaxCapacity, ErrLimit)
	}
	if len(u.Labels) > 0 {
		s.keys = slices.Sorted(maps.Keys(u.Labels))
		for key, value := range u.Labels {
			s.labels += 2 + len(key) + 2 + len(value)
		}
		s.framework += itemHead + s.labels
	}
	if u.Capacity != 0 {
		s.framework += itemHead + 4
	}
	if u.Draining {
		s.framework += itemHead
	}
	if u.FollowUp != nil {
		if err := u.FollowUp.check(); err != nil {
			return s, err
		}
		s.framework += itemHead + 8
	}
	if u.Follows {
		s.framework += itemHead
	}
	if !u.Started.IsZero() {
		if u.Started.UnixMilli() < 1 {
			return s, fmt.Errorf("started at %v: %w", u.Started, ErrLimit)
		}
		s.framework += itemHead + 8
	}
	if err := u.measureLists(&s); err != nil {
		return s, err
	}
	s.assignor = len(u.Assignor)
	if all := s.all(); all > MaxUserData {
		return s, fmt.Errorf("%d bytes; %d is the most: %w", all, MaxUserData, ErrLimit)
	}
	return s, nil
}

// measureLists adds the sizes of lists of partitions.
func (u *UserData) measureLists(s *userDataSizes) (err error) {
	for _, l := range []struct {
		list []strategy.TopicPartitions
		size *listSize
	}{{u.Coming, &s.coming}, {u.Releasing, &s.releasing}, {u.Expecting, &s.expecting}} {
		if len(l.list) > 0 {
			if l.size.bytes, l.size.topics, err = sizePartitions(l.list); err != nil {
				return err
			}
			s.framework += itemHead + l.size.bytes
		}
	}
	if u.Previous != nil {
		if s.previous.bytes, s.previous.topics, err = sizePartitions(u.Previous.Partitions); err != nil {
			return err
		}
		s.previous.bytes += 4
		s.framework += itemHead + s.previous.bytes
	}
	return nil
}

// checkLabels returns an error for the first label, by key, that may not be there.
func (u *UserData) checkLabels() error {
	if len(u.Labels) > MaxLabels {
		return fmt.Errorf("%d labels; %d is the most: %w", len(u.Labels), MaxLabels, ErrLimit)
	}
	for _, key := range slices.Sorted(maps.Keys(u.Labels)) {
		if err := checkLabel(key, u.Labels[key]); err != nil {
			return fmt.Errorf("label %q: %w", key, err)
		}
	}
	return nil
}

func checkLabel(key, value string) error {
	switch {
	case key == "" || len(key) > MaxLabelKey || len(value) > MaxLabelValue:
		return ErrLimit
	case !utf8.ValidString(key) || !utf8.ValidString(value):
		return ErrText
	}
	return nil
}

func (f *FollowUp) check() error {
	for _, d := range []time.Duration{f.After, f.Grace} {
		if d < 0 || d.Milliseconds() > math.MaxInt32 {
			return fmt.Errorf("follow-up in %v: %w", d, ErrLimit)
		}
	}
	return nil
}

func (u *UserData) append(b []byte, s userDataSizes) []byte {
	item := func(tag byte, size int) {
		b = binary.BigEndian.AppendUint32(append(b, tag), uint32(size))
	}
	b = append(append(b, userDataHead...), userDataVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(s.framework))
	if len(s.keys) > 0 {
		item(tagLabels, s.labels)
		for _, key := range s.keys {
			b = appendText(appendText(b, key), u.Labels[key])
		}
	}
	if u.Capacity != 0 {
		item(tagCapacity, 4)
		b = binary.BigEndian.AppendUint32(b, uint32(u.Capacity))
	}
	if u.Draining {
		item(tagDraining, 0)
	}
	if u.FollowUp != nil {
		item(tagFollowUp, 8)
		b = binary.BigEndian.AppendUint32(b, uint32(u.FollowUp.After.Milliseconds()))
		b = binary.BigEndian.AppendUint32(b, uint32(u.FollowUp.Grace.Milliseconds()))
	}
	list := func(tag byte, list []strategy.TopicPartitions, size listSize) {
		if len(list) > 0 {
			item(tag, size.bytes)
			b = appendPartitions(b, list, size.topics)
		}
	}
	list(tagComing, u.Coming, s.coming)
	list(tagReleasing, u.Releasing, s.releasing)
	if u.Previous != nil {
		item(tagPrevious, s.previous.bytes)
		b = binary.BigEndian.AppendUint32(b, uint32(u.Previous.Generation))
		b = appendPartitions(b, u.Previous.Partitions, s.previous.topics)
	}
	list(tagExpecting, u.Expecting, s.expecting)
	if u.Follows {
		item(tagFollows, 0)
	}
	if !u.Started.IsZero() {
		item(tagStarted, 8)
		b = binary.BigEndian.AppendUint64(b, uint64(u.Started.UnixMilli()))
	}
	return appendBytes(b, u.Assignor)
}

// DecodeUserData reads user data. Assignor is part of data, nothing else is.
//
// ok is false if data is not this project's, or of a version that is not known, so that it is the assignor's to understand, as it is. An
// error is a [*DecodeError] about data that is this project's but makes no sense: nothing in it is to be believed.
func DecodeUserData(data []byte) (u UserData, ok bool, err error) {
	return decodeUserData(data, &pool{})
}

func decodeUserData(data []byte, p *pool) (UserData, bool, error) {
	if len(data) <= len(userDataHead) || !bytes.HasPrefix(data, []byte(userDataHead)) || data[len(userDataHead)] != userDataVersion {
		return UserData{}, false, nil
	}
	r := reader{format: "user data", data: data, at: len(userDataHead) + 1}
	if len(data) > MaxUserData {
		r.fail("length", 0, ErrLimit)
	}
	var u UserData
	at := r.at
	framework := r.bytes("framework's part")
	if framework == nil {
		r.fail("framework's part", at, ErrLength)
	}
	end := r.at
	u.Assignor = r.bytes("assignor's part")
	if r.err != nil {
		return UserData{}, true, r.err
	}
	items := reader{format: r.format, data: data[:end], at: end - len(framework)}
	u.items(&items, p)
	if items.err != nil {
		return UserData{}, true, items.err
	}
	return u, true, nil
}

// items reads the framework's part.
func (u *UserData) items(r *reader, p *pool) {
	last := uint8(0)
	for first := true; r.left() > 0; first = false {
		at := r.at
		tag := r.int8("tag")
		value := r.bytes("value")
		switch {
		case r.err != nil:
			return
		case value == nil:
			r.fail("value", at+1, ErrLength)
			return
		case tag <= last && !first:
			r.fail("tag", at, ErrOrder)
			return
		}
		last = tag
		item := reader{format: r.format, data: r.data[:r.at], at: r.at - len(value)} // so that offsets are those of the whole
		u.item(tag, &item, p)
		if item.err != nil {
			r.err = item.err
			return
		}
	}
}

func (u *UserData) item(tag uint8, r *reader, p *pool) {
	switch tag {
	case tagLabels:
		u.Labels = r.labels()
	case tagCapacity:
		at := r.at
		if u.Capacity = r.int32("capacity"); u.Capacity < 1 || u.Capacity > strategy.MaxCapacity {
			r.fail("capacity", at, ErrLimit)
		}
	case tagDraining:
		u.Draining = true
	case tagFollowUp:
		at := r.at
		after, grace := r.int32("follow-up"), r.int32("follow-up")
		if after < 0 || grace < 0 {
			r.fail("follow-up", at, ErrLimit)
		}
		u.FollowUp = &FollowUp{After: time.Duration(after) * time.Millisecond, Grace: time.Duration(grace) * time.Millisecond}
	case tagComing:
		u.Coming = r.partitions("coming", p)
	case tagReleasing:
		u.Releasing = r.partitions("releasing", p)
	case tagPrevious:
		generation := r.int32("previous")
		u.Previous = &Previous{Generation: generation, Partitions: r.partitions("previous", p)}
	case tagExpecting:
		u.Expecting = r.partitions("expecting", p)
	case tagFollows:
		u.Follows = true
	case tagStarted:
		at := r.at
		since := r.int64("started")
		if since < 1 {
			r.fail("started", at, ErrLimit)
		}
		u.Started = time.UnixMilli(since)
	}
}

// labels reads labels to the end of the data.
func (r *reader) labels() map[string]string {
	labels := map[string]string{}
	last := ""
	for r.left() > 0 {
		at := r.at
		key, value := string(r.text("label's key")), string(r.text("label's value"))
		if r.err != nil {
			return nil
		}
		if err := checkLabel(key, value); err != nil {
			r.fail("label", at, err)
		} else if key <= last {
			r.fail("label", at, ErrOrder)
		} else if len(labels) == MaxLabels {
			r.fail("labels", at, ErrLimit)
		}
		labels[key], last = value, key
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}
