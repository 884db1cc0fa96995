package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// bounded fails the test if decode allocates out of proportion to size bytes of input, and runs it.
func bounded(t *testing.T, size int, decode func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	decode()
	runtime.ReadMemStats(&after)
	// 40 bytes for an entry of 6, 100 for a name of 3 or 4 that is new; and what runs beside the test.
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(64*size+64<<10); got > most {
		t.Errorf("%d bytes are allocated for %d of input", got, size)
	}
}

// The worst that can be said in few bytes.
func TestBounded(t *testing.T) {
	array := func(n int, entry func(i int) string) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(n))
		for i := range n {
			b = append(b, entry(i)...)
		}
		return b
	}
	name := func(i int) string {
		return "\x00\x03" + string([]byte{byte(i) & 127, byte(i>>7) & 127, byte(i>>14) & 127})
	}
	subscription := func(topics, owned []byte) []byte {
		return slices.Concat([]byte("\x00\x01"), topics, []byte("\xff\xff\xff\xff"), owned)
	}
	for what, data := range map[string][]byte{
		"empty names":     subscription(array(1<<17, func(int) string { return "\x00\x00" }), nil),
		"many names":      subscription(array(1<<17, name), nil),
		"names backwards": subscription(array(1<<17, func(i int) string { return name(1<<17 - i) }), nil),
		"empty topics":    subscription(make([]byte, 4), array(1<<17, func(int) string { return "\x00\x00\x00\x00\x00\x00" })),
		"topics of one":   subscription(make([]byte, 4), array(1<<17, func(int) string { return "\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00" })),
		"a lie at last":   subscription(make([]byte, 4), array(1<<17, func(i int) string { return "\x00\x00\x00\x00\x00" + string(rune(i>>16)) })),
	} {
		t.Run(what, func(t *testing.T) {
			bounded(t, len(data), func() { DecodeSubscription(data) })
			members := make([]JoinMember, 20)
			for i := range members {
				members[i] = JoinMember{ID: string(rune('a' + i)), Metadata: data[:len(data)-i*1000]}
			}
			bounded(t, len(members)*len(data), func() { DecodeJoin("range", members) })
		})
	}
}

// seed adds everything that Java wrote, and the odd things that others do.
func seed(f *testing.F, more ...string) {
	f.Helper()
	file, err := os.ReadFile("../../testdata/cases/java-wire.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`"hex":"([0-9a-f]*)"`).FindAllSubmatch(file, -1) {
		f.Add(unhex(f, string(found[1])))
	}
	for _, hex := range more {
		f.Add(unhex(f, hex))
	}
}

// checkError demands that an error say where.
func checkError(t *testing.T, data []byte, err error) {
	t.Helper()
	var e *DecodeError
	if !errors.As(err, &e) || e.Format == "" || e.Field == "" || e.Err == nil || e.Offset < 0 || e.Offset > len(data) {
		t.Errorf("%x: %#v", data, err)
	}
}

func FuzzSubscription(f *testing.F) {
	seed(f, "0001 00000001 0003666f6f ffffffff", "0003 00000001 0003666f6f ffffffff 00000000 ffffffff ffff deadbeef", "0000 00000002 0001 61",
		"0003 7fffffff 0003666f6f 0003666f6f 0003666f", "0001 00000000 ffffffff 00000001 000174 7fffffff")
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Subscription
		var err error
		bounded(t, len(data), func() { s, err = DecodeSubscription(data) })
		if err != nil {
			checkError(t, data, err)
			return
		}
		raw, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeSubscription(raw)
		if want := written(s); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%+v is read again as %+v, %v", s, again, err)
		}
		for _, name := range []string{StickyName, CooperativeStickyName, "range"} {
			if _, _, err := s.Claims(name); err != nil {
				checkError(t, s.UserData, err)
			}
		}
	})
}

func FuzzAssignment(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Assignment
		var err error
		bounded(t, len(data), func() { a, err = DecodeAssignment(data) })
		if err != nil {
			checkError(t, data, err)
			return
		}
		raw, err := a.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := DecodeAssignment(raw); err != nil || !reflect.DeepEqual(again, a) {
			t.Errorf("%+v is read again as %+v, %v", a, again, err)
		}
	})
}

func FuzzSticky(f *testing.F) {
	seed(f, "00000002 0001 75 00000001 00000001 0002 7431 00000002 00000000 00000002", "ffffffff", "7fffffff 0000")
	f.Fuzz(func(t *testing.T, data []byte) {
		var owned []strategy.TopicPartitions
		var generation int32
		var err error
		bounded(t, len(data), func() { owned, generation, err = DecodeSticky(data) })
		if err != nil {
			checkError(t, data, err)
			return
		}
		raw, err := AppendSticky(nil, owned, generation)
		if err != nil {
			t.Fatal(err)
		}
		if again, at, err := DecodeSticky(raw); err != nil || at != generation || !reflect.DeepEqual(again, owned) {
			t.Errorf("%v at %d is read again as %v at %d, %v", owned, generation, again, at, err)
		}
	})
}

func FuzzUserData(f *testing.F) {
	seed(f, head+"00000000 ffffffff", head+"00000010 01 0000000b 0001 61 0001 78 0001 62 0000 00000002 6869",
		head+"00000020 02 00000004 00000005 03 00000000 04 00000008 00000190 0000003c f0 00000000 ffffffff",
		head+"00000014 05 0000000f 00000001 0001 74 00000001 00000002 ffffffff",
		head+"00000018 07 00000013 00000009 00000001 0001 74 00000001 00000002 ffffffff")
	f.Fuzz(func(t *testing.T, data []byte) {
		var u UserData
		var ok bool
		var err error
		bounded(t, len(data), func() { u, ok, err = DecodeUserData(data) })
		if err != nil {
			checkError(t, data, err)
		}
		if err != nil || !ok {
			if !reflect.DeepEqual(u, UserData{}) {
				t.Errorf("%x: %+v with %v, %v", data, u, ok, err)
			}
			return
		}
		raw, err := u.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, ok, err := DecodeUserData(raw); !ok || err != nil || !reflect.DeepEqual(again, u) {
			t.Errorf("%+v is read again as %+v, %v, %v", u, again, ok, err)
		}
	})
}

// Members of any kind, each a byte of flags, two of length and so many of metadata, say together what each of them says alone.
func FuzzLeader(f *testing.F) {
	one := func(flags byte, hex string) []byte {
		raw := unhex(f, hex)
		return append(binary.BigEndian.AppendUint16([]byte{flags}, uint16(len(raw))), raw...)
	}
	good := "0003 00000002 000174 000175 ffffffff 00000001 000174 00000002 00000000 00000001 00000004 000161"
	f.Add(bytes.Join([][]byte{one(0, good), one(0, "0000 00000002 0001 61"), one(1, good), one(0, ""), one(0, "0001 00000001 0003666f6f ffffffff")}, nil))
	f.Add(bytes.Join([][]byte{one(2, good), one(2, "0000 00000001 000174 00000014 00000001 000174 00000001 00000001 00000005 ff")}, nil))
	f.Add(bytes.Join([][]byte{one(4, good), one(0, "0002 00000002 000175 000174 00000010"+head+"00000009 02 00000004 00000005 ffffffff 00000000 00000001"), one(8, good)}, nil))
	f.Add(bytes.Join([][]byte{one(0, "0003 00000001 000174 00000029"+head+"00000018 07 00000013 00000009 00000001 0001 74 00000001 00000002 ffffffff 00000000 0000000a ffff"),
		one(0, good)}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		members, name := split(data)
		var j *Join
		bounded(t, len(data)+64*len(members), func() { j = DecodeJoin(name, members) })
		topics := map[string]bool{}
		remarks := map[string]error{}
		for _, r := range j.Remarks {
			remarks[r.Member] = r.Err
		}
		for i := range members {
			at := slices.IndexFunc(j.Members, func(m strategy.Member) bool { return m.ID == members[i].ID })
			alone(t, name, &members[i], &j.Members[at], remarks[members[i].ID], topics)
		}
		if len(topics) != len(j.Topics) || !slices.IsSorted(j.Topics) || slices.ContainsFunc(j.Topics, func(s string) bool { return !topics[s] }) {
			t.Errorf("topics %q, want %v", j.Topics, topics)
		}
		lead(t, j)
	})
}

// split makes members of fuzzed data, whose first byte also names the assignor.
func split(data []byte) (members []JoinMember, name string) {
	name = "range"
	if len(data) > 0 {
		name = []string{"range", StickyName, CooperativeStickyName}[data[0]/2%3]
	}
	for len(data) >= 3 {
		n := min(int(binary.BigEndian.Uint16(data[1:])), len(data)-3)
		m := JoinMember{ID: string(rune('a' + len(members))), Metadata: data[3 : 3+n]}
		if data[0]&1 != 0 {
			m.InstanceID = "i" + m.ID
		}
		members = append(members, m)
		data = data[3+n:]
	}
	return members, name
}

// alone compares what a member says in the group with what it says alone, and adds the topics that it reads.
func alone(t *testing.T, name string, from *JoinMember, m *strategy.Member, remark error, topics map[string]bool) {
	t.Helper()
	s, err := DecodeSubscription(from.Metadata)
	if err != nil {
		if want := (strategy.Member{ID: from.ID, InstanceID: from.InstanceID, Generation: -1}); !reflect.DeepEqual(*m, want) || !reflect.DeepEqual(remark, err) {
			t.Errorf("%+v for %v, remark %v", m, err, remark)
		}
		return
	}
	for _, topic := range s.Topics {
		topics[topic] = true
	}
	owned, generation, badSticky := s.Claims(name)
	if u, ok, err := DecodeUserData(s.UserData); ok && err == nil && u.Previous != nil && len(owned) == 0 && name == "range" {
		owned, generation = u.Previous.Partitions, u.Previous.Generation
	}
	if !reflect.DeepEqual(m.Owned, owned) || m.Generation != generation || m.Rack != s.Rack {
		t.Errorf("%+v owns %v at %d in the group, rack %q", s, m.Owned, m.Generation, m.Rack)
	}
	if want := slices.Compact(slices.Sorted(slices.Values(s.Topics))); !slices.Equal(m.Topics, want) {
		t.Errorf("%+v reads %q in the group", s, m.Topics)
	}
	u, ours, badData := DecodeUserData(s.UserData)
	if name == StickyName || !ours {
		u = UserData{Assignor: s.UserData}
		badData = badSticky
	}
	if badData != nil {
		u = UserData{}
	}
	if !reflect.DeepEqual(m.Labels, u.Labels) || m.Capacity != u.Capacity || m.Draining != u.Draining || !reflect.DeepEqual(m.UserData, u.Assignor) {
		t.Errorf("%+v is %+v in the group", s, m)
	}
	if badData != nil && !reflect.DeepEqual(remark, badData) || badData == nil && (remark == nil) != (len(from.Metadata) > 0) {
		t.Errorf("%+v has the remark %v", s, remark)
	}
}

// lead demands that the group make sense to assignors, and that giving everybody what it claims be written as it is elsewhere.
func lead(t *testing.T, j *Join) {
	t.Helper()
	topics := make([]strategy.Topic, 0, len(j.Topics))
	for _, topic := range j.Topics {
		if topic != "" {
			topics = append(topics, strategy.Topic{Name: topic, Partitions: 3})
		}
	}
	g := j.Group("g", 9, "", topics)
	if _, err := strategy.Tabulate(g); err != nil || g.Canonical() != g {
		t.Errorf("%v; canonical: %v", err, g.Canonical() == g)
	}
	a := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	for i := range j.Members {
		a.Members[j.Members[i].ID] = j.Members[i].Owned
	}
	out, err := j.EncodeAssignments(9, &a, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		want := Assignment{Version: Newest, Partitions: j.Members[i].Owned}
		if j.name == StickyName {
			want.UserData, _ = AppendSticky(nil, want.Partitions, 9)
		}
		if raw, err := want.AppendBinary(nil); err != nil || !bytes.Equal(raw, out[i].Assignment) {
			t.Errorf("%+v is written as %x, want %x, %v", want, out[i].Assignment, raw, err)
		}
	}
}
