package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

// planned makes the plan for a command line.
func planned(t *testing.T, args string) []leg {
	t.Helper()
	o, err := parse(strings.Fields(args), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	m := &measuring{options: &o, clients: choose(clients(&javaLibrary{}), o.client), progress: io.Discard}
	legs, err := m.plan()
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return legs
}

func TestPlan(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-scenario join", "join on one broker, join on three brokers"},
		{"-scenario join -client franz", "join on one broker"},
		{"-scenario join -client franz -brokers 3", "join on three brokers"},
		{"-scenario join -client franz -brokers both", "join on one broker, join on three brokers"},
		{"-scenario beside|rolling -client java -brokers both", "rolling on one broker, rolling on three brokers"},
		{"-scenario deploy -client sarama/sticky|franz -brokers 1", "deploy on one broker, deploy-static on one broker, deploy-surge on one broker"},
		{"-scenario throughput|coordinator", "throughput on one broker, coordinator on three brokers"},
		{"-scenario throughput|coordinator|join -brokers 1", "throughput on one broker, join on one broker"},
		{"-scenario throughput|coordinator|join -brokers 3", "join on three brokers, coordinator on three brokers"},
		{"-scenario throughput|coordinator|join -quick", "throughput on one broker, join on one broker, coordinator on three brokers"},
		{"-quick", "throughput on one broker, join on one broker, leave on one broker, slow on one broker, beside on one broker, deploy on one broker, " +
			"deploy-static on one broker, deploy-surge on one broker"},
	} {
		var got []string
		for _, l := range planned(t, test.args) {
			got = append(got, l.String())
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s: %s, want %s", test.args, text, test.want)
		}
	}
}

// Java is compiled where it is needed: for its own clients, and beside ours.
func TestPlanNeedsJava(t *testing.T) {
	for args, want := range map[string]bool{"-client assignkit -scenario join": false, "-client assignkit -scenario beside": true, "-client java -scenario join": true} {
		if got := planned(t, args)[0].java; got != want {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
	}
}

func TestPlanTakes(t *testing.T) {
	usual := func(args string) (total time.Duration) {
		for _, l := range planned(t, args) {
			total += l.takes
		}
		return total
	}
	if got := usual(""); got > 75*time.Minute {
		t.Errorf("everything takes %v", got)
	}
	if got, want := usual("-scenario join -client assignkit -n 2 -brokers 1"), 2*scenarios[0].ours.takes; got != want {
		t.Errorf("two joins take %v, want %v", got, want)
	}
	if got, want := usual("-scenario coordinator -client assignkit -n 2"), startTakes+3*2*failoverTakes; got != want {
		t.Errorf("two coordinators with each way to commit take %v, want %v", got, want)
	}
}
