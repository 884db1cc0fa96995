package simulate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"testing"

	"github.com/assignkit/assignkit/simulation"
)

// What events and expressions contain cannot break the file, and each failure is at its place.
func TestJUnit(t *testing.T) {
	a, err := simulation.ParseAssertion("strategy != \"<]]>&\x01'\"")
	if err != nil {
		t.Fatal(err)
	}
	s := suite{
		name: `a"<b>`, events: []string{"start", "join \x00<c>"}, assertions: []*simulation.Assertion{a, a},
		failures: []simulation.Failure{
			{Step: 0, Event: "start", Assertion: 1, Source: a.String(), Problem: "x"},
			{Step: 1, Event: "join \x00<c>", Assertion: 0, Source: a.String(), Problem: "<y>", Broken: true},
		},
	}
	var b bytes.Buffer
	if err := appendJUnit(&b, []suite{s, {name: "empty"}}); err != nil {
		t.Fatal(err)
	}
	type count struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	var got struct {
		count
		Suites []struct {
			count
			Name  string     `xml:"name,attr"`
			Cases []testcase `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	want := count{Tests: 4, Failures: 1, Errors: 1}
	if got.count != want || len(got.Suites) != 2 || got.Suites[0].count != want || got.Suites[1].count != (count{}) || got.Suites[0].Name != s.name {
		t.Errorf("%+v", got)
	}
	for i, c := range got.Suites[0].Cases {
		if (c.Failure != nil) != (i == 1) || (c.Error != nil) != (i == 2) || c.Class != s.name {
			t.Errorf("case %d: %+v", i, c)
		}
	}
}

// A full disk is told.
func TestJUnitFails(t *testing.T) {
	full := errors.New("full")
	if err := appendJUnit(failing{full}, []suite{{name: "s"}}); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
