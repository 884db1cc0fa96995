package simulation

import (
	"errors"
	"fmt"
	"io"
)

// Read reads a scenario from YAML. file is how errors name it. What is wrong with the scenario, down to events on members that are
// not there by then, is a [*SyntaxError]; an error of r is returned as it is.
//
// It is strict: fields and topics that nobody knows, numbers where a name is due and the like are errors, as a scenario that is
// understood only in part shows something else than what was meant. Anchors, aliases, merge keys and tags are refused, as are several
// documents in one file.
func Read(file string, r io.Reader) (*Scenario, error) {
	src, err := load(file, r)
	if err != nil {
		return nil, err
	}
	root, err := src.parse()
	if err != nil {
		return nil, err
	}
	d := decoder{source: src, topics: map[string]bool{}}
	s, err := d.scenario(root)
	if err != nil {
		return nil, err
	}
	if err := d.references(); err != nil {
		return nil, err
	}
	if _, _, err := s.rehearse(); err != nil {
		return nil, d.locate(err)
	}
	return s, nil
}

// A decoder turns nodes into a scenario.
type decoder struct {
	*source
	facts  int             // partitions with racks, weights or signals
	topics map[string]bool // all that are there at some time
	named  []*node         // topics that members name
	places []place         // of the start and of each event
}

// place is where an event stands, and what it speaks of: members, patterns and topics, each where it is named last.
type place struct {
	node     *node
	subjects map[string]*node
}

// begin starts collecting the subjects of the start or of an event.
func (d *decoder) begin(n *node) {
	d.places = append(d.places, place{node: n, subjects: map[string]*node{}})
}

func (d *decoder) subject(name string, n *node) {
	d.places[len(d.places)-1].subjects[name] = n
}

// locate turns the error of an event into one of a place in the file.
func (d *decoder) locate(err error) error {
	var e *EventError
	if !errors.As(err, &e) || e.Event >= len(d.places) {
		return err
	}
	p := d.places[e.Event]
	at := p.node
	if n := p.subjects[e.subject]; n != nil {
		at = n
	}
	return d.at(at, "%s", e.Problem)
}

// references looks up the topics that members name.
func (d *decoder) references() error {
	for _, n := range d.named {
		if !d.topics[n.text] {
			names := make([]string, 0, len(d.topics))
			for name := range d.topics {
				names = append(names, name)
			}
			return d.at(n, "no topic %q, now or later%s", clip(n.text), nearest(n.text, sorted(names)))
		}
	}
	return nil
}

// scenario decodes the whole file.
func (d *decoder) scenario(root *node) (*Scenario, error) {
	if root == nil || root.kind == null {
		return nil, &SyntaxError{File: d.file, Problem: "is empty: a scenario has at least topics"}
	}
	s := &Scenario{}
	d.begin(root)
	var topics, events *node
	err := d.fields(root, "a scenario", map[string]func(v *node) error{
		"group": func(v *node) (err error) { s.Group.Name, err = d.name(v, "the group's name"); return err },
		"topics": func(v *node) (err error) {
			topics = v
			s.Group.Topics, err = d.topicList(v)
			return err
		},
		"members": func(v *node) (err error) { s.Group.Members, err = d.members(v, true); return err },
		"strategy": func(v *node) (err error) {
			s.Strategies, err = d.names(v, "a strategy")
			for _, item := range items(v) {
				s.strategiesAt = append(s.strategiesAt, fmt.Sprintf("%s:%d:%d", d.file, item.line, item.column))
			}
			return err
		},
		"events": func(v *node) error { events = v; return nil },
		"assert": func(v *node) (err error) { s.Assertions, err = d.assertions(v); return err },
	})
	if err != nil {
		return nil, err
	}
	if topics == nil {
		return nil, d.at(root, "there are no topics")
	}
	if len(s.Group.Topics) == 0 {
		return nil, d.at(topics, "there are no topics")
	}
	if events != nil { // behind the members, wherever they stand in the file
		s.Events, err = d.events(events)
	}
	return s, err
}
