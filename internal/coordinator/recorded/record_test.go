//go:build kafka

package recorded

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

var update = flag.Bool("update", false, "rewrite what the lessons in testdata say that a broker answers")

// How many probes make a silence. What looks otherwise than before is recorded once more, with the patience of the second.
const (
	probes     = 20
	moreProbes = 100
)

// atOnce bounds the lessons that are recorded at a time: most of them wait most of the time.
const atOnce = 12

// A broker answers as it did when the lessons were recorded.
func TestKafka(t *testing.T) {
	byBroker := map[string][]lesson{}
	for _, l := range lessons(t) {
		key := "lessons " + fmt.Sprint(l.properties) // fmt sorts maps
		if restarts(l) {
			key = "restarts " + fmt.Sprint(l.properties)
		}
		byBroker[key] = append(byBroker[key], l)
	}
	for _, key := range slices.Sorted(maps.Keys(byBroker)) {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			record(t, byBroker[key])
		})
	}
}

// record records lessons on a broker with the properties that they share: at the same time, but for those that do not leave it alone.
func record(t *testing.T, list []lesson) {
	c := kafkatest.Start(t, kafkatest.Config{Properties: list[0].properties})
	addr := c.Addrs()[0]
	prepare(t, addr)
	got := make([]string, len(list))
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i, l := range list {
		if restarts(l) {
			continue
		}
		g.Go(func() (err error) {
			got[i], err = recordLesson(l, addr, nil)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	for i, l := range list {
		if restarts(l) {
			var err error
			got[i], err = recordLesson(l, addr, func() { c.Kill(0); c.Restart(0) })
			if err != nil {
				t.Error(err)
			}
		}
		if got[i] != "" {
			t.Run(l.name, func(t *testing.T) { compare(t, l, got[i]) })
		}
	}
}

func restarts(l lesson) bool { return strings.Contains(l.text, "\nrestart broker") }

func compare(t *testing.T, l lesson, got string) {
	switch {
	case got == l.text:
	case *update:
		if err := os.WriteFile(l.file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s: the broker once answered what is written there, and now\n%s", l.file, diff(l.text, got))
	}
}

// recordLesson plays a lesson, once more if its answers are not those that are known.
func recordLesson(l lesson, addr string, reboot func()) (string, error) {
	for i, n := range []int{probes, moreProbes} {
		b := newBroker(addr, fmt.Sprintf("%s-%d", l.name, i), n)
		b.reboot = reboot
		got, err := play(b.group, l.text, b, true)
		b.close()
		if err != nil {
			return "", fmt.Errorf("%s: %w\n%s", l.name, err, got)
		}
		if got == l.text || n == moreProbes {
			return got, nil
		}
	}
	return "", nil
}

// prepare creates the topic, and the one in which the coordinator keeps its groups.
func prepare(t *testing.T, addr string) {
	t.Helper()
	b := newBroker(addr, "prepare", probes)
	defer b.close()
	q := kmsg.NewCreateTopicsRequest()
	q.Version, q.TimeoutMillis = 5, 60_000
	q.Topics = []kmsg.CreateTopicsRequestTopic{{Topic: topic, NumPartitions: partitions, ReplicationFactor: 1}}
	resp, err := b.ask(&q)
	if err != nil {
		t.Fatal(err)
	}
	if err := kerr.ErrorForCode(resp.(*kmsg.CreateTopicsResponse).Topics[0].ErrorCode); err != nil {
		t.Fatal(err)
	}
	err = b.until(func() (bool, error) {
		q := kmsg.NewFindCoordinatorRequest()
		q.Version, q.CoordinatorKey = 3, b.group
		resp, err := b.ask(&q)
		return err == nil && resp.(*kmsg.FindCoordinatorResponse).ErrorCode == 0, err
	})
	if err == nil {
		err = b.ready()
	}
	if err != nil {
		t.Fatal(err)
	}
}
