//go:build python

package python_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// TestDescribe has a function served, after prints that must not get into the handshake.
func TestDescribe(t *testing.T) {
	a, log := open(t, plugin.Config{}, toFirst)
	if a.Name() != "first" || a.Protocol() != strategy.ProtocolEager || a.Stats().Version != "1.2.3" {
		t.Errorf("it is %s %s, %v", a.Name(), a.Stats().Version, a.Protocol())
	}
	for _, text := range []string{"printed before", "printed in between", "written past Python"} {
		eventually(t, text, func() bool { return strings.Contains(log.String(), text) })
	}
}

// TestContract holds a few lines of Python to the contract.
func TestContract(t *testing.T) {
	a, _ := open(t, plugin.Config{}, `
from assignkit_plugin import serve

class RoundRobin:
    name = "python-roundrobin"

    def assign(self, group):
        plan = {m.id: {} for m in group.members}
        turn = 0
        for topic, readers in group.subscribers().items():
            for p in range(next(t.partitions for t in group.topics if t.name == topic) if readers else 0):
                plan[readers[turn % len(readers)].id].setdefault(topic, []).append(p)
                turn += 1
        return plan

serve(RoundRobin)
`)
	strategytest.Options{Patience: time.Minute}.Run(t, func() strategy.Assignor { return pythontest.Kept{Assignor: a} })
}

// TestLogs has what a plugin says in the host's log, with its level.
func TestLogs(t *testing.T) {
	a, log := open(t, plugin.Config{}, toFirst)
	say := `logging.debug("one"); logging.info("two", extra={"tenants": 3}); logging.warning("three\nlines"); logging.critical("four"); print("five")`
	if _, err := a.Assign(t.Context(), doing(say)); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`level=DEBUG msg=one plugin=test`, `level=INFO msg=two plugin=test tenants=3`, `level=WARN msg="three\nlines" plugin=test`,
		`level=ERROR msg=four plugin=test`, `level=INFO msg=five plugin=test`,
	} {
		eventually(t, line+" in "+log.String(), func() bool { return strings.Contains(log.String(), line) })
	}
	long := `logging.error("x" * 100000 + "\u20ac", extra={"y": "\u20ac" * 100000}); logging.error("after")`
	if _, err := a.Assign(t.Context(), doing(long)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "what comes after a long line", func() bool { return strings.Contains(log.String(), "msg=after") })
	if !strings.Contains(log.String(), "level=ERROR msg=xxxx") {
		t.Error("the long line was not logged as what it is")
	}
}

// TestExceptions has exceptions as errors of calls, after which the process goes on.
func TestExceptions(t *testing.T) {
	a, log := open(t, plugin.Config{}, toFirst)
	for _, c := range []struct{ todo, want string }{
		{`raise ValueError("no such tenant: \u20ac")`, "ValueError: no such tenant: \u20ac"},
		{`raise RuntimeError("long" * 10000)`, "RuntimeError: longlong"},
		{`sys.exit("enough")`, "SystemExit: enough"},
		{`raise KeyboardInterrupt()`, "KeyboardInterrupt: "},
		{`(lambda f: f(f))(lambda f: f(f))`, "RecursionError: "},
	} {
		_, err := a.Assign(t.Context(), doing(c.todo))
		if err == nil || !strings.Contains(err.Error(), "plugin test: assign: "+c.want) {
			t.Errorf("%s: %v", c.todo, err)
		}
		if errors.Is(err, plugin.ErrCrashed) {
			t.Errorf("%s: taken for a crash: %v", c.todo, err)
		}
	}
	if n := a.Stats().Starts; n != 1 {
		t.Errorf("started %d times", n)
	}
	eventually(t, "the traceback", func() bool {
		return strings.Contains(log.String(), "Traceback (most recent call last)") && strings.Contains(log.String(), `level=ERROR msg="the assignor failed"`)
	})
}

// TestAnswers has plans that the protocol has no room for refused, with what is wrong.
func TestAnswers(t *testing.T) {
	a, _ := open(t, plugin.Config{}, `
from assignkit_plugin import serve, Answer
serve(lambda group: eval(group.name), name="evaluates")
`)
	for _, c := range []struct{ answer, want string }{
		{`{"m000": {"tenant000.topic": [0, 1, 2]}}`, ""},
		{`{"m009": {}}`, "the answer names member 'm009', who is not of the group"},
		{`{"m000": {"nope": [0]}}`, "the answer names topic 'nope', which is not of the group"},
		{`{"m000": {"tenant000.topic": [3]}}`, "the answer names partition 3 of topic 'tenant000.topic', which has 3"},
		{`{"m000": {"tenant000.topic": [-1]}}`, "the answer names partition -1 of topic 'tenant000.topic', which has 3"},
		{`{"m000": {"tenant000.topic": [1]}, "m001": {"tenant000.topic": [1]}}`, "partition 1 of topic 'tenant000.topic' is given away twice"},
		{`Answer({}, unassigned={"tenant000.topic": {0: "whim"}})`, "'whim' is no reason; there are ('withheld'"},
		{`Answer({}, unassigned={"tenant000.topic": {7: "limit"}})`, "the answer names partition 7"},
		{`Answer({}, user_data={"m009": b""})`, "the answer names member 'm009'"},
		{`None`, "'NoneType'"},
		{`{"m000": {"tenant000.topic": ["0"]}}`, "TypeError"},
	} {
		g := groupOf(2, 1, 3)
		g.Name = c.answer
		_, err := a.Assign(t.Context(), g)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.answer, err, c.want)
		}
	}
	g := groupOf(2, 1, 3)
	g.Name = `Answer({"m001": {"tenant000.topic": [2]}}, {"tenant000.topic": {1: "ineligible", 0: "limit"}}, {"m001": b"\x00data"}, "budget")`
	got, err := a.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	want := []strategy.Unassigned{
		{Topic: "tenant000.topic", Partition: 0, Reason: strategy.ReasonLimit}, {Topic: "tenant000.topic", Partition: 1, Reason: strategy.ReasonIneligible},
	}
	if len(got.Unassigned) != 2 || got.Unassigned[0] != want[0] || got.Unassigned[1] != want[1] || got.Stopped != "budget" || string(got.UserData["m001"]) != "\x00data" {
		t.Errorf("got %+v", got)
	}
}

// TestUserData has the optional methods called, and what one sends arrive.
func TestUserData(t *testing.T) {
	a, _ := open(t, plugin.Config{}, `
from assignkit_plugin import Answer, serve

class Remembers:
    name = "remembers"
    cooperative = True
    given = None

    def assign(self, group):
        return Answer({m.id: m.owned for m in group.members}, user_data={m.id: m.user_data for m in group.members})

    def signals(self):
        return ["uptime", "lag", "lag"]

    def user_data(self, topics):
        return f"{topics} {self.given}".encode()

    def on_assignment(self, given):
        self.given = given

serve(Remembers())
`)
	if a.Protocol() != strategy.ProtocolCooperative {
		t.Error("not cooperative")
	}
	if names := strategy.SignalsOf(a); !slices.Equal(names, []string{strategy.SignalLag, strategy.SignalUptime}) {
		t.Errorf("it looks at %q", names)
	}
	data, err := a.UserData([]string{"a", "b"})
	if err != nil || string(data) != "['a', 'b'] None" {
		t.Errorf("user data %q, %v", data, err)
	}
	a.OnAssignment(strategy.Received{Group: "g", Generation: 7, Member: "m", Partitions: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{1, 2}}}, UserData: []byte("x")})
	data, err = a.UserData(nil)
	want := "[] Assignment(group='g', generation=7, member='m', partitions={'t': [1, 2]}, user_data=b'x')"
	if err != nil || string(data) != want {
		t.Errorf("user data %q, %v", data, err)
	}
	large := bytes.Repeat([]byte("0123456789abcdef"), 5<<16) // 5 MiB: compressed both ways
	g := groupOf(1, 1, 1)
	g.Members[0].Owned, g.Members[0].Generation = []strategy.TopicPartitions{{Topic: "tenant000.topic", Partitions: []int32{0}}}, 1
	g.Members[0].UserData = large
	answer, err := a.Assign(context.Background(), g)
	if err != nil || !bytes.Equal(answer.UserData["m000"], large) {
		t.Errorf("%d bytes of user data come back, %v", len(answer.UserData["m000"]), err)
	}
}

// TestTooLarge has an answer that is larger than a message may be.
func TestTooLarge(t *testing.T) {
	a, _ := open(t, plugin.Config{}, `
from assignkit_plugin import Answer, serve
serve(lambda group: Answer({}, user_data={"m000": bytes(64 << 20)}), name="large")
`)
	if _, err := a.Assign(t.Context(), groupOf(1, 1, 1)); !errors.Is(err, plugin.ErrTooLarge) || !strings.Contains(err.Error(), "67108864 is the most") {
		t.Errorf("got %v", err)
	}
}
