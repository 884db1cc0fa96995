package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestChart(t *testing.T) {
	r := &Report{
		Settings: settings{Partitions: 12, Every: 10 * time.Millisecond},
		Rows: []Row{
			{Scenario: "join", Brokers: 1, Client: ours, Runs: []Run{once([]float64{35, 65}, nil, 33)}},
			{Scenario: "join", Brokers: 1, Client: "a<b", Runs: []Run{once([]float64{3100}, nil, 31)}},
			{Scenario: "join", Brokers: 1, Client: "moves nothing", Runs: []Run{once(nil, nil, 32)}},
			{Scenario: "join", Brokers: 1, Client: "fails", Problem: "it hangs"},
			{Scenario: "join", Brokers: 3, Client: "on three", Runs: []Run{once([]float64{35}, nil, 33)}},
			{Scenario: "leave", Brokers: 1, Client: "leaves", Runs: []Run{once([]float64{35}, nil, 33)}},
		},
	}
	var b strings.Builder
	if err := r.writeChart(&b); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, &b)
		}
	}
	for _, want := range []string{">assignkit<", ">50 / 65 ms<", ">a&lt;b<", ">3100 / 3100 ms<", ">–<", ">control reader, 32 ms<", "prefers-color-scheme: dark"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the chart", want)
		}
	}
	for _, other := range []string{"fails", "on three", "leaves", "NaN", "!"} {
		if strings.Contains(b.String(), other) {
			t.Errorf("%q is in the chart", other)
		}
	}
	if err := (&Report{}).writeChart(io.Discard); err == nil {
		t.Error("an empty report has a chart")
	}
}

// Times beyond the axis are at its ends, and none beside it.
func TestChartAxis(t *testing.T) {
	for ms, want := range map[float64]float64{0: chartLeft, 10: chartLeft, 10_000: chartRight, 1e6: chartRight} {
		if x := chartX(ms); x != want {
			t.Errorf("%v ms is at %v, want %v", ms, x, want)
		}
	}
	if !(chartX(30) < chartX(31)) {
		t.Error("what is longer is not further right")
	}
}
