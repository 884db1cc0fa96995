package main

import (
	"errors"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/embedded"
)

// Every client but Java's, whose jars come with real brokers, plays a scenario on a cluster in this process. How fast is not asked.
func TestClientsJoinAndLeave(t *testing.T) {
	cluster, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	s := settings{Partitions: 6, Heartbeat: 100 * time.Millisecond, Slow: 200 * time.Millisecond, Patience: time.Minute}
	for _, c := range clients(&javaLibrary{})[:4] {
		t.Run(c.name, func(t *testing.T) {
			for _, sc := range scenarios[:3] {
				r, err := sc.rehearse(t.Context(), cluster.Addrs(), &c, s, 0)
				if err != nil {
					t.Fatalf("%s: %v", sc.name, err)
				}
				if len(r.Kept) == 0 || len(r.Moved) == 0 || len(r.Control) != 1 || r.Lost > 0 || r.Uncommitted > 0 {
					t.Errorf("%s: %+v", sc.name, r)
				}
				if c.name == ours && r.Repeated > 0 {
					t.Errorf("%s: %d records were delivered twice", sc.name, r.Repeated)
				}
			}
		})
	}
}

// Without Java its client says so.
func TestJavaIsMissing(t *testing.T) {
	c := (&javaLibrary{}).client()
	if _, err := c.start(t.Context(), &member{}); !errors.Is(err, errNoJava) {
		t.Errorf("got %v", err)
	}
}

func TestReaders(t *testing.T) {
	cluster, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	l := load{Brokers: cluster.Addrs(), Topic: "load", Partitions: 4, Each: 500}
	if err := fill(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			l.Reader, l.Group = r.name, r.name
			if cpu, rate, err := isolate(t.Context(), l); err != nil || cpu <= 0 || rate <= 0 {
				t.Errorf("%v, %v, %v", cpu, rate, err)
			}
		})
	}
}
