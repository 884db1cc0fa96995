package signals

import (
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

func TestLag(t *testing.T) {
	for _, c := range []struct {
		end, next int64
		want      float64
	}{{10, 4, 6}, {10, 10, 0}, {10, 12, 0}, {0, 0, 0}} {
		if got := Lag(c.end, c.next); got != c.want {
			t.Errorf("from %d to %d: %v", c.next, c.end, got)
		}
	}
}

func TestRates(t *testing.T) {
	r := NewRates(10 * time.Second)
	r.Narrow([]strategy.Topic{orders})
	p := at("orders", 1)
	for i, c := range []struct {
		now    time.Duration
		offset int64
		rate   float64
		ok     bool
	}{
		{0, 100, 0, false},                   // there is nothing to compare with
		{time.Second, 1000, 0, false},        // that is no time
		{10 * time.Second, 200, 10, true},    // since 0
		{11 * time.Second, 1100, 90.9, true}, // a moment later, still since 0
		{30 * time.Second, 300, 5, true},     // since 10
		{40 * time.Second, 300, 0, true},     // nothing came
		{50 * time.Second, 20, 0, false},     // the topic was made anew
		{60 * time.Second, 50, 3, true},
		{60 * time.Second, 50, 3, true}, // no time has passed
	} {
		got, ok := r.Add(c.now, p, c.offset)
		if ok != c.ok || got < c.rate-0.1 || got > c.rate+0.1 {
			t.Errorf("%d: %v, %v; want %v, %v", i, got, ok, c.rate, c.ok)
		}
	}
	for _, p := range []strategy.TopicPartition{at("orders", 3), at("orders", -1), at("audit", 0)} {
		if _, ok := r.Add(0, p, 1); ok {
			t.Errorf("%v has a rate", p)
		}
	}
	r.Narrow([]strategy.Topic{{Name: "orders", Partitions: 5}, audit})
	if rate, ok := r.Add(70*time.Second, p, 80); !ok || rate != 3 {
		t.Errorf("a topic that grew: %v, %v", rate, ok)
	}
	if _, ok := r.Add(70*time.Second, at("orders", 4), 80); ok {
		t.Error("a new partition has a rate")
	}
	r.Narrow([]strategy.Topic{{Name: "orders", Partitions: 2}})
	if len(r.topics) != 1 || len(r.topics["orders"]) != 2 {
		t.Errorf("it keeps %v", r.topics)
	}
	if rate, ok := r.Add(80*time.Second, p, 80); !ok || rate != 0 {
		t.Errorf("a topic that shrank: %v, %v", rate, ok)
	}
}
