// Package junit writes what was checked in the form in which systems of continuous integration read results of tests: JUnit's XML. What a
// check is, commands decide.
package junit

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
)

// A Suite is the checks of one thing.
type Suite struct {
	Name  string
	Cases iter.Seq[Case] // walked several times
}

// A Case is one check.
type Case struct {
	Name    string
	Outcome Outcome
	Message string // why it did not pass, in a few words
	Text    string // and in full
}

// An Outcome is what became of a check.
type Outcome uint8

// The outcomes there are.
const (
	Passed Outcome = iota
	Failed
	Broken // it could not be evaluated
)

// Write writes suites to a file. program is what is said to have made it, such as "assignctl simulate".
func Write(file, program string, suites []Suite) error {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	w := bufio.NewWriter(f)
	err = encode(w, program, suites)
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return nil
}

// encode streams, as there may be a million checks.
func encode(w io.Writer, program string, suites []Suite) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	var sum tally
	for i := range suites {
		sum.add(&suites[i])
	}
	root := element("testsuites", append([]xml.Attr{attr("name", program)}, sum.attrs()...)...)
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

// tally counts cases. What could not be evaluated is no failure, but an error.
type tally struct{ tests, failures, broken int }

func (t *tally) add(s *Suite) {
	for c := range s.Cases {
		t.tests++
		switch c.Outcome {
		case Failed:
			t.failures++
		case Broken:
			t.broken++
		}
	}
}

func (t *tally) attrs() []xml.Attr {
	return []xml.Attr{
		attr("tests", strconv.Itoa(t.tests)), attr("failures", strconv.Itoa(t.failures)), attr("errors", strconv.Itoa(t.broken)),
	}
}

// testcase is a case in the file.
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

func (s *Suite) encode(e *xml.Encoder) error {
	var sum tally
	sum.add(s)
	start := element("testsuite", append([]xml.Attr{attr("name", s.Name)}, sum.attrs()...)...)
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	for c := range s.Cases {
		t := testcase{Class: s.Name, Name: c.Name}
		switch p := (&problem{Message: c.Message, Text: c.Text}); c.Outcome {
		case Failed:
			t.Failure = p
		case Broken:
			t.Error = p
		}
		if err := e.Encode(&t); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}
