package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var requireJava = flag.Bool("require-java", false, "fail where Java's assignors cannot be run, instead of skipping")

// The test program plays the child that peers are examined in, with some peers more that are broken.
func TestMain(m *testing.M) {
	if isChild() {
		os.Exit(child(os.Stdin, os.Stdout, append(all(nil), brokenPeers()...)))
	}
	code := m.Run()
	sharedJava.close()
	os.Exit(code)
}

func TestRunPrintsTablesAndTargets(t *testing.T) {
	var out, complaints bytes.Buffer
	args := []string{"-quick", "-calls", "2", "-peers", "franz-go/(sticky|range)$", "-shapes", "half.*step=join", "-check"}
	if code := run(t.Context(), args, &out, &complaints); code != exitOK {
		t.Fatalf("exit %d: %s", code, &complaints)
	}
	for _, want := range []string{
		"## 12 topics × 10 partitions × 10 members, half subscriptions, join\n",
		"| assignkit | sticky | ", "| franz-go | sticky | ", "| franz-go | range | ",
		"at least 50 × as fast as franz-go's sticky | not measured | not in this run |",
		"| reached | 2 valid results of peers on 1 groups |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the output:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "sarama") {
		t.Error("a peer was asked that was not chosen")
	}
}

func TestRunPrintsJSON(t *testing.T) {
	var out, complaints bytes.Buffer
	args := []string{"-quick", "-calls", "1", "-peers", "kafka-go/range", "-shapes", "nested", "-o", "json"}
	if code := run(t.Context(), args, &out, &complaints); code != exitOK {
		t.Fatalf("exit %d: %s", code, &complaints)
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tables) != 1 || len(got.Tables[0].Results) != 3 || got.Tables[0].Results[2].String() != "kafka-go/range" || len(got.Verdicts) != 9 {
		t.Errorf("got %+v", got)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-o", "xml"}, exitUsage, "-o xml: it is markdown or json"},
		{[]string{"-shapes", "("}, exitUsage, "-shapes: error parsing regexp"},
		{[]string{"-peers", "("}, exitUsage, "-peers: error parsing regexp"},
		{[]string{"-quick", "-grid"}, exitUsage, "choose one"},
		{[]string{"-calls", "0"}, exitUsage, "must be more than 0"},
		{[]string{"all"}, exitUsage, `"all": only flags are taken`},
		{[]string{"-nonsense"}, exitUsage, "-nonsense"},
		{[]string{"-shapes", "round"}, exitFailed, "equal/topics=1000/partitions=1000000/members=5000/step=join"},
		{[]string{"-peers", "nobody"}, exitFailed, "sarama/cooperative-sticky"},
		{[]string{"-h"}, exitOK, "-require-java"},
	} {
		var out, complaints bytes.Buffer
		if code := run(t.Context(), c.args, &out, &complaints); code != c.code || !strings.Contains(complaints.String(), c.says) {
			t.Errorf("%v: exit %d, want %d: %s", c.args, code, c.code, &complaints)
		}
		if out.Len() > 0 {
			t.Errorf("%v printed %s", c.args, &out)
		}
	}
}
