package protocol

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// Metadata that must not end a round, of one member beside a good one.
func TestOddMetadata(t *testing.T) {
	good := "0003 00000001 0003666f6f ffffffff 00000000 ffffffff ffff"
	for _, test := range []struct {
		name, hex       string
		reads, setAside bool
		err             error
	}{
		{name: "v1 without owned partitions", hex: "0001 00000001 0003666f6f ffffffff", reads: true},
		{name: "bytes after the known fields", hex: good + "deadbeef", reads: true},
		{name: "truncated topic array", hex: "0000 00000002 0001 61", setAside: true, err: ErrTruncated},
		{name: "empty", hex: "", err: ErrNoMetadata},
		{name: "negative version", hex: "8000", setAside: true, err: ErrVersion},
		{name: "2^31-1 topics in 20 bytes", hex: "0003 7fffffff 0003666f6f 0003666f6f 0003666f", setAside: true, err: ErrTruncated},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := DecodeJoin("cooperative-sticky", []JoinMember{{ID: "odd", Metadata: unhex(t, test.hex)}, {ID: "good", Metadata: unhex(t, good)}})
			g := j.Group("g", 1, "good", []strategy.Topic{{Name: "foo", Partitions: 2}, {Name: "unread", Partitions: 9}})
			a, err := sticky.Assignor{}.Assign(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			if err := strategy.Validate(g, &a, strategy.ProtocolEager); err != nil {
				t.Fatal(err)
			}
			out, err := j.EncodeAssignments(1, &a, nil)
			if err != nil || len(out) != 2 || out[0].ID != "good" || out[1].ID != "odd" {
				t.Fatalf("%v, %v", out, err)
			}
			want := map[string]int{"good": 2, "odd": 0}
			if test.reads {
				want = map[string]int{"good": 1, "odd": 1}
			}
			for _, m := range out {
				d, err := DecodeAssignment(m.Assignment)
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, tp := range d.Partitions {
					n += len(tp.Partitions)
				}
				if n != want[m.ID] {
					t.Errorf("%s gets %d partitions, want %d", m.ID, n, want[m.ID])
				}
			}
			switch {
			case test.err == nil && len(j.Remarks) > 0:
				t.Errorf("remarks %v", j.Remarks)
			case test.err != nil && (len(j.Remarks) != 1 || j.Remarks[0].Member != "odd" || j.Remarks[0].SetAside != test.setAside ||
				!errors.Is(j.Remarks[0].Err, test.err) || !strings.HasPrefix(j.Remarks[0].String(), `member "odd"`)):
				t.Errorf("remarks %v, want %v", j.Remarks, test.err)
			}
		})
	}
}

// Claims and members that are odd reach the assignor as they are, which makes the best of them.
func TestOddClaims(t *testing.T) {
	member := func(id string, topics []string, owned ...strategy.TopicPartitions) JoinMember {
		return JoinMember{ID: id, Metadata: metadata(t, Subscription{Version: 3, Topics: topics, Owned: owned, Generation: 3})}
	}
	one := []string{"t"}
	for _, test := range []struct {
		name       string
		partitions int32
		members    []JoinMember
		want       map[string]int
	}{
		{"negative partitions", 2, []JoinMember{member("a", one, tp("t", -1, 0)), member("b", one, tp("t", -2))}, map[string]int{"a": 1, "b": 1}},
		{"partitions that are gone", 2, []JoinMember{member("a", one, tp("t", 0, 7)), member("b", one, tp("t", 1))}, map[string]int{"a": 1, "b": 1}},
		{"the same member twice", 2, []JoinMember{member("a", one), member("a", one)}, map[string]int{"a": 2}},
		{"the same topic and the same partition twice", 4, []JoinMember{member("a", []string{"t", "t"}, tp("t", 0, 0, 1)), member("b", one)}, map[string]int{"a": 2, "b": 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := DecodeJoin(CooperativeStickyName, test.members)
			g := j.Group("g", 4, "a", []strategy.Topic{{Name: "t", Partitions: test.partitions}})
			a, err := sticky.Assignor{}.Assign(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			out, err := j.EncodeAssignments(4, &a, nil)
			if err != nil || len(out) != len(test.members) {
				t.Fatal(out, err)
			}
			for _, m := range out {
				if d, err := DecodeAssignment(m.Assignment); err != nil || len(d.Partitions) != 1 || len(d.Partitions[0].Partitions) != test.want[m.ID] {
					t.Errorf("%s gets %v, %v; want %d", m.ID, d.Partitions, err, test.want[m.ID])
				}
			}
		})
	}
}

// metadata writes a subscription.
func metadata(t *testing.T, s Subscription) []byte {
	t.Helper()
	raw, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestDecodeJoin(t *testing.T) {
	user, err := (&UserData{
		Labels: map[string]string{"tier": "gold"}, Capacity: 3, Draining: true, Releasing: []strategy.TopicPartitions{tp("t", 1)},
		Expecting: []strategy.TopicPartitions{tp("t", 0)}, Follows: true, Started: time.UnixMilli(5), Assignor: []byte("mine"),
	}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	broken := append([]byte(nil), user[:len(user)-1]...)
	both := []string{"t", "u"}
	j := DecodeJoin("rules", []JoinMember{
		{ID: "d", Metadata: metadata(t, Subscription{Version: 3, Topics: both, UserData: broken})},
		{ID: "c", Metadata: metadata(t, Subscription{Version: 3, Topics: both, UserData: user, Rack: "r", Generation: 4, Owned: []strategy.TopicPartitions{tp("t", 1), tp("gone", 2)}})},
		{ID: "b", InstanceID: "i", Metadata: metadata(t, Subscription{Version: 1, Topics: both, UserData: []byte("raw")})},
		{ID: "a", Metadata: unhex(t, "0003 00000004 000175 000173 000174 000173 ffffffff 00000000 ffffffff 000172")},
		{ID: "e", Metadata: unhex(t, "0003 00000001 000178 ffffffff 00000001")}, // x: set aside
	})
	want := []strategy.Member{
		{ID: "b", InstanceID: "i", Topics: both, Generation: -1, UserData: []byte("raw")},
		{ID: "a", Topics: []string{"s", "t", "u"}, Generation: -1, Rack: "r"},
		{ID: "c", Topics: both, Generation: 4, Rack: "r", Owned: []strategy.TopicPartitions{tp("gone", 2), tp("t", 1)},
			Releasing: []strategy.TopicPartitions{tp("t", 1)}, Expecting: []strategy.TopicPartitions{tp("t", 0)}, Capacity: 3, Draining: true, Labels: map[string]string{"tier": "gold"}, UserData: []byte("mine")},
		{ID: "d", Topics: both},
		{ID: "e", Generation: -1},
	}
	if !reflect.DeepEqual(j.Members, want) {
		t.Errorf("members %+v\nwant %+v", j.Members, want)
	}
	if want := []string{"s", "t", "u"}; !reflect.DeepEqual(j.Topics, want) {
		t.Errorf("topics %v", j.Topics)
	}
	if want := []bool{false, false, true, false, false}; !reflect.DeepEqual(j.Follows, want) {
		t.Errorf("follows %v", j.Follows)
	}
	if want := []time.Time{{}, {}, time.UnixMilli(5), {}, {}}; !reflect.DeepEqual(j.Started, want) {
		t.Errorf("started %v", j.Started)
	}
	if len(j.Remarks) != 2 || j.Remarks[0].Member != "d" || j.Remarks[0].SetAside || j.Remarks[1].Member != "e" || !j.Remarks[1].SetAside {
		t.Errorf("remarks %v", j.Remarks)
	}
	if &j.Members[0].Topics[0] != &j.Members[2].Topics[0] || &j.Members[2].Topics[0] != &j.Members[3].Topics[0] {
		t.Error("equal subscriptions are not one slice")
	}
	g := j.Group("g", 5, "a", []strategy.Topic{{Name: "x"}, {Name: "u", Partitions: 1}, {Name: "t", Partitions: 2}})
	if want := []strategy.Topic{{Name: "t", Partitions: 2}, {Name: "u", Partitions: 1}}; !reflect.DeepEqual(g.Topics, want) {
		t.Errorf("topics of the group %v", g.Topics)
	}
	if g.Canonical() != g {
		t.Error("the group is not in order")
	}
}

func TestDecodeJoinSticky(t *testing.T) {
	owned := []strategy.TopicPartitions{tp("t", 1), tp("u", 0)}
	data, _ := AppendSticky(nil, owned, 3)
	j := DecodeJoin(StickyName, []JoinMember{
		{ID: "a", Metadata: metadata(t, Subscription{Version: 3, Topics: []string{"t", "u"}, UserData: data, Generation: 3})},
		{ID: "b", Metadata: metadata(t, Subscription{Version: 3, Topics: []string{"t", "u"}, UserData: []byte{1}, Generation: 3})},
	})
	if a := j.Members[0]; !reflect.DeepEqual(a.Owned, owned) || a.Generation != 3 {
		t.Errorf("a owns %v at %d", a.Owned, a.Generation)
	}
	if b := j.Members[1]; b.Owned != nil || b.UserData != nil || len(j.Remarks) != 1 || j.Remarks[0].SetAside {
		t.Errorf("b is %v, with remarks %v", b, j.Remarks)
	}
}

func TestEncodeAssignments(t *testing.T) {
	claim := []strategy.TopicPartitions{tp("t", 2, 0)} // odd on purpose: it must be written as it was claimed
	for _, name := range []string{StickyName, "range"} {
		s := Subscription{Version: 3, Topics: []string{"t"}, Generation: 1}
		if name == StickyName {
			s.UserData, _ = AppendSticky(nil, claim, 1)
		} else {
			s.Owned = claim
		}
		j := DecodeJoin(name, []JoinMember{
			{ID: "a", Metadata: metadata(t, s)}, {ID: "b", Metadata: metadata(t, s)}, {ID: "c", Metadata: metadata(t, s)}, {ID: "d", Metadata: metadata(t, s)},
		})
		a := &strategy.Assignment{
			Members: map[string][]strategy.TopicPartitions{
				"a": j.Members[0].Owned, "b": {tp("t", 7), tp("empty"), tp("u", 1)}, "c": j.Members[2].Owned[:0], "stranger": {tp("t", 1)},
			},
			UserData: map[string][]byte{"b": []byte("for b"), "d": {}},
		}
		followUp := &FollowUp{After: 400 * time.Millisecond, Grace: 60 * time.Millisecond}
		out, err := j.EncodeAssignments(9, a, map[string]UserData{"a": {FollowUp: followUp}, "b": {Coming: []strategy.TopicPartitions{tp("t", 3)}}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]strategy.TopicPartitions{j.Members[0].Owned, {tp("t", 7), tp("u", 1)}, nil, nil} {
			got, err := DecodeAssignment(out[i].Assignment)
			if err != nil || got.Version != Newest || !reflect.DeepEqual(got.Partitions, want) {
				t.Errorf("%s: %s gets %v, %v; want %v", name, out[i].ID, got, err, want)
			}
			again, err := got.AppendBinary(nil)
			if err != nil || string(again) != string(out[i].Assignment) || cap(out[i].Assignment) != len(out[i].Assignment) {
				t.Errorf("%s: %s is sent %x, want %x", name, out[i].ID, out[i].Assignment, again)
			}
			if name == StickyName {
				owned, generation, err := DecodeSticky(got.UserData)
				if err != nil || generation != 9 || !reflect.DeepEqual(owned, want) {
					t.Errorf("%s is sent %v at %d, %v", out[i].ID, owned, generation, err)
				}
				continue
			}
			u, ok, err := DecodeUserData(got.UserData)
			if want := []UserData{{FollowUp: followUp}, {Coming: []strategy.TopicPartitions{tp("t", 3)}, Assignor: []byte("for b")}, {}, {Assignor: []byte{}}}[i]; ok == (i == 2) || err != nil || !reflect.DeepEqual(u, want) {
				t.Errorf("%s is sent %+v, %v, %v; want %+v", out[i].ID, u, ok, err, want)
			}
		}
	}
}

func TestEncodeAssignmentsTooLarge(t *testing.T) {
	j := DecodeJoin("range", []JoinMember{{ID: "a"}})
	for name, a := range map[string]*strategy.Assignment{
		"user data": {UserData: map[string][]byte{"a": make([]byte, MaxUserData)}},
		"topic":     {Members: map[string][]strategy.TopicPartitions{"a": {tp(strings.Repeat("x", 1<<15), 1)}}},
	} {
		if _, err := j.EncodeAssignments(1, a, nil); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), `member "a"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What an eager member had counts as its claim, where nothing else does.
func TestPrevious(t *testing.T) {
	user, err := (&UserData{Previous: &Previous{Generation: 6, Partitions: []strategy.TopicPartitions{tp("t", 1, 2)}}}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	own := []strategy.TopicPartitions{tp("t", 0)}
	for _, test := range []struct {
		name, wire string
		owned      []strategy.TopicPartitions
		want       []strategy.TopicPartitions
		generation int32
	}{
		{"gave everything up", "range", nil, []strategy.TopicPartitions{tp("t", 1, 2)}, 6},
		{"claims something", "range", own, own, 8},
		{"keeps what it has", "cooperative-range", nil, nil, 8},
	} {
		s := Subscription{Version: Newest, Topics: []string{"t"}, Owned: test.owned, Generation: 8, UserData: user}
		j := DecodeJoin(test.wire, []JoinMember{{ID: "a", Metadata: metadata(t, s)}})
		if m := j.Members[0]; !reflect.DeepEqual(m.Owned, test.want) || m.Generation != test.generation {
			t.Errorf("%s: %v at %d, want %v at %d", test.name, m.Owned, m.Generation, test.want, test.generation)
		}
	}
}
