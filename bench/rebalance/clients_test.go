package main

import (
	"errors"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

// Every client but Java's, whose jars come with real brokers, plays a scenario on a cluster in this process. How fast is not asked.
func TestClientsJoinAndLeave(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{})
	s := settings{Partitions: 6, Every: 10 * time.Millisecond, Heartbeat: 100 * time.Millisecond, Slow: 200 * time.Millisecond, Patience: time.Minute}
	for _, c := range clients(&javaLibrary{})[:4] {
		t.Run(c.name, func(t *testing.T) {
			for _, sc := range scenarios[:3] {
				r, err := sc.rehearse(t.Context(), cluster.Addrs(), &c, nil, s, 0)
				if err != nil {
					t.Fatalf("%s: %v", sc.name, err)
				}
				if len(r.Kept) == 0 || len(r.Moved)+len(r.Apart) == 0 || len(r.Control) != 1 || r.Lost > 0 || r.Uncommitted > 0 {
					t.Errorf("%s: %+v", sc.name, r)
				}
				if c.name == ours && r.Repeated > 0 {
					t.Errorf("%s: %d records were delivered twice", sc.name, r.Repeated)
				}
			}
		})
	}
}

// The same with another library's members beside ours, and with restarts of all members.
func TestClientsBesideOthersAndInDeploys(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{})
	list := clients(&javaLibrary{})
	s := settings{Partitions: 8, Every: 10 * time.Millisecond, Heartbeat: 100 * time.Millisecond, Members: 2, Patience: time.Minute}
	for _, sc := range scenarios[4:] {
		t.Run(sc.name, func(t *testing.T) {
			r, err := sc.rehearse(t.Context(), cluster.Addrs(), &list[0], &list[3], s, 0)
			if err != nil {
				t.Fatal(err)
			}
			windows := 1
			if sc.deploy {
				windows = s.Members
			}
			if len(r.Control) != windows || len(r.Moved) == 0 || r.Repeated+r.Lost > 0 || r.Rounds == 0 {
				t.Errorf("%+v", r)
			}
			if sc.beside && len(r.Apart) == 0 {
				t.Error("nothing has moved away from the others")
			}
		})
	}
}

// A scenario of two libraries does not begin with one.
func TestNobodyBeside(t *testing.T) {
	if _, err := scenarios[4].rehearse(t.Context(), nil, new(client), nil, settings{}, 0); err == nil {
		t.Error("it began")
	}
}

// Without Java its clients say so.
func TestJavaIsMissing(t *testing.T) {
	for _, c := range (&javaLibrary{}).clients() {
		if _, err := c.start(t.Context(), &member{}); !errors.Is(err, errNoJava) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestReaders(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{})
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
