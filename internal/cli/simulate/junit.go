package simulate

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/assignkit/assignkit/simulation"
)

// writeJUnit writes what was checked to a file, in the form in which systems of continuous integration read results of tests.
func writeJUnit(file string, suites []suite) error {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	w := bufio.NewWriter(f)
	err = appendJUnit(w, suites)
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return nil
}

// appendJUnit writes one test suite for each result, with a test case for each step and assertion. It streams, as there may be a
// million of them.
func appendJUnit(w io.Writer, suites []suite) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	var sum tally
	for i := range suites {
		sum.add(&suites[i])
	}
	root := element("testsuites", append([]xml.Attr{attr("name", "assignctl simulate")}, sum.attrs()...)...)
	err := e.EncodeToken(root)
	for i := range suites {
		if err == nil {
			err = suites[i].encode(e)
		}
	}
	if err == nil {
		err = e.EncodeToken(root.End())
	}
	if err == nil {
		err = e.Close()
	}
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

func element(name string, attrs ...xml.Attr) xml.StartElement {
	return xml.StartElement{Name: xml.Name{Local: name}, Attr: attrs}
}

func attr(name, value string) xml.Attr { return xml.Attr{Name: xml.Name{Local: name}, Value: value} }

// tally counts test cases. What fails has no failure if it could not be evaluated, but an error.
type tally struct{ tests, failures, broken int }

func (t *tally) add(s *suite) {
	t.tests += len(s.events) * len(s.assertions)
	for i := range s.failures {
		if s.failures[i].Broken {
			t.broken++
		} else {
			t.failures++
		}
	}
}

func (t *tally) attrs() []xml.Attr {
	return []xml.Attr{
		attr("tests", strconv.Itoa(t.tests)), attr("failures", strconv.Itoa(t.failures)), attr("errors", strconv.Itoa(t.broken)),
	}
}

// testcase is one assertion after one step.
type testcase struct {
	XMLName xml.Name `xml:"testcase"`
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *problem `xml:"failure"`
	Error   *problem `xml:"error"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (s *suite) encode(e *xml.Encoder) error {
	var sum tally
	sum.add(s)
	start := element("testsuite", append([]xml.Attr{attr("name", s.name)}, sum.attrs()...)...)
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	left := s.failures // by step and assertion, as the cases are
	for step, event := range s.events {
		for k, a := range s.assertions {
			c := testcase{Class: s.name, Name: fmt.Sprintf("step %d (%s): %s", step, event, a)}
			if len(left) > 0 && left[0].Step == step && left[0].Assertion == k {
				c.fail(&left[0])
				left = left[1:]
			}
			if err := e.Encode(&c); err != nil {
				return err
			}
		}
	}
	return e.EncodeToken(start.End())
}

func (c *testcase) fail(f *simulation.Failure) {
	p := &problem{Message: cmp.Or(f.Problem, "does not hold"), Text: f.String()}
	if f.Broken {
		c.Error = p
	} else {
		c.Failure = p
	}
}
