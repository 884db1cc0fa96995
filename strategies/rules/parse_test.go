package rules_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

const whole = `
name: gold-first
wire: gold.v1
eligible: member.labels.tier == "gold" || partition.topic != "payments"
weight: |
  partition.lag
    + 1
capacity: number(member.labels, "cpu", 1)
prefer: "member.rack in partition.racks ? 1 : 0"
together: partition.number
limit: 20
options: {tolerance: 0.05, hysteresis: 0, max_moves: 0}
`

func TestParse(t *testing.T) {
	a, err := rules.Parse("r.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if a.Name() != "gold.v1" {
		t.Error(a.Name())
	}
	if a, err = rules.Parse("r.yaml", []byte("name: x\nweight: 2\neligible: true")); err != nil || a.Name() != "x" {
		t.Error(a, err)
	}
}

// The errors are in testdata as they look, for reviews of what they say.
func TestParseErrors(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		"", "name: x\n---\nname: y\n", "- a", "a", "name: Gold First", "name: x\nwire: \"\\n\"", "weight: 1", "nam: x", "name: x\nnothing_near: 1", "name: x\nname: y", "name: [x]",
		"name: x\nlimit: member.cpu", "name: x\nlimit: many", "name: x\noptions: {tolerence: 1}", "name: x\noptions: {tolerance: -1}", "name: x\noptions: {hysteresis: .nan}", "name: x\noptions: {max_moves: 1.5}", "name: x\noptions: 3",
		"name: x\neligible: membr.rack == \"a\"", "name: x\neligible: 'member.rak == \"a\"'", "name: x\nweight: |\n    partition.lag +\n      partition.log\n", "name: x\nweight: >-\n    partition.lag\n    + partition.lug\n",
		"name: x\neligible:", "name: x\neligible: ''", "name: x\nprefer: member.rack in partition.racks ? 1 : 0", "name: x\nprefer: member.rack == \"a\" #b", "name: x\neligible: \"a\" == member.rack", "name: x\neligible: !member.draining",
		"name: x\neligible: *a", "name: x\neligible: [1]", "name: x\ntogether: split(partition.topic, \".\")", "name: x\nweight: member.capacity", "name: x\ncapacity: partition.lag", "name: x\ncapacity: number(member.labels)", "name: x\ncapacity: number(\"cpu\", 1)",
		"name: x\ncapacity: member.labels.cpu", "name: x\nweight: a\ncapacity: b", "name: x\n\tweight: a", "name: x\nweight: " + strings.Repeat("1+", 2050) + "1", "name: " + strings.Repeat("x", rules.MaxFile), "a: &a {b: [[[[[[[[[[[[]]]]]]]]]]]]}", "name: \xff",
	} {
		_, err := rules.Parse("r.yaml", []byte(text))
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		fmt.Fprintf(&b, "%.100q\n%v\n\n", text, err)
	}
	golden.Check(t, filepath.Join("testdata", "errors.txt"), []byte(b.String()))
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.yaml")
	if _, err := strategy.Parse("rules:" + file); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("name: mine\nlimit: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := strategy.Parse("rules:" + file + "?cooperative")
	if err != nil || a.Name() != "cooperative-mine" {
		t.Error(a, err)
	}
	if _, err := rules.Load(t.TempDir()); err == nil {
		t.Error("a directory is taken")
	}
}

// Any file is taken or refused, and what is taken assigns or says why not.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	for _, rule := range []string{"eligible: partition.racks[0] == member.host", "weight: 1 / partition.number", "capacity: group.members - 2", "prefer: len(member.topics) ^ 99", "together: partition.topic + string(partition.number)", "limit: 1", "options: {max_moves: 1}"} {
		f.Add([]byte("name: x\n" + rule))
	}
	slog.SetDefault(quiet)
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := rules.Parse("r.yaml", text)
		if err != nil {
			return
		}
		g := group(map[string]string{"a": "1", "b": "2"}, 4, 3, 2, 1)
		answer, err := a.Assign(t.Context(), g)
		if err != nil {
			return
		}
		if err := strategy.Validate(g, &answer, strategy.ProtocolEager); err != nil {
			t.Fatal(err)
		}
	})
}
