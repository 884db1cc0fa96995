package protocol

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// A javaCase is what Java wrote, and the values that it wrote it from.
type javaCase struct {
	Kind       string
	Version    int16
	Topics     []string
	Owned      inOrder
	Partitions inOrder
	Generation int32
	Rack       string
	UserData   *string `json:"user_data"`
	Hex        string
}

func TestJava(t *testing.T) {
	file, err := os.ReadFile("../../testdata/cases/java-wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for line := range bytes.Lines(file) {
		var c javaCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		kinds[c.Kind]++
		t.Run(fmt.Sprintf("%s/%d", c.Kind, kinds[c.Kind]), func(t *testing.T) {
			decoded, want, encoded := c.both(t)
			if !reflect.DeepEqual(decoded, want) {
				t.Errorf("%sread as %+v\nwant %+v", line, decoded, want)
			}
			if got := hex.EncodeToString(encoded); got != c.Hex {
				t.Errorf("%swritten as %s", line, got)
			}
		})
	}
	for _, kind := range []string{"subscription", "assignment", "sticky", "cooperative-sticky"} {
		if kinds[kind] == 0 {
			t.Errorf("no line of kind %s", kind)
		}
	}
}

// both returns what the bytes are read as, what they should be read as, and how that is written.
func (c *javaCase) both(t *testing.T) (decoded, want any, encoded []byte) {
	t.Helper()
	raw := unhex(t, c.Hex)
	var user []byte
	if c.UserData != nil {
		user = unhex(t, *c.UserData)
	}
	var err error
	switch c.Kind {
	case "subscription":
		s := Subscription{Version: c.Version, Topics: c.Topics, UserData: user, Owned: slices.Clone(c.Owned), Generation: c.Generation, Rack: c.Rack}
		slices.Reverse(s.Topics) // writing sorts both
		if encoded, err = s.AppendBinary(nil); err != nil {
			t.Fatal(err)
		}
		slices.Sort(s.Topics)
		slices.SortFunc(s.Owned, func(a, b strategy.TopicPartitions) int { return cmp.Compare(a.Topic, b.Topic) })
		if c.Version < 3 {
			s.Rack = ""
		}
		if c.Version < 2 {
			s.Generation = strategy.NoGeneration
		}
		if c.Version < 1 {
			s.Owned = nil
		}
		want = s
		decoded, err = DecodeSubscription(raw)
	case "assignment":
		a := Assignment{Version: c.Version, Partitions: c.Partitions, UserData: user}
		if encoded, err = a.AppendBinary(nil); err != nil {
			t.Fatal(err)
		}
		want = a
		decoded, err = DecodeAssignment(raw)
	case "sticky":
		if encoded, err = AppendSticky(nil, hashed(c.Partitions), c.Generation); err != nil {
			t.Fatal(err)
		}
		owned, generation, e := DecodeSticky(raw)
		want, decoded, err = stickyData{hashed(c.Partitions), c.Generation}, stickyData{owned, generation}, e
	case "cooperative-sticky":
		encoded = AppendCooperativeSticky(nil, c.Generation)
		want, decoded = c.Generation, DecodeCooperativeSticky(raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	return decoded, want, encoded
}

type stickyData struct {
	owned      []strategy.TopicPartitions
	generation int32
}

// inOrder is an object of topics, in the order of its fields.
type inOrder []strategy.TopicPartitions

func (o *inOrder) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		topic, err := d.Token()
		if err != nil {
			return err
		}
		var partitions []int32
		if err := d.Decode(&partitions); err != nil {
			return err
		}
		*o = append(*o, tp(topic.(string), partitions...))
	}
	return nil
}

// hashed lists topics in the order of a java.util.HashMap with room for 16, by which Java's sticky assignor groups its partitions, which
// came by topic here.
func hashed(list inOrder) []strategy.TopicPartitions {
	bucket := func(s string) uint32 {
		h := uint32(0)
		for _, c := range s { // all are below U+10000 here
			h = 31*h + uint32(c)
		}
		return (h ^ h>>16) & 15
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b strategy.TopicPartitions) int {
		return cmp.Or(cmp.Compare(bucket(a.Topic), bucket(b.Topic)), cmp.Compare(a.Topic, b.Topic))
	})
	return list
}

// unhex reads hexadecimal with spaces.
func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	raw, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func tp(topic string, partitions ...int32) strategy.TopicPartitions {
	return strategy.TopicPartitions{Topic: topic, Partitions: partitions}
}

func TestWorkedExamples(t *testing.T) {
	s := Subscription{
		Version: 3, Topics: []string{"t1"}, UserData: AppendCooperativeSticky(nil, 7), Owned: []strategy.TopicPartitions{tp("t1", 0)}, Generation: 7,
	}
	raw := unhex(t, "0003 00000001 00027431 00000004 00000007 00000001 00027431 00000001 00000000 00000007 ffff")
	if got, err := s.AppendBinary(nil); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("subscription written as %x, %v", got, err)
	}
	if got, err := DecodeSubscription(raw); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("subscription read as %+v, %v", got, err)
	}
	owned := []strategy.TopicPartitions{tp("u", 1), tp("t1", 0, 2)}
	raw = unhex(t, "00000002 0001 75 00000001 00000001 0002 7431 00000002 00000000 00000002 00000007")
	if got, err := AppendSticky(nil, owned, 7); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("sticky user data written as %x, %v", got, err)
	}
	for cut, generation := range map[int]int32{0: 7, 1: -1, 4: -1} { // without the generation it is V0
		got, g, err := DecodeSticky(raw[:len(raw)-cut])
		if err != nil || g != generation || !reflect.DeepEqual(got, owned) {
			t.Errorf("sticky user data without its last %d bytes read as %v at %d, %v", cut, got, g, err)
		}
	}
}
