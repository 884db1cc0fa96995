package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"slices"
	"testing"
)

// What names and messages contain cannot break the file, and each failure is at its place.
func TestEncode(t *testing.T) {
	s := Suite{Name: `a"<b>`, Cases: slices.Values([]Case{
		{Name: "start"}, {Name: "join \x00<c> ]]>&\x01'", Outcome: Failed, Message: "x", Text: "why x"},
		{Name: "<d>", Outcome: Broken, Message: "<y>", Text: "why y"}, {Name: "end"},
	})}
	var b bytes.Buffer
	if err := encode(&b, "program", []Suite{s, {Name: "empty", Cases: slices.Values[[]Case](nil)}}); err != nil {
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
	if got.count != want || len(got.Suites) != 2 || got.Suites[0].count != want || got.Suites[1].count != (count{}) || got.Suites[0].Name != s.Name {
		t.Errorf("%+v", got)
	}
	for i, c := range got.Suites[0].Cases {
		if (c.Failure != nil) != (i == 1) || (c.Error != nil) != (i == 2) || c.Class != s.Name {
			t.Errorf("case %d: %+v", i, c)
		}
	}
	if f := got.Suites[0].Cases[1].Failure; f == nil || f.Message != "x" || f.Text != "why x" {
		t.Errorf("%+v", f)
	}
}

// A full disk is told.
func TestEncodeFails(t *testing.T) {
	full := errors.New("full")
	if err := encode(failing{full}, "program", []Suite{{Name: "s", Cases: slices.Values[[]Case](nil)}}); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
