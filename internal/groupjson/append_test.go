package groupjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

func TestAppendAnswer(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer strategy.Assignment
		want   string
	}{
		{"nobody", strategy.Assignment{}, `{"assignment":{},"unassigned":{}}`},
		{"members by id, also those without partitions", strategy.Assignment{Members: map[string][]strategy.TopicPartitions{
			"b": nil, "c": {}, "a": {{Topic: "t", Partitions: []int32{0, 10, 2147483647}}},
		}}, `{"assignment":{"a":{"t":[0,10,2147483647]},"b":{},"c":{}},"unassigned":{}}`},
		{"unsorted", strategy.Assignment{
			Members: map[string][]strategy.TopicPartitions{"a": {{Topic: "u", Partitions: []int32{2, 1}}, {Topic: "t", Partitions: []int32{0}}, {Topic: "u", Partitions: []int32{0}}}},
			Unassigned: []strategy.Unassigned{
				{Topic: "u", Partition: 4, Reason: strategy.ReasonWithheld}, {Topic: "u", Partition: 3, Reason: strategy.ReasonWithheld},
				{Topic: "t", Partition: 1, Reason: strategy.ReasonWithheld}, {Topic: "u", Partition: 5, Reason: strategy.ReasonDraining},
			},
		}, `{"assignment":{"a":{"t":[0],"u":[0,1,2]}},"unassigned":{"draining":{"u":[5]},"withheld":{"t":[1],"u":[3,4]}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(AppendAnswer(nil, &test.answer)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestAppendLeavesItsArgument(t *testing.T) {
	list := []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{1}}, {Topic: "t", Partitions: []int32{0}}}
	AppendPartitions(nil, list)
	if list[0].Partitions[0] != 1 || list[1].Partitions[0] != 0 {
		t.Errorf("sorted the caller's list: %v", list)
	}
}

func TestAppendError(t *testing.T) {
	got := string(AppendError([]byte("> "), errors.New("a \"b\"\nc")))
	if want := `> {"error":"a \"b\"\nc"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAppendString(t *testing.T) {
	for _, s := range []string{"", "plain", `"\/`, "a\x00\x1f\x7f\t\r\n\b", "é𝒳\u2028\u2029\ufffd", "bad\xff\xc3", "\xed\xa0\x80"} {
		got := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%q: %s: %v", s, got, err)
		}
		if want := string([]rune(s)); back != want {
			t.Errorf("%q reads back as %q from %s", s, back, got)
		}
	}
}

func TestAppendNumber(t *testing.T) {
	for _, n := range []int32{0, 9, 10, 99, 100, 101, 999, 1000, 1002, 9999, 10000, 123456, math.MaxInt32, -1, -10, math.MinInt32} {
		if got, want := string(appendNumber(nil, n)), strconv.Itoa(int(n)); got != want {
			t.Errorf("%s is written %s", want, got)
		}
	}
}

func BenchmarkAppendAnswer(b *testing.B) {
	a := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	for m := range 1000 {
		list := make([]strategy.TopicPartitions, 100)
		for k := range list {
			list[k].Topic = fmt.Sprintf("topic-%03d", k)
			for p := range 10 {
				list[k].Partitions = append(list[k].Partitions, int32(m%100*10+p))
			}
		}
		a.Members[fmt.Sprintf("member-%04d", m)] = list
	}
	var dst []byte
	for b.Loop() {
		dst = AppendAnswer(dst[:0], &a)
	}
	b.ReportMetric(float64(len(dst)), "bytes")
}

func BenchmarkDecode(b *testing.B) {
	g := strategy.Group{}
	for n := range 1000 {
		g.Topics = append(g.Topics, strategy.Topic{Name: fmt.Sprintf("topic-%04d", n), Partitions: 100})
	}
	var all []string
	for i := range g.Topics {
		all = append(all, g.Topics[i].Name)
	}
	for m := range 100 {
		member := strategy.Member{ID: fmt.Sprintf("member-%03d", m), Topics: all, Generation: 1}
		for i := range g.Topics {
			member.Owned = append(member.Owned, strategy.TopicPartitions{Topic: g.Topics[i].Name, Partitions: []int32{int32(m)}})
		}
		g.Members = append(g.Members, member)
	}
	line := AppendGroup(nil, &g)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := Decode(line); err != nil {
			b.Fatal(err)
		}
	}
}

// What terminals and YAML take amiss is written as escapes.
func TestAppendStringEscapes(t *testing.T) {
	const odd = "a\u009b\u202e\u2028\ufeff\ufffe\x1b"
	const want = `"a\u009b\u202e\u2028\ufeff\ufffe\u001b"`
	if got := string(AppendString(nil, odd)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(AppendString(nil, "ü€😀")); got != `"ü€😀"` {
		t.Errorf("got %s", got)
	}
}
