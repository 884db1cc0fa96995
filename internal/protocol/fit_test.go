package protocol

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategy"
)

// What fits is a beginning of the list, not too large, and nothing more would have fitted.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sorted := flat(partitionLists(t, "list"))
		slices.SortFunc(sorted, strategy.TopicPartition.Compare)
		list := strategy.ByTopic(slices.Compact(sorted))
		size := func(l []strategy.TopicPartitions) int {
			if len(l) == 0 {
				return 0
			}
			raw, err := (&UserData{Coming: l}).AppendBinary(nil)
			none, err2 := (&UserData{}).AppendBinary(nil)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			return len(raw) - len(none)
		}
		room := rapid.IntRange(0, 1+size(list)).Draw(t, "room")
		got := flat(Fit(list, room))
		all := flat(list)
		if len(got) > len(all) || size(strategy.ByTopic(got)) > room {
			t.Fatalf("%v of %v in %d bytes", got, list, room)
		}
		for i := range got {
			if got[i] != all[i] {
				t.Fatalf("%v is no beginning of %v", got, all)
			}
		}
		if len(got) < len(all) && size(strategy.ByTopic(all[:len(got)+1])) <= room {
			t.Fatalf("one more than %v would have had room in %d bytes", got, room)
		}
	})
}

func flat(list []strategy.TopicPartitions) (out []strategy.TopicPartition) {
	for _, tp := range list {
		for _, p := range tp.Partitions {
			out = append(out, strategy.TopicPartition{Topic: tp.Topic, Partition: p})
		}
	}
	return out
}
