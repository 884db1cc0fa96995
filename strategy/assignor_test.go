package strategy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// able has every optional interface, and notes what is called.
type able struct {
	answers
	calls *[]string
	err   error
}

func (a able) Protocol() Protocol { return ProtocolCooperative }
func (a able) UserData(topics []string) ([]byte, error) {
	return []byte(topics[0]), a.err
}
func (a able) OnAssignment(r Received)           { *a.calls = append(*a.calls, "assigned "+r.Member) }
func (a able) Unit(*Group, *Topic, int32) string { return "unit" }
func (a able) Signals() []string                 { return []string{SignalRate, SignalLag, SignalRate} }
func (a able) Explain(_ context.Context, _ *Group, _ *Assignment, of TopicPartition) (Explanation, error) {
	return Explanation{Topic: of.Topic, Assignor: "able"}, a.err
}
func (a able) Close() error { *a.calls = append(*a.calls, "closed"); return a.err }

// plainWrapper wraps and offers nothing else.
type plainWrapper struct{ inner Assignor }

func (w plainWrapper) Name() string     { return w.inner.Name() }
func (w plainWrapper) Unwrap() Assignor { return w.inner }
func (w plainWrapper) Assign(ctx context.Context, g *Group) (Assignment, error) {
	return w.inner.Assign(ctx, g)
}

// Every optional interface is found behind every wrapper.
func TestOptionalInterfacesBehindWrappers(t *testing.T) {
	for name, wrap := range map[string]func(Assignor) Assignor{
		"none":        func(a Assignor) Assignor { return a },
		"wrapper":     func(a Assignor) Assignor { return plainWrapper{a} },
		"cooperative": Cooperative,
		"fallback":    func(a Assignor) Assignor { return Fallback(a) },
		"all":         func(a Assignor) Assignor { return plainWrapper{Fallback(Cooperative(plainWrapper{a}))} },
	} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			a := wrap(able{calls: &calls})
			if ProtocolOf(a) != ProtocolCooperative {
				t.Error("protocol is hidden")
			}
			if data, err := UserDataFor(a, []string{"t"}); string(data) != "t" || err != nil {
				t.Error("user data is hidden", data, err)
			}
			Notify(a, Received{Member: "m"})
			if err := Close(a); err != nil {
				t.Error(err)
			}
			if !slices.Equal(calls, []string{"assigned m", "closed"}) {
				t.Errorf("called %v", calls)
			}
			if _, ok := As[UnitProvider](a); !ok {
				t.Error("the provider of units is hidden")
			}
			g := &Group{Topics: []Topic{{Name: "t", Partitions: 1}}}
			if e, err := Explain(context.Background(), a, g, &Assignment{}, TopicPartition{Topic: "t"}); err != nil || e.Assignor != "able" {
				t.Errorf("explained by %q: %v", e.Assignor, err)
			}
			if names := SignalsOf(a); !slices.Equal(names, []string{SignalLag, SignalRate}) {
				t.Errorf("signals %q", names)
			}
		})
	}
}

// Every optional interface is listed at Assignor, looked up by As, which walks through wrappers, and among those of able.
func TestOptionalInterfacesListed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, data...)
	}
	optional := regexp.MustCompile(`(?s)// (\w+) is an optional interface of an \[Assignor\][^{]*\{.*?\n\t(\w+)\(`).FindAllSubmatch(source, -1)
	if len(optional) == 0 {
		t.Fatal("there is none")
	}
	for _, o := range optional {
		name, method := string(o[1]), string(o[2])
		for _, want := range []string{"//   - [" + name + "]: ", " As[" + name + "](", "func (a able) " + method + "("} {
			if !bytes.Contains(source, []byte(want)) {
				t.Errorf("%s: there is no %q", name, want)
			}
		}
	}
}

func TestOptionalInterfacesAbsent(t *testing.T) {
	a := plainWrapper{answers{}}
	if data, err := UserDataFor(a, nil); data != nil || err != nil {
		t.Error(data, err)
	}
	Notify(a, Received{})
	if names := SignalsOf(Fallback(Cooperative(Fallback(a, able{})), a)); !slices.Equal(names, []string{SignalLag, SignalRate}) {
		t.Errorf("signals of one that is asked by one of those that are asked: %q", names)
	}
	if names := SignalsOf(Fallback(a, able{})); !slices.Equal(names, []string{SignalLag, SignalRate}) || len(SignalsOf(a)) > 0 {
		t.Errorf("signals of one that is asked later: %q; of one that looks at none: %q", names, SignalsOf(a))
	}
	if _, ok := As[UnitProvider](a); ok {
		t.Error("units from nowhere")
	}
	if err := Close(a); err != nil {
		t.Error(err)
	}
	if _, ok := As[Notifier](nil); ok {
		t.Error("found in nothing")
	}
}

// own wraps itself.
type own struct{ answers }

func (o own) Unwrap() Assignor { return o }

func TestChainThatBitesItsTail(t *testing.T) {
	if _, ok := As[Notifier](own{}); ok || ProtocolOf(own{}) != ProtocolEager || Close(own{}) != nil {
		t.Error("found what is not there")
	}
}

func TestCloseReachesEverything(t *testing.T) {
	var calls []string
	first, then := able{calls: &calls, err: errBroken}, able{calls: &calls}
	if err := Close(Fallback(first, then, plainWrapper{then})); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if len(calls) != 3 {
		t.Errorf("closed %d of 3", len(calls))
	}
	if err := Close(Fallback(then, first)); !errors.Is(err, errBroken) {
		t.Errorf("the error of one that is asked later is lost: %v", err)
	}
}
