package protocol

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategy"
)

var (
	topicNames  = rapid.StringMatching(`[a-zA-Z0-9._-]{0,12}`)
	generations = rapid.Int32Min(-1)
	userBytes   = rapid.OneOf(rapid.Just([]byte(nil)), rapid.SliceOfN(rapid.Byte(), 0, 40))
)

// partitionLists draws lists as they are written: no topic without partitions, nil for none.
func partitionLists(t *rapid.T, label string) []strategy.TopicPartitions {
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) strategy.TopicPartitions {
		return strategy.TopicPartitions{Topic: topicNames.Draw(t, "topic"), Partitions: rapid.SliceOfN(rapid.Int32(), 1, 5).Draw(t, "partitions")}
	}), 0, 5).Draw(t, label)
	if len(list) == 0 {
		return nil
	}
	return list
}

func TestSubscriptionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Subscription{
			Version: rapid.Int16Range(0, Newest).Draw(t, "version"), Topics: rapid.SliceOfN(topicNames, 0, 6).Draw(t, "topics"),
			UserData: userBytes.Draw(t, "user data"), Owned: partitionLists(t, "owned"), Generation: generations.Draw(t, "generation"),
			Rack: rapid.StringN(0, 5, -1).Draw(t, "rack"),
		}
		raw, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if cap(raw) > len(raw)+16 {
			t.Errorf("%d bytes of %d are used", len(raw), cap(raw))
		}
		want := written(s)
		got, err := DecodeSubscription(raw)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
		if got, err := DecodeSubscription(append(raw, userBytes.Draw(t, "behind")...)); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("with bytes behind it: got %+v, %v\nwant %+v", got, err, want)
		}
		cut := rapid.IntRange(1, len(raw)-1).Draw(t, "cut")
		if _, err := DecodeSubscription(raw[:cut]); err == nil && s.Version != 1 {
			t.Fatalf("%x is read without its end", raw[:cut])
		}
	})
}

// written returns what is left of a subscription once it has been written.
func written(s Subscription) Subscription {
	s.Topics = slices.Sorted(slices.Values(s.Topics))
	if s.Version < 3 {
		s.Rack = ""
	}
	if s.Version < 2 {
		s.Generation = strategy.NoGeneration
	}
	byTopic := map[string][]int32{}
	for _, tp := range s.Owned {
		byTopic[tp.Topic] = append(byTopic[tp.Topic], tp.Partitions...)
	}
	s.Owned = nil
	if s.Version < 1 {
		return s
	}
	for topic, partitions := range byTopic {
		slices.Sort(partitions)
		s.Owned = append(s.Owned, tp(topic, partitions...))
	}
	slices.SortFunc(s.Owned, func(a, b strategy.TopicPartitions) int {
		if a.Topic < b.Topic {
			return -1
		}
		return 1
	})
	return s
}

func TestWritingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topics, owned := rapid.SliceOfN(topicNames, 0, 6).Draw(t, "topics"), partitionLists(t, "owned")
		g := (&strategy.Group{Members: []strategy.Member{{Topics: topics, Owned: owned}}}).Clone()
		s := Subscription{Version: Newest, Topics: topics, Owned: owned}
		if _, err := s.AppendBinary(nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(topics, g.Members[0].Topics) || !reflect.DeepEqual(owned, g.Members[0].Owned) {
			t.Error("the subscription was changed")
		}
	})
}

func TestAssignmentRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Assignment{
			Version: rapid.Int16Range(0, Newest).Draw(t, "version"), Partitions: partitionLists(t, "partitions"), UserData: userBytes.Draw(t, "user data"),
		}
		raw, err := a.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeAssignment(append(raw, userBytes.Draw(t, "behind")...)); err != nil || !reflect.DeepEqual(got, a) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, a)
		}
		if _, err := DecodeAssignment(raw[:rapid.IntRange(1, len(raw)-1).Draw(t, "cut")]); err == nil {
			t.Fatal("read without its end")
		}
	})
}

func TestStickyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		owned, generation := partitionLists(t, "owned"), generations.Draw(t, "generation")
		raw, err := AppendSticky(nil, owned, generation)
		if err != nil {
			t.Fatal(err)
		}
		if got, at, err := DecodeSticky(raw); err != nil || at != generation || !reflect.DeepEqual(got, owned) {
			t.Fatalf("got %v at %d, %v", got, at, err)
		}
		if at := DecodeCooperativeSticky(AppendCooperativeSticky(nil, generation)); at != generation {
			t.Fatalf("generation %d", at)
		}
	})
}

func userData(t *rapid.T) UserData {
	u := UserData{
		Labels: rapid.MapOfN(rapid.StringN(1, 8, -1), rapid.StringN(0, 8, -1), 0, 6).Draw(t, "labels"), Capacity: rapid.Int32Range(0, strategy.MaxCapacity).Draw(t, "capacity"),
		Draining: rapid.Bool().Draw(t, "draining"), Releasing: partitionLists(t, "releasing"), Coming: partitionLists(t, "coming"),
		Expecting: partitionLists(t, "expecting"), Follows: rapid.Bool().Draw(t, "follows"),
		Assignor: userBytes.Draw(t, "assignor"),
	}
	if len(u.Labels) == 0 {
		u.Labels = nil
	}
	if rapid.Bool().Draw(t, "started") {
		u.Started = time.UnixMilli(rapid.Int64Min(1).Draw(t, "since"))
	}
	if rapid.Bool().Draw(t, "previous") {
		u.Previous = &Previous{Generation: rapid.Int32().Draw(t, "generation"), Partitions: partitionLists(t, "partitions")}
	}
	if rapid.Bool().Draw(t, "follow-up") {
		u.FollowUp = &FollowUp{
			After: time.Duration(rapid.Int32Min(0).Draw(t, "after")) * time.Millisecond, Grace: time.Duration(rapid.Int32Min(0).Draw(t, "grace")) * time.Millisecond,
		}
	}
	return u
}

func TestUserDataRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := userData(t)
		raw, err := u.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := u.AppendBinary(nil); err != nil || !slices.Equal(again, raw) {
			t.Fatalf("written as %x and as %x, %v", raw, again, err)
		}
		if got, ok, err := DecodeUserData(append(raw, userBytes.Draw(t, "behind")...)); !ok || err != nil || !reflect.DeepEqual(got, u) {
			t.Fatalf("got %+v, %v, %v\nwant %+v", got, ok, err, u)
		}
		if _, ok, err := DecodeUserData(raw[:rapid.IntRange(1, len(raw)-1).Draw(t, "cut")]); ok && err == nil {
			t.Fatal("read without its end")
		}
	})
}
