package strategies

import (
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// entry is what there is to say about one strategy, in its JSON form.
type entry struct {
	Name       string      `json:"name"`
	Wire       string      `json:"wire,omitempty"`     // absent where it takes an argument to know
	Protocol   string      `json:"protocol,omitempty"` // likewise
	Summary    string      `json:"summary"`
	Argument   string      `json:"argument,omitempty"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Default string   `json:"default,omitempty"`
	Values  []string `json:"values,omitempty"`
	Summary string   `json:"summary"`
}

// describe looks a registered strategy up. What it is called on the wire only an assignor made from it knows.
func describe(name string) entry {
	d, _ := strategy.Lookup(name)
	e := entry{Name: name, Summary: d.Summary, Argument: d.Argument, Parameters: []parameter{}}
	for _, p := range d.Parameters {
		e.Parameters = append(e.Parameters, parameter{p.Name, p.Kind.String(), p.Default, p.Values, p.Summary})
	}
	if d.Argument != "" {
		return e
	}
	a, err := strategy.Parse(name)
	if err != nil {
		return e
	}
	e.Wire, e.Protocol = a.Name(), strategy.ProtocolOf(a).String()
	_ = strategy.Close(a) // it has done nothing
	return e
}

// spec shows how a strategy is written.
func (e *entry) spec() string {
	if e.Argument == "" {
		return e.Name
	}
	return e.Name + ":" + e.Argument
}

func appendAll(dst []byte, list []entry, paper output.Paper) []byte {
	g := output.Grid{Columns: []output.Column{{Title: "NAME"}, {Title: "WIRE NAME"}, {Title: "PROTOCOL"}, {Title: "SUMMARY", Fold: true}}}
	for i := range list {
		e := &list[i]
		g.Row(output.Cell{Text: e.spec()}, output.Cell{Text: dash(e.Wire)}, output.Cell{Text: dash(e.Protocol)}, output.Cell{Text: e.Summary})
	}
	return g.Append(dst, paper)
}

func appendOne(dst []byte, e *entry, paper output.Paper) []byte {
	facts := output.Grid{Columns: []output.Column{{Title: e.spec()}, {Title: e.Summary, Fold: true}}}
	facts.Row(output.Cell{Text: "wire name"}, output.Cell{Text: dash(e.Wire)})
	facts.Row(output.Cell{Text: "protocol"}, output.Cell{Text: dash(e.Protocol)})
	dst = append(facts.Append(dst, paper), '\n')
	g := output.Grid{Columns: []output.Column{{Title: "PARAMETER"}, {Title: "VALUE"}, {Title: "DEFAULT"}, {Title: "SUMMARY", Fold: true}}}
	for _, p := range e.Parameters {
		value := p.Kind
		for i, v := range p.Values {
			if i == 0 {
				value = v
			} else {
				value += "|" + v
			}
		}
		g.Row(output.Cell{Text: p.Name}, output.Cell{Text: value}, output.Cell{Text: dash(p.Default)}, output.Cell{Text: p.Summary})
	}
	return g.Append(dst, paper)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
