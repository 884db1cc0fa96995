package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The test program plays the child that reads a load.
func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		os.Exit(child(text, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-client", "("}, exitUsage, "-client: error parsing regexp"},
		{[]string{"-scenario", "("}, exitUsage, "-scenario: error parsing regexp"},
		{[]string{"-n", "0"}, exitUsage, "-n must be more than 0"},
		{[]string{"join"}, exitUsage, "only flags are taken"},
		{[]string{"-nonsense"}, exitUsage, "-nonsense"},
		{[]string{"-scenario", "crash"}, exitFailed, "there are coordinator, throughput, join, leave, slow, rolling"},
		{[]string{"-client", "nobody"}, exitFailed, "sarama/cooperative-sticky"},
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

func TestQuickMeasuresOursUnlessToldOtherwise(t *testing.T) {
	for arg, want := range map[string]string{"-quick": ours, "-quick -client java": "java", "-n 2": ""} {
		o, err := parse(strings.Fields(arg), new(bytes.Buffer))
		if err != nil || o.client.String() != want {
			t.Errorf("%s: %v, %v, want %s", arg, o.client, err, want)
		}
	}
}

// sample is a report in which some is reached and some is not.
func sample() *Report {
	good := Run{Kept: []float64{20, 30}, Moved: []float64{300}, Control: []float64{25}, Excess: 5}
	bad := Run{Kept: []float64{3000}, Control: []float64{25}, Excess: 2975, Repeated: 7}
	survived := Run{Kept: []float64{30}, Waiting: []float64{5000}, Control: []float64{25}, Coordinator: &Failover{Before: 2, After: 2}}
	noticed := survived
	noticed.Coordinator = &Failover{Failed: 3, Callbacks: 4, Before: 2, After: 3}
	r := &Report{
		Repeats: 2, Records: 8000,
		Rows: []Row{
			{Scenario: "join", Client: ours, Commits: commitAuto, Runs: []Run{good, good}},
			{Scenario: "leave", Client: ours, Commits: commitAuto, Runs: []Run{good, bad}},
			{Scenario: "rolling", Client: ours, Commits: commitAuto, Runs: []Run{good}, Problem: "it hangs | for ever"},
			{Scenario: "join", Client: "other", Commits: commitAuto, Problem: "there is none"},
			{Scenario: failoverName, Client: ours, Commits: commitAuto, Runs: []Run{survived}},
			{Scenario: failoverName, Client: ours, Commits: commitSync, Runs: []Run{survived, noticed}},
		},
		Loads: []Load{
			{Client: "franz-go group", CPU: []float64{300, 310, 600}, Rate: []float64{1e6, 1e6, 1e6}},
			{Client: "sarama ConsumerGroup", CPU: []float64{500, 500, 1000}, Rate: []float64{1e6, 1e6, 1e6}},
			{Client: "assignkit batches", CPU: []float64{270, 290, 590}, Rate: []float64{2e6, 3e6, 4e6}},
			{Client: "assignkit records", CPU: []float64{450, 450, 450}, Rate: []float64{2e6, 3e6, 4e6}},
		},
	}
	r.Verdicts = judge(r)
	return r
}

func TestJudge(t *testing.T) {
	for i, want := range []struct{ outcome, says string }{
		{reached, "5 ms, at worst of 2 runs"},
		{missed, "2975 ms"},
		{notMeasured, ""},
		{missed, "it hangs"},
		{reached, "0 twice, 0 lost, in 2 runs"},
		{missed, "7 twice"},
		{missed, "it hangs"},
		{reached, "0.94 ×"}, // of 0.90, 0.94, 0.98
		{missed, "0.90 ×"},
		{reached, "30 ms (control 25 ms), 0 commits"},
		{notMeasured, ""},
		{missed, "3 commits failed or missing, 4 callbacks, generation changed in 1 of 2 runs"},
	} {
		if v := sample().Verdicts[i]; v.Outcome != want.outcome || !strings.Contains(v.Measured, want.says) {
			t.Errorf("%s: %s, %s; want %s, %s", v.Target, v.Outcome, v.Measured, want.outcome, want.says)
		}
	}
}

// Where the control reader was silent as well, it was the machine.
func TestJudgeBusyMachine(t *testing.T) {
	r := sample()
	run := &r.Rows[4].Runs[0]
	run.Kept, run.Control, run.Excess = []float64{400}, []float64{395}, 5
	if v := r.judgeFailover(commitAuto); v.Outcome != tooBusy {
		t.Errorf("got %+v", v)
	}
	run.Control, run.Excess = []float64{300}, 100
	if v := r.judgeFailover(commitAuto); v.Outcome != missed {
		t.Errorf("got %+v", v)
	}
}

func TestPrint(t *testing.T) {
	r := sample()
	var text, page, object bytes.Buffer
	if err := r.writeText(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.writeMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&object).Encode(r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"assignkit  2          25 / 30   300 / 300  25 / 25      5                      0      0\n",
		"other failed: there is none\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the text:\n%s", want, &text)
		}
	}
	for _, want := range []string{
		"# Rebalances and reading", "\n## A third member joins\n",
		"| assignkit | 2 | 25 / 30 | 300 / 300 | 25 / 25 | 5 | 0 | 0 |\n", "| other | 0, failed |",
		`assignkit failed: it hangs \| for ever`, "| 2 → 2, 2 → 3 |", "| **missed** |", "| assignkit batches | 3 | 0.290 | 0.270 | 0.94 × | 0.58 × | 3.0 M |",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not in the page:\n%s", want, &page)
		}
	}
	var back Report
	if err := json.Unmarshal(object.Bytes(), &back); err != nil || len(back.Rows) != len(r.Rows) || back.Rows[5].Runs[1].Coordinator.Callbacks != 4 {
		t.Errorf("JSON comes back as %+v, %v", back, err)
	}
}
