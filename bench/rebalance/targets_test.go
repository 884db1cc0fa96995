package main

import (
	"strings"
	"testing"
)

// A run of one window, as scenarios with one have it.
func once(moved, apart []float64, control float64) Run {
	return Run{Kept: []float64{control}, Moved: moved, Apart: apart, Control: []float64{control}}
}

func TestTargets(t *testing.T) {
	for _, test := range []struct {
		name    string
		target  target
		runs    []Run
		outcome string
		says    string
	}{
		{"move", movesFlow, []Run{once([]float64{30, 40}, nil, 30), once([]float64{125}, nil, 25)}, reached, "10 ms, at worst 100 ms, of 3 in 2 runs"},
		{"move once too long", movesFlow, []Run{once([]float64{30, 40}, nil, 30), once([]float64{126}, nil, 25)}, missed, "at worst 101 ms"},
		{"move long", movesFlow, []Run{once([]float64{46, 47, 48}, nil, 25)}, missed, "22 ms, at worst 23 ms"},
		{"nothing moves", movesFlow, []Run{once(nil, nil, 25)}, missed, "nothing has moved"},
		{"slow", slowInTime, []Run{once(nil, []float64{3010, 3100}, 25)}, reached, "100 ms, at worst of 2 in 1 run"},
		{"slow takes longer", slowInTime, []Run{once(nil, []float64{3101}, 25)}, missed, "101 ms"},
		{"slow keeps all", slowInTime, []Run{once([]float64{25}, nil, 25)}, missed, "nothing of it"},
		{"beside", besideFlow, []Run{once([]float64{30}, []float64{175}, 25)}, reached, "from ours 5 / 5 ms, from Java 150 / 150 ms"},
		{"beside, Java's late", besideFlow, []Run{once([]float64{30}, []float64{176}, 25)}, missed, "from Java 151 / 151 ms"},
		{"beside, ours late", besideFlow, []Run{once([]float64{300}, nil, 25)}, missed, "from Java – ms"},
		{"once", allOnce, []Run{{}, {}}, reached, "0 twice, 0 lost, in 2 runs"},
		{"one twice", allOnce, []Run{{Repeated: 1}, {}}, missed, "1 twice"},
		{"one lost", allOnce, []Run{{}, {Lost: 1}}, missed, "1 lost"},
		{"stay", staysFlow, []Run{{Excess: 20}, {Excess: -3}}, reached, "20 ms"},
		{"stay long", staysFlow, []Run{{Excess: 21}, {Excess: -3}}, missed, "21 ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := parse(nil, new(strings.Builder))
			if err != nil {
				t.Fatal(err)
			}
			outcome, measured := test.target.judge(&Report{Settings: o.settings}, &Row{Runs: test.runs})
			if outcome != test.outcome || !strings.Contains(measured, test.says) {
				t.Errorf("%s, %s; want %s, %s", outcome, measured, test.outcome, test.says)
			}
		})
	}
}

// about finds the verdict on the target that begins with some words.
func about(t *testing.T, list []Verdict, beginning string) Verdict {
	t.Helper()
	for _, v := range list {
		if strings.HasPrefix(v.Target, beginning) {
			return v
		}
	}
	t.Fatalf("no target begins with %q", beginning)
	return Verdict{}
}

// deployed is a row of a deploy.
func deployed(client string, brokers int, seconds ...float64) Row {
	row := Row{Scenario: "deploy", Brokers: brokers, Client: client, Commits: commitAuto}
	for _, s := range seconds {
		row.Runs = append(row.Runs, Run{Ownerless: s})
	}
	return row
}

// Ours at worst is compared with the best that another client has shown.
func TestDeployIsComparedWithTheBest(t *testing.T) {
	broken := deployed("broken", 1, 1)
	broken.Problem = "it hangs"
	others := []Row{deployed("slow", 1, 900), deployed("quick", 1, 300, 200), broken, deployed("never", 1)}
	for _, test := range []struct {
		name    string
		row     Row
		others  []Row
		outcome string
		says    string
	}{
		{"reached", deployed(ours, 1, 5, 20), others, reached, "20.0; quick has 200.0"},
		{"missed", deployed(ours, 1, 5, 20.1), others, missed, "20.1; quick has 200.0"},
		{"elsewhere", deployed(ours, 3, 5), others, reached, "quick has 200.0 on one broker"},
		{"there as well", deployed(ours, 3, 5), append(others, deployed("slow", 3, 40)), missed, "slow has 40.0"},
		{"alone", deployed(ours, 1, 5), []Row{broken}, notMeasured, "5.0; others are not in this run"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Report{Rows: append([]Row{test.row}, test.others...)}
			outcome, measured := deploysFlow.judge(r, &r.Rows[0])
			if outcome != test.outcome || !strings.Contains(measured, test.says) {
				t.Errorf("%s, %s; want %s, %s", outcome, measured, test.outcome, test.says)
			}
		})
	}
}

// Each target is judged on each number of brokers, and on the rows of that number only.
func TestJudgeTargets(t *testing.T) {
	good := once([]float64{30}, nil, 25)
	r := &Report{Rows: []Row{
		{Scenario: "join", Brokers: 1, Client: ours, Commits: commitAuto, Runs: []Run{good}},
		{Scenario: "join", Brokers: 3, Client: ours, Commits: commitAuto, Runs: []Run{once([]float64{300}, nil, 25)}},
		{Scenario: "leave", Brokers: 3, Client: ours, Commits: commitAuto, Problem: "it hangs"},
	}}
	for _, test := range []struct {
		brokers         int
		target, outcome string
	}{
		{1, "join: partitions that move", reached},
		{3, "join, three brokers: partitions that move", missed},
		{3, "join, three brokers: no record", reached},
		{1, "leave: partitions that move", notMeasured},
		{3, "leave, three brokers: partitions that move", missed},
		{1, "deploy-surge: partition-seconds", notMeasured},
		{3, "beside, three brokers: no record", notMeasured},
	} {
		if v := about(t, r.judgeTargets(test.brokers), test.target); v.Outcome != test.outcome {
			t.Errorf("%s: %s, want %s", v.Target, v.Outcome, test.outcome)
		}
	}
}
