package protocol

import (
	"errors"
	"reflect"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

func TestDecodeSubscription(t *testing.T) {
	none := strategy.NoGeneration
	for _, test := range []struct {
		name, hex string
		want      Subscription
	}{
		{"no metadata", "", Subscription{Generation: none}},
		{"v1 that ends behind the user data", "0001 00000001 0003666f6f ffffffff", Subscription{Version: 1, Topics: []string{"foo"}, Generation: none}},
		{"v3 with bytes behind the rack", "0003 00000001 0003666f6f ffffffff 00000000 ffffffff ffff deadbeef",
			Subscription{Version: 3, Topics: []string{"foo"}, Generation: none}},
		{"v9 is read as v3", "0009 00000001 0003666f6f ffffffff 00000000 00000004 000161 00",
			Subscription{Version: 3, Topics: []string{"foo"}, Generation: 4, Rack: "a"}},
		{"v0 with what belongs to later versions", "0000 00000001 0003666f6f ffffffff 00000000 00000004",
			Subscription{Topics: []string{"foo"}, Generation: none}},
		{"null arrays", "0003 ffffffff ffffffff ffffffff 00000004 ffff", Subscription{Version: 3, Generation: 4}},
		{"null partitions", "0001 00000000 ffffffff 00000002 000174 ffffffff 000175 00000001 00000005",
			Subscription{Version: 1, Owned: []strategy.TopicPartitions{tp("u", 5)}, Generation: none}},
		{"empty user data is not null", "0000 00000000 00000000", Subscription{UserData: []byte{}, Generation: none}},
		{"a topic twice, in any order", "0000 00000003 000175 000174 000175 ffffffff", Subscription{Topics: []string{"u", "t", "u"}, Generation: none}},
		{"claims that are odd stay as they are", "0002 00000001 000174 ffffffff 00000002 000174 00000003 ffffffff 00000000 00000000 000174 00000001 7fffffff fffffff6",
			Subscription{Version: 2, Topics: []string{"t"}, Owned: []strategy.TopicPartitions{tp("t", -1, 0, 0), tp("t", 1<<31-1)}, Generation: -10}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := DecodeSubscription(unhex(t, test.hex))
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	subscription := func(b []byte) error { _, err := DecodeSubscription(b); return err }
	assignment := func(b []byte) error { _, err := DecodeAssignment(b); return err }
	sticky := func(b []byte) error { _, _, err := DecodeSticky(b); return err }
	for _, test := range []struct {
		name   string
		decode func([]byte) error
		hex    string
		want   DecodeError
	}{
		{"half a version", subscription, "00", DecodeError{"subscription", "version", 0, ErrTruncated}},
		{"version below 0", subscription, "ffff 00000000 ffffffff", DecodeError{"subscription", "version", 0, ErrVersion}},
		{"a topic array that ends early", subscription, "0000 00000002 0001 61", DecodeError{"subscription", "topics", 2, ErrTruncated}},
		{"a topic that ends early", subscription, "0000 00000001 0005 61626364", DecodeError{"subscription", "topics[0]", 6, ErrTruncated}},
		{"a null topic", subscription, "0000 00000002 0000 ffff 00000000", DecodeError{"subscription", "topics[1]", 8, ErrLength}},
		{"a topic that is not UTF-8", subscription, "0000 00000001 0001 ff ffffffff", DecodeError{"subscription", "topics[0]", 6, ErrText}},
		{"no user data", subscription, "0001 00000000", DecodeError{"subscription", "user data", 6, ErrTruncated}},
		{"user data of length -2", subscription, "0000 00000000 fffffffe", DecodeError{"subscription", "user data", 6, ErrLength}},
		{"2^31-1 topics", subscription, "0000 7fffffff 0000 0000 0000 0000 0000 0000 0000", DecodeError{"subscription", "topics", 2, ErrTruncated}},
		{"-2 topics", subscription, "0000 fffffffe", DecodeError{"subscription", "topics", 2, ErrLength}},
		{"v2 without owned partitions", subscription, "0002 00000000 ffffffff", DecodeError{"subscription", "owned partitions", 10, ErrTruncated}},
		{"v2 without a generation", subscription, "0002 00000000 ffffffff 00000000", DecodeError{"subscription", "generation", 14, ErrTruncated}},
		{"v3 without a rack", subscription, "0003 00000000 ffffffff 00000000 00000000", DecodeError{"subscription", "rack", 18, ErrTruncated}},
		{"a rack that is not UTF-8", subscription, "0003 00000000 ffffffff 00000000 00000000 0001 80", DecodeError{"subscription", "rack", 18, ErrText}},
		{"2^31-1 owned topics", subscription, "0001 00000000 ffffffff 7fffffff 0000", DecodeError{"subscription", "owned partitions", 10, ErrTruncated}},
		{"2^31-1 owned partitions", subscription, "0001 00000000 ffffffff 00000001 000174 7fffffff 00000000",
			DecodeError{"subscription", "owned partitions[0].partitions", 17, ErrTruncated}},
		{"no assignment", assignment, "0000", DecodeError{"assignment", "partitions", 2, ErrTruncated}},
		{"no user data in an assignment", assignment, "0003 00000000", DecodeError{"assignment", "user data", 6, ErrTruncated}},
		{"an assignment of version -1", assignment, "ffff 00000000 ffffffff", DecodeError{"assignment", "version", 0, ErrVersion}},
		{"a null topic in sticky user data", sticky, "00000001 ffff 00000000", DecodeError{"sticky user data", "partitions[0].topic", 4, ErrLength}},
		{"sticky user data of one byte", sticky, "00", DecodeError{"sticky user data", "partitions", 0, ErrTruncated}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.decode(unhex(t, test.hex))
			var got *DecodeError
			if !errors.As(err, &got) || *got != test.want {
				t.Errorf("got %v\nwant %v", err, &test.want)
			}
			if !errors.Is(err, test.want.Err) {
				t.Errorf("%v is not %v", err, test.want.Err)
			}
		})
	}
}

func TestDecodeAssignment(t *testing.T) {
	for _, test := range []struct {
		name, hex string
		want      Assignment
	}{
		{"of a member that the leader left out", "", Assignment{}},
		{"with bytes behind it, of a version to come", "0004 00000001 000174 00000001 00000005 ffffffff 01",
			Assignment{Version: 3, Partitions: []strategy.TopicPartitions{tp("t", 5)}}},
		{"null", "0001 ffffffff ffffffff", Assignment{Version: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := DecodeAssignment(unhex(t, test.hex)); err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestRefusedToWrite(t *testing.T) {
	long := string(make([]byte, 1<<15))
	before := []byte("before")
	for name, write := range map[string]func() ([]byte, error){
		"subscription of version 4":  func() ([]byte, error) { return (&Subscription{Version: 4}).AppendBinary(before) },
		"subscription of version -1": func() ([]byte, error) { return (&Subscription{Version: -1}).AppendBinary(before) },
		"assignment of version 4":    func() ([]byte, error) { return (&Assignment{Version: 4}).AppendBinary(before) },
		"long topic":                 func() ([]byte, error) { return (&Subscription{Topics: []string{long}}).AppendBinary(before) },
		"long rack":                  func() ([]byte, error) { return (&Subscription{Version: 3, Rack: long}).AppendBinary(before) },
		"long claim": func() ([]byte, error) {
			return (&Subscription{Version: 1, Owned: []strategy.TopicPartitions{tp(long, 1)}}).AppendBinary(before)
		},
		"long assigned topic": func() ([]byte, error) {
			return (&Assignment{Partitions: []strategy.TopicPartitions{tp(long, 1)}}).AppendBinary(before)
		},
		"long sticky topic": func() ([]byte, error) { return AppendSticky(before, []strategy.TopicPartitions{tp(long, 1)}, 1) },
	} {
		if got, err := write(); err == nil || string(got) != "before" {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestClaims(t *testing.T) {
	inData, inSubscription := []strategy.TopicPartitions{tp("t", 1)}, []strategy.TopicPartitions{tp("t", 2)}
	v1, _ := AppendSticky(nil, inData, 5)
	v0 := v1[:len(v1)-4]
	garbage := []byte{1, 2, 3}
	four := AppendCooperativeSticky(nil, 4)
	ours, _ := (&UserData{}).AppendBinary(nil)
	for _, test := range []struct {
		name, wire string
		user       []byte
		generation int32
		want       []strategy.TopicPartitions
		at         int32
		fails      bool
	}{
		{"sticky, of the data", "sticky", v1, -1, inData, 5, false},
		{"sticky, of the data although the subscription has a generation", "sticky", v1, 6, inData, 5, false},
		{"sticky V0", "sticky", v0, -1, inData, -1, false},
		{"sticky without data", "sticky", nil, 6, inSubscription, 6, false},
		{"sticky with garbage", "sticky", garbage, -1, inSubscription, -1, true},
		{"cooperative, of the subscription", "cooperative-sticky", four, 6, inSubscription, 6, false},
		{"cooperative, generation of the data", "cooperative-sticky", four, -1, inSubscription, 4, false},
		{"cooperative with garbage", "cooperative-sticky", garbage, -1, inSubscription, -1, false},
		{"cooperative without data", "cooperative-sticky", nil, -1, inSubscription, -1, false},
		{"cooperative with this project's data", "cooperative-sticky", ours, -1, inSubscription, -1, false},
		{"another, which has no generation in its data", "range", four, -1, inSubscription, -1, false},
		{"another", "cooperative-range", v1, 6, inSubscription, 6, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Subscription{Version: 3, Topics: []string{"t"}, UserData: test.user, Owned: inSubscription, Generation: test.generation}
			owned, generation, err := s.Claims(test.wire)
			if !reflect.DeepEqual(owned, test.want) || generation != test.at || (err != nil) != test.fails {
				t.Errorf("got %v at %d, %v", owned, generation, err)
			}
		})
	}
}
