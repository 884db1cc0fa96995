package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
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
		{[]string{"-n", "-1"}, exitUsage, "-n must not be negative"},
		{[]string{"-brokers", "2"}, exitUsage, "-brokers 2: there are 1, 3 and both"},
		{[]string{"-chart", "c.svg", "-scenario", "leave"}, exitUsage, "-chart draws scenario join"},
		{[]string{"join"}, exitUsage, "only flags are taken"},
		{[]string{"-nonsense"}, exitUsage, "-nonsense"},
		{[]string{"-scenario", "crash"}, exitFailed, "there are throughput, coordinator, join, leave, slow, rolling, beside, deploy, deploy-static, deploy-surge"},
		{[]string{"-scenario", "coordinator", "-brokers", "1"}, exitFailed, "no such scenario for these clients and brokers"},
		{[]string{"-scenario", "beside", "-client", "franz"}, exitFailed, "no such scenario for these clients and brokers"},
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
	for arg, want := range map[string]string{"-quick": "^assignkit$", "-quick -client java": "java", "-n 2": ""} {
		o, err := parse(strings.Fields(arg), new(bytes.Buffer))
		if err != nil || o.client.String() != want {
			t.Errorf("%s: %v, %v, want %s", arg, o.client, err, want)
		}
	}
}

// sample is a report in which some is reached and some is not.
func sample() *Report {
	good := Run{Kept: []float64{20, 30}, Moved: []float64{300}, Control: []float64{25}, Excess: 5, MovedExcess: 275}
	bad := Run{Kept: []float64{3000}, Control: []float64{25}, Excess: 2975, Repeated: 7}
	survived := Run{Kept: []float64{30}, Waiting: []float64{5000}, Control: []float64{25}, Coordinator: &Failover{Before: 2, After: 2}}
	noticed := survived
	noticed.Coordinator = &Failover{Failed: 3, Callbacks: 4, Before: 2, After: 3}
	r := &Report{
		Records:  8000,
		Settings: settings{Partitions: 12, Every: 10 * time.Millisecond, Slow: 3 * time.Second},
		Deploys:  settings{Partitions: 200, Every: 50 * time.Millisecond, Members: 10},
		Rows: []Row{
			{Scenario: "join", Brokers: 1, Client: ours, Commits: commitAuto, Runs: []Run{good, good}},
			{Scenario: "leave", Brokers: 1, Client: ours, Commits: commitAuto, Runs: []Run{good, bad}},
			{Scenario: "rolling", Brokers: 1, Client: ours, Commits: commitAuto, Runs: []Run{good}, Problem: "it hangs | for ever"},
			{Scenario: "join", Brokers: 1, Client: "other", Commits: commitAuto, Problem: "there is none"},
			{Scenario: failoverName, Brokers: 3, Client: ours, Commits: commitAuto, Runs: []Run{survived}},
			{Scenario: failoverName, Brokers: 3, Client: ours, Commits: commitSync, Runs: []Run{survived, noticed}},
			{Scenario: "slow", Brokers: 3, Client: ours, Commits: commitAuto, Runs: []Run{once([]float64{26}, []float64{3050}, 25)}},
			{Scenario: "deploy", Brokers: 1, Client: ours, Commits: commitAuto, Runs: []Run{{Moved: []float64{70}, Control: []float64{60}, Ownerless: 1.25, Rounds: 40}}},
			{Scenario: "deploy", Brokers: 1, Client: "other", Commits: commitAuto, Runs: []Run{{Moved: []float64{3000}, Control: []float64{60}, Ownerless: 512, Rounds: 38}}},
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
	const coordinator = "coordinator killed, "
	for _, want := range []struct{ target, outcome, says string }{
		{"join: partitions that stay", reached, "5 ms, at worst of 2 runs"},
		{"join: partitions that move", missed, "275 ms, at worst 275 ms, of 2 in 2 runs"},
		{"join: no record", reached, "0 twice, 0 lost, in 2 runs"},
		{"leave: partitions that stay", missed, "2975 ms"},
		{"leave: no record", missed, "7 twice"},
		{"slow: partitions that stay", notMeasured, ""},
		{"slow, three brokers: partitions of the slow one", reached, "50 ms"},
		{"rolling: partitions that stay", missed, "it hangs"},
		{"rolling: no record", missed, "it hangs"},
		{"deploy: partition-seconds", reached, "1.2; other has 512.0"},
		{"batch handler", reached, "0.94 ×"}, // of 0.90, 0.94, 0.98
		{"record handler", missed, "0.90 ×"},
		{coordinator + "automatic", reached, "30 ms (control 25 ms), 0 commits"},
		{coordinator + "asynchronous", notMeasured, ""},
		{coordinator + "synchronous", missed, "3 commits failed or missing, 4 callbacks, generation changed in 1 of 2 runs"},
	} {
		if v := about(t, sample().Verdicts, want.target); v.Outcome != want.outcome || !strings.Contains(v.Measured, want.says) {
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
	if err := r.writeMarkdown(&page, "join.svg"); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&object).Encode(r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"assignkit  2          25 / 30   300 / 300  25 / 25      5                      275                    0      0\n",
		"other failed: there is none\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the text:\n%s", want, &text)
		}
	}
	for _, want := range []string{
		"# Rebalances and reading", "\n## A third member joins\n",
		"| assignkit | 2 | 25 / 30 | 300 / 300 | 25 / 25 | 5 | 275 | 0 | 0 |\n", "| other | 0, failed |", "\n![How long partitions are silent when a third member joins](join.svg)\n",
		"takes its time to revoke, on three brokers\n", "| move, ms | from the slow one, ms |", "| 26 / 26 | 3050 / 3050 |", "| other | 1 | 512.0 | 38 | 3000 / 3000 |",
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

// The page refers to the chart from where it is itself.
func TestPicture(t *testing.T) {
	for _, test := range []struct{ page, chart, want string }{
		{"page.md", "", ""},
		{"page.md", "chart.svg", "chart.svg"},
		{"docs/page.md", "docs/pictures/chart.svg", "pictures/chart.svg"},
		{"docs/page.md", "chart.svg", "../chart.svg"},
		{"docs/page.md", "/chart.svg", "/chart.svg"},
	} {
		if got := (&options{markdown: test.page, chart: test.chart}).picture(); got != test.want {
			t.Errorf("%s refers to %s as %s, want %s", test.page, test.chart, got, test.want)
		}
	}
}

// Results are printed also if a file cannot be written, which is an error all the same.
func TestWriteWithoutAFile(t *testing.T) {
	var out bytes.Buffer
	err := write(&options{markdown: t.TempDir() + "/missing/page.md"}, sample(), &out)
	if err == nil || !strings.Contains(out.String(), "A third member joins") {
		t.Errorf("%v, printed %s", err, &out)
	}
}
