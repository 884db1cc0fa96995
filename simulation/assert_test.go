package simulation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// asserted is a group over three steps, in which a drains, c joins and a topic goes.
const asserted = `
group: billing
topics: {orders: 4, payments: {partitions: 2, weights: [10, 1]}, unread: 3}
members:
  - {id: b, topics: [orders, payments], labels: {tier: gold}, capacity: 2, instance: b1, rack: r}
  - {id: a-10, topics: [orders]}
  - {id: a-9, topics: [orders]}
events:
  - set: {member: a-9, capacity: 0}
  - delete: payments
`

// runAsserted assigns by a fixed table: orders:0 stays with nobody.
func runAsserted(t *testing.T) *Result {
	t.Helper()
	s, err := Read("x", strings.NewReader(asserted))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), s, "table", tableAssignor{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type tableAssignor struct{}

func (tableAssignor) Name() string { return "table" }

func (tableAssignor) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	a := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{
		"a-9": {{Topic: "orders", Partitions: []int32{2}}}, "a-10": {{Topic: "orders", Partitions: []int32{1}}},
		"b": {{Topic: "orders", Partitions: []int32{3}}},
	}}
	for i := range g.Topics {
		if g.Topics[i].Name == "payments" {
			a.Members["b"] = append(a.Members["b"], strategy.TopicPartitions{Topic: "payments", Partitions: []int32{0, 1}})
		}
	}
	for i := range g.Members {
		if g.Members[i].Draining {
			a.Members["a-9"], a.Members["b"][0].Partitions = nil, []int32{2, 3}
		}
	}
	a.Unassigned = []strategy.Unassigned{{Topic: "orders", Reason: strategy.ReasonIneligible}}
	return a, nil
}

func parseAll(t *testing.T, sources ...string) (list []*Assertion) {
	t.Helper()
	for _, s := range sources {
		a, err := ParseAssertion(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

// What assertions may look at is what the steps say.
func TestAssertionsHold(t *testing.T) {
	r := runAsserted(t)
	always := []string{
		`strategy == "table"`, `len(members) == 3`, `map(members, .id) == ["a-9", "a-10", "b"]`, `members[2].labels.tier == "gold"`,
		`members[2].capacity == 2 && members[2].instance == "b1" && members[2].rack == "r"`, `"orders" in members[0].topics`,
		`owner("orders", 0) == ""`, `owner("orders", 1) == "a-10"`, `owner("orders", 99) == ""`, `owner("orders", -1) == ""`,
		`owner("unread", 0) == ""`, `count(partitions, .owner == "") == unassigned`, `unassigned == 1`,
		`none(partitions, .topic == "unread")`,
	}
	steps := []string{
		`step.number == 0 ? step.event == "start" && members[2].load == 6 && members[2].partitions == 3 && owner("payments", 1) == "b" && placed == 5 : true`,
		`step.number == 0 ? len(partitions) == 6 && partitions[4].weight == 10 && partitions[0].weight == 1 && partitions[5].number == 1 : true`,
		`step.number == 1 ? members[0].capacity == 0 && members[0].load == 0 && moved.voluntary == 1 && moved.total == 1 && voluntary == 1 : true`,
		`step.number == 2 ? len(partitions) == 4 && owner("payments", 1) == "" && max == 1 && rounds == 1 : true`,
	}
	failures, err := Assert(t.Context(), r, parseAll(t, append(always, steps...)...))
	if err != nil || len(failures) > 0 {
		t.Errorf("%v, %v", err, failures)
	}
}

func TestAssertionsFail(t *testing.T) {
	r := runAsserted(t)
	failures, err := Assert(t.Context(), r, parseAll(t,
		`skew <= 4 && max < 100`, `moved.voluntary < 1`, `all(members, .load < 6)`, `owner("payments", 0) == "b"`, `owner("paymnets", 0) == ""`, `members[7].load > 1`,
		`owner("orders", 0) != ""`, `len(partitions) > 4`, "skew < 100 &&\n bound", `step.number < 2 || step.event == ""`,
	))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range failures {
		got = append(got, failures[i].String())
	}
	want := []string{
		`step 0 (start): skew <= 4 && max < 100 does not hold: max is 6, skew is 5`,
		`step 0 (start): all(members, .load < 6) does not hold: members are 3 (b has load 6 with 3 partitions, a-9 has load 1, a-10 has load 1)`,
		`step 0 (start): owner("paymnets", 0) == "" cannot be evaluated: no topic "paymnets" at any step; did you mean "payments"?`,
		`step 0 (start): members[7].load > 1 cannot be evaluated: index out of range: 7 (array length is 3)`,
		`step 0 (start): owner("orders", 0) != "" does not hold: owner("orders", 0) is nobody`,
		`step 1 (set a-9: capacity 0): skew <= 4 && max < 100 does not hold: max is 6.5, skew is 5.5`,
		`step 1 (set a-9: capacity 0): moved.voluntary < 1 does not hold: moved.voluntary is 1`,
		`step 1 (set a-9: capacity 0): all(members, .load < 6) does not hold: members are 3 (b has load 6.5 with 4 partitions, a-10 has load 1, a-9 has load 0)`,
		`step 1 (set a-9: capacity 0): owner("paymnets", 0) == "" cannot be evaluated: no topic "paymnets" at any step; did you mean "payments"?`,
		`step 1 (set a-9: capacity 0): members[7].load > 1 cannot be evaluated: index out of range: 7 (array length is 3)`,
		`step 1 (set a-9: capacity 0): owner("orders", 0) != "" does not hold: owner("orders", 0) is nobody`,
		`step 2 (delete payments): owner("payments", 0) == "b" does not hold: owner("payments", 0) is nobody, as the topic is not there`,
		`step 2 (delete payments): owner("paymnets", 0) == "" cannot be evaluated: no topic "paymnets" at any step; did you mean "payments"?`,
		`step 2 (delete payments): members[7].load > 1 cannot be evaluated: index out of range: 7 (array length is 3)`,
		`step 2 (delete payments): owner("orders", 0) != "" does not hold: owner("orders", 0) is nobody`,
		`step 2 (delete payments): len(partitions) > 4 does not hold: partitions are 4, 1 of them with nobody`,
		`step 2 (delete payments): skew < 100 && bound does not hold: skew is 0, bound is false`,
		`step 2 (delete payments): step.number < 2 || step.event == "" does not hold: step.number is 2, step.event is "delete payments"`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// Every measure is there, and none has the value of another.
func TestAssertionMeasures(t *testing.T) {
	m := strategy.Metrics{}
	all := reflect.ValueOf(&m).Elem()
	for i := range all.NumField() {
		switch f := all.Field(i); f.Kind() {
		case reflect.Int:
			f.SetInt(int64(100 + i))
		case reflect.Float64:
			f.SetFloat(float64(100+i) + 0.5)
		case reflect.Bool:
			f.SetBool(true)
		}
	}
	r := &Result{Steps: []Step{{Metrics: m, Group: &strategy.Group{}}}}
	for i := range all.NumField() {
		name, _, _ := strings.Cut(all.Type().Field(i).Tag.Get("json"), ",")
		source := fmt.Sprintf("%s == %v", name, all.Field(i).Interface())
		if name == "members" || name == "partitions" { // these are lists, see TestAssertionsHold
			continue
		}
		if reflect.ValueOf(variables{}).FieldByName("Moved").FieldByName(all.Type().Field(i).Name).IsValid() {
			source += " && moved." + source
		}
		a, err := ParseAssertion(source)
		if err != nil {
			t.Error(err)
			continue
		}
		if failures, err := Assert(t.Context(), r, []*Assertion{a}); err != nil || len(failures) > 0 {
			t.Errorf("%s: %v, %v", source, err, failures)
		}
	}
}

// A topic that is there at one step only is known at all of them.
func TestAssertTopicsOfOtherSteps(t *testing.T) {
	with := func(name string) Step {
		return Step{Group: &strategy.Group{Topics: []strategy.Topic{{Name: name, Partitions: 1}}}}
	}
	r := &Result{Steps: []Step{with("a"), with("b")}}
	r.Steps = append(r.Steps, r.Steps[1])
	failures, err := Assert(t.Context(), r, parseAll(t, `owner("a", 0) == "" && owner("b", 0) == ""`))
	if err != nil || len(failures) > 0 {
		t.Errorf("%v, %v", err, failures)
	}
}

func TestAssertOfNothing(t *testing.T) {
	failures, err := Assert(t.Context(), runAsserted(t), parseAll(t, `find(members, .id == "x").load > 1`))
	if err != nil || len(failures) != 3 || !failures[0].Broken || failures[0].Problem != "cannot get load from nothing" {
		t.Errorf("%v, %+v", err, failures)
	}
}

// Of a long expression a failure tells the beginning.
func TestAssertLongExpression(t *testing.T) {
	failures, err := Assert(t.Context(), runAsserted(t), parseAll(t, `strategy == "`+strings.Repeat("ä", 1000)+`"`))
	if err != nil || len(failures) != 3 || len(failures[0].Source) != 2014 {
		t.Fatalf("%v, %+v", err, failures)
	}
	if want := `step 0 (start): strategy == "` + strings.Repeat("ä", 187) + `... does not hold: strategy is "table"`; failures[0].String() != want {
		t.Errorf("got  %s\nwant %s", &failures[0], want)
	}
}

func TestAssertLimits(t *testing.T) {
	one := parseAll(t, "skew < 0")
	many := make([]*Assertion, MaxAssertions)
	for i := range many {
		many[i] = one[0]
	}
	r := &Result{Strategy: "s", Steps: make([]Step, 2000)}
	for i := range r.Steps {
		r.Steps[i].Group = &strategy.Group{}
	}
	if _, err := Assert(t.Context(), r, append(many, one[0])); err == nil || !strings.Contains(err.Error(), "1001 assertions; 1000 are allowed") {
		t.Error(err)
	}
	if _, err := Assert(t.Context(), r, many); err == nil || !strings.Contains(err.Error(), "1000000 checks are allowed") {
		t.Error(err)
	}
	failures, err := Assert(t.Context(), r, one)
	if err != nil || len(failures) != 2000 || failures[maxTold-1].Problem == "" || failures[maxTold].Problem != "" {
		t.Errorf("%d failures, %v", len(failures), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Assert(ctx, r, one); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Loops within loops end.
func TestAssertTakesTooLong(t *testing.T) {
	r, loops := runAsserted(t), parseAll(t, "all(partitions, any(partitions, .number < 0) || all(partitions, .number >= 0))")
	_, err := assert(t.Context(), r, loops, 20)
	if err == nil || err.Error() != "table: step 0 (start): "+loops[0].String()+" takes too long: loops within loops are to look at less" {
		t.Error(err)
	}
}

// The docs list all that assertions may speak of. The measures are in a table of their own, see package cli.
func TestVariablesInDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "scenarios.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## Assertions\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[variables]()) {
		of := f.Type
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		name := f.Tag.Get("expr")
		if name == "" || of.Kind() != reflect.Struct && name != "strategy" {
			continue
		}
		_, row, ok := strings.Cut(text, "\n| `"+name+"` |")
		if !ok {
			t.Errorf("there is no row about %s", name)
			continue
		}
		row, _, _ = strings.Cut(row, "\n")
		for i := 0; of.Kind() == reflect.Struct && i < of.NumField(); i++ {
			if field := of.Field(i).Tag.Get("expr"); !strings.Contains(row, "`"+field+"`") {
				t.Errorf("the row about %s has no %s", name, field)
			}
		}
	}
}
