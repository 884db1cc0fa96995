package protocol

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// head is what all user data of version 1 begins with.
const head = "ffffffff 616b6974 01"

func TestUserData(t *testing.T) {
	for _, test := range []struct {
		name, hex string
		want      UserData
	}{
		{"nothing", head + "00000000 ffffffff", UserData{}},
		{"assignor", head + "00000000 00000002 6869", UserData{Assignor: []byte("hi")}},
		{"assignor that sends no bytes", head + "00000000 00000000", UserData{Assignor: []byte{}}},
		{"labels, sorted", head + "00000010 01 0000000b 0001 61 0001 78 0001 62 0000 ffffffff",
			UserData{Labels: map[string]string{"b": "", "a": "x"}}},
		{"capacity", head + "00000009 02 00000004 00000005 ffffffff", UserData{Capacity: 5}},
		{"draining", head + "00000005 03 00000000 ffffffff", UserData{Draining: true}},
		{"follow-up", head + "0000000d 04 00000008 00000190 0000003c ffffffff",
			UserData{FollowUp: &FollowUp{After: 400 * time.Millisecond, Grace: 60 * time.Millisecond}}},
		{"coming", head + "00000014 05 0000000f 00000001 0001 74 00000001 00000002 ffffffff", UserData{Coming: []strategy.TopicPartitions{tp("t", 2)}}},
		{"releasing", head + "00000014 06 0000000f 00000001 0001 74 00000001 00000002 ffffffff", UserData{Releasing: []strategy.TopicPartitions{tp("t", 2)}}},
		{"previous", head + "00000018 07 00000013 00000009 00000001 0001 74 00000001 00000002 ffffffff",
			UserData{Previous: &Previous{Generation: 9, Partitions: []strategy.TopicPartitions{tp("t", 2)}}}},
		{"previously nothing", head + "0000000d 07 00000008 00000009 00000000 ffffffff", UserData{Previous: &Previous{Generation: 9}}},
		{"expecting", head + "00000014 08 0000000f 00000001 0001 74 00000001 00000002 ffffffff", UserData{Expecting: []strategy.TopicPartitions{tp("t", 2)}}},
		{"follows", head + "00000005 09 00000000 ffffffff", UserData{Follows: true}},
		{"started", head + "0000000d 0a 00000008 0000019800000001 ffffffff", UserData{Started: time.UnixMilli(0x19800000001)}},
		{"several", head + "0000000e 02 00000004 00000005 03 00000000 00000001 21", UserData{Capacity: 5, Draining: true, Assignor: []byte("!")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			raw := unhex(t, test.hex)
			if got, err := test.want.AppendBinary(nil); err != nil || string(got) != string(raw) {
				t.Errorf("written as %x, %v\nwant %x", got, err, raw)
			}
			if got, ok, err := DecodeUserData(raw); !ok || err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("read as %+v, %v, %v", got, ok, err)
			}
			if g := DecodeCooperativeSticky(raw); g != strategy.NoGeneration {
				t.Errorf("generation %d", g)
			}
		})
	}
}

// What programs to come may add does not matter to this one.
func TestUserDataGrows(t *testing.T) {
	for _, test := range []struct {
		name, hex string
		want      UserData
	}{
		{"unknown items", head + "00000017 00 00000001 ff 02 00000004 00000005 f0 00000003 010203 ffffffff", UserData{Capacity: 5}},
		{"longer values", head + "0000000b 02 00000006 00000005 ffff ffffffff", UserData{Capacity: 5}},
		{"bytes behind it", head + "00000000 ffffffff 01", UserData{}},
	} {
		if got, ok, err := DecodeUserData(unhex(t, test.hex)); !ok || err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: read as %+v, %v, %v", test.name, got, ok, err)
		}
	}
}

func TestForeignUserData(t *testing.T) {
	for _, hex := range []string{
		"", "00000007", "ffffffff", "ffffffff 616b6974", "ffffffff 616b6974 02 00000000 ffffffff", "ffffffff 616b6974 00 00000000 ffffffff",
		"00000001 616b6974 01 00000000 ffffffff", "ffffffff 616b6975 01 00000000 ffffffff",
	} {
		if u, ok, err := DecodeUserData(unhex(t, hex)); ok || err != nil || !reflect.DeepEqual(u, UserData{}) {
			t.Errorf("%q: %+v, %v, %v", hex, u, ok, err)
		}
	}
}

func TestUserDataErrors(t *testing.T) {
	var labels strings.Builder
	for i := range MaxLabels + 1 {
		fmt.Fprintf(&labels, "0001 %02x 0000", 0x10+i)
	}
	for _, test := range []struct {
		name, hex, field string
		offset           int
		err              error
	}{
		{"no lengths", head, "framework's part", 9, ErrTruncated},
		{"null framework's part", head + "ffffffff ffffffff", "framework's part", 9, ErrLength},
		{"no assignor's part", head + "00000000", "assignor's part", 13, ErrTruncated},
		{"assignor's part too long", head + "00000000 00000002 01", "assignor's part", 13, ErrTruncated},
		{"item without a length", head + "00000001 02 ffffffff", "value", 14, ErrTruncated},
		{"null item", head + "00000005 02 ffffffff ffffffff", "value", 14, ErrLength},
		{"item longer than its part", head + "00000005 03 00000001 ffffffff", "value", 14, ErrTruncated},
		{"tags that descend", head + "0000000a 03 00000000 02 00000000 ffffffff", "tag", 18, ErrOrder},
		{"a tag twice", head + "0000000a 03 00000000 03 00000000 ffffffff", "tag", 18, ErrOrder},
		{"capacity 0", head + "00000009 02 00000004 00000000 ffffffff", "capacity", 18, ErrLimit},
		{"capacity 2^20", head + "00000009 02 00000004 00100000 ffffffff", "capacity", 18, ErrLimit},
		{"capacity of three bytes", head + "00000008 02 00000003 000000 ffffffff", "capacity", 18, ErrTruncated},
		{"follow-up in the past", head + "0000000d 04 00000008 ffffffff 00000000 ffffffff", "follow-up", 18, ErrLimit},
		{"started in 1970", head + "0000000d 0a 00000008 0000000000000000 ffffffff", "started", 18, ErrLimit},
		{"started before that", head + "0000000d 0a 00000008 ffffffffffffffff ffffffff", "started", 18, ErrLimit},
		{"started, cut off", head + "0000000c 0a 00000007 00000000000000 ffffffff", "started", 18, ErrTruncated},
		{"labels that descend", head + "0000000f 01 0000000a 0001 62 0000 0001 61 0000 ffffffff", "label", 23, ErrOrder},
		{"a label without a key", head + "00000009 01 00000004 0000 0000 ffffffff", "label", 18, ErrLimit},
		{"a label that is not UTF-8", head + "0000000a 01 00000005 0001 ff 0000 ffffffff", "label", 18, ErrText},
		{"a label cut off", head + "00000008 01 00000003 0001 61 ffffffff", "label's value", 21, ErrTruncated},
		{"too many labels", head + fmt.Sprintf("%08x 01 %08x", 5+5*(MaxLabels+1), 5*(MaxLabels+1)) + labels.String() + "ffffffff", "labels", 18 + 5*MaxLabels, ErrLimit},
		{"2^31-1 coming topics", head + "0000000a 05 00000005 7fffffff 00 ffffffff", "coming", 18, ErrTruncated},
		{"previous without a generation", head + "00000007 07 00000002 0000 ffffffff", "previous", 18, ErrTruncated},
		{"larger than the limit", head + "00000000 00010000" + strings.Repeat("00", 1<<16), "length", 0, ErrLimit},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, ok, err := DecodeUserData(unhex(t, test.hex))
			if want := (&DecodeError{"user data", test.field, test.offset, test.err}); !ok || !errors.Is(err, test.err) || !reflect.DeepEqual(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			if !reflect.DeepEqual(u, UserData{}) {
				t.Errorf("read as %+v", u)
			}
		})
	}
}

func TestUserDataRefusedToWrite(t *testing.T) {
	many := map[string]string{}
	for i := range MaxLabels + 1 {
		many[strconv.Itoa(i)] = ""
	}
	for name, test := range map[string]struct {
		data UserData
		want error
	}{
		"labels":            {UserData{Labels: many}, ErrLimit},
		"empty key":         {UserData{Labels: map[string]string{"": "x"}}, ErrLimit},
		"long key":          {UserData{Labels: map[string]string{strings.Repeat("k", MaxLabelKey+1): ""}}, ErrLimit},
		"long value":        {UserData{Labels: map[string]string{"k": strings.Repeat("v", MaxLabelValue+1)}}, ErrLimit},
		"key not UTF-8":     {UserData{Labels: map[string]string{"\xff": ""}}, ErrText},
		"value not UTF-8":   {UserData{Labels: map[string]string{"k": "\xff"}}, ErrText},
		"capacity":          {UserData{Capacity: strategy.MaxCapacity + 1}, ErrLimit},
		"negative capacity": {UserData{Capacity: -1}, ErrLimit},
		"after":             {UserData{FollowUp: &FollowUp{After: -1}}, ErrLimit},
		"grace":             {UserData{FollowUp: &FollowUp{Grace: (math.MaxInt32 + 1) * time.Millisecond}}, ErrLimit},
		"started":           {UserData{Started: time.UnixMilli(0)}, ErrLimit},
		"coming":            {UserData{Coming: []strategy.TopicPartitions{tp(strings.Repeat("x", 1<<15), 1)}}, ErrLimit},
		"releasing":         {UserData{Releasing: []strategy.TopicPartitions{tp("x", make([]int32, MaxUserData/4)...)}}, ErrLimit},
		"assignor":          {UserData{Assignor: make([]byte, MaxUserData-16)}, ErrLimit},
	} {
		if got, err := test.data.AppendBinary([]byte("x")); !errors.Is(err, test.want) || string(got) != "x" {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := UserData{Assignor: make([]byte, MaxUserData-17)}
	raw, err := full.AppendBinary(nil)
	if err != nil || len(raw) != MaxUserData {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	if _, ok, err := DecodeUserData(raw); !ok || err != nil {
		t.Error(ok, err)
	}
}
