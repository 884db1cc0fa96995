package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
)

// parse runs the command line and describes the options that come out of it, or returns the error.
func parse(args string) (string, error) {
	streams, _, _ := iostreams.Test("")
	var got *options
	cmd := NewCommand(streams, func(_ context.Context, o *options) error { got = o; return nil })
	cmd.SetArgs(strings.Fields(args))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(io.Discard)
	if err := cmd.Execute(); err != nil {
		return "", err
	}
	if got == nil {
		return "", errors.New("it did not run")
	}
	return got.describe(), nil
}

// describe lists what is set.
func (o *options) describe() string {
	var parts []string
	add := func(set bool, format string, args ...any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(o.File != "", "file %s", o.File)
	add(o.Import != "", "import %s", o.Import)
	add(o.Trace != "", "trace %s", o.Trace)
	add(o.Group != "", "group %s", o.Group)
	add(o.Subscriptions != "", "subscriptions %s", o.Subscriptions)
	for _, t := range o.Topics {
		add(true, "%s=%d", t.Name, t.Partitions)
	}
	for i := range o.Members {
		add(true, "member %s", o.Members[i].ID)
	}
	add(o.Static, "static")
	add(o.Members != nil && len(o.Members) == 0, "no members")
	for _, s := range o.strategies {
		add(true, "strategy %s", s)
	}
	for _, e := range o.Events {
		add(true, "%s", e)
	}
	add(o.whatIf.asked(), "what if %d..%d", o.whatIf.from, o.whatIf.to)
	for _, a := range o.assertions {
		add(true, "assert %s", a)
	}
	add(o.junit != "", "junit %s", o.junit)
	add(o.full, "full")
	add(o.format != "table", "%s", o.format)
	add(o.FromCluster(), "cluster")
	return strings.Join(parts, "; ")
}

func TestOptions(t *testing.T) {
	tests := []struct{ args, want string }{
		{"a.yaml", "file a.yaml"},
		{"-", "file -"},
		{"a.yaml --assert skew<=1 --assert max<3 --junit x.xml", "file a.yaml; assert skew<=1; assert max<3; junit x.xml"},
		{"a.yaml -o json --full", "file a.yaml; full; json"},
		{"--topics a=1,b=2 --topics c=3 --members 2", "a=1; b=2; c=3; member member-1; member member-2"},
		{"--topics a=1 --members x,y", "a=1; member x; member y"},
		{"--topics a=1 --members x", "a=1; member x"},
		{"--topics a=1 --members 0", "a=1; no members"},
		{"--static --topics a=1 --members x,y", "a=1; member x; member y; static"},
		{"a.yaml -s range,sticky -s range --strategy sticky?tolerance=2", "file a.yaml; strategy range; strategy sticky; strategy sticky?tolerance=2"},
		{"--brokers embedded --group g --weights none --join 1", "group g; join 1; cluster"},
		{"--group g --leave x", "group g; leave x; cluster"},
		{"--profile prod --group g", "group g; cluster"},
		{"--import - --group g --subscriptions owned", "import -; group g; subscriptions owned"},
		{"--trace t.jsonl --group g --weights none --join 1", "trace t.jsonl; group g; join 1"},
		{"a.yaml --leave x --join 2 --leave y*,z --join p,q", "file a.yaml; leave x; join 2; leave y*, z; join p, q"},
		{"a.yaml --grow a=5,b=6 --create c=1 --delete d,e", "file a.yaml; grow a to 5, b to 6; create c with 1; delete d, e"},
		{"a.yaml --deploy x*,surge=2,max-unavailable=1 --restart z", "file a.yaml; deploy x*; restart z"},
		{"a.yaml --deploy x*,max_unavailable=2", "file a.yaml; deploy x*"},
		{"a.yaml --set x:capacity=0,rack=b,label.tier=gold", `file a.yaml; set x: capacity 0, rack "b", tier=gold`},
		{"a.yaml --set x:uptime=90m,signal.cpu=-0.5", "file a.yaml; set x: uptime 1h30m0s, signal cpu -0.5"},
		{"a.yaml --set host:9092:capacity=2", "file a.yaml; set host:9092: capacity 2"},
		{"--topics a=126 --what-if members=1..20", "a=126; what if 1..20"},
		{"--topics a=126 --what-if members=7", "a=126; what if 7..7"},
		{"--topics a=33554432 --members 1", "a=33554432; member member-1"},
	}
	for _, test := range tests {
		got, err := parse(test.args)
		if err != nil {
			t.Errorf("%s: %v", test.args, err)
		} else if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.args, got, test.want)
		}
	}
}
