//go:build kafka

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"go.uber.org/goleak"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// patience bounds whatever a test waits for, on a machine that does other things as well.
const patience = 90 * time.Second

// A described group is what -o json prints of one, as a program that relies on docs/groups.md reads it.
type described struct {
	Group        string
	Type         string
	ProtocolType string `json:"protocol_type"`
	Strategy     string
	State        string
	Epoch        *int32
	Coordinator  struct {
		ID      int32
		Address string
	}
	Lag        int64
	Balance    *struct{ Moves int }
	Unconsumed map[string][]int32
	Members    []describedMember
	Topics     []describedTopic
	Remarks    []string
}

type describedMember struct {
	ID         string
	Instance   string
	ClientID   string `json:"client_id"`
	Host       string
	Rack       string
	Epoch      *int32
	Topics     []string
	Partitions int
	Lag        int64
	Assignment map[string][]int32
}

type describedTopic struct {
	Topic      string
	Subscribed bool
	Partitions []struct {
		Partition           int32
		Member              *string
		Committed, End, Lag *int64
		Racks               []string
	}
}

// owners says who has each partition, by TOPIC:N.
func (d *described) owners() map[string]string {
	out := map[string]string{}
	for _, t := range d.Topics {
		for _, p := range t.Partitions {
			if p.Member != nil {
				out[fmt.Sprintf("%s:%d", t.Topic, p.Partition)] = *p.Member
			}
		}
	}
	return out
}

// simulated is what simulate -o json prints.
type simulated struct {
	Results []simulatedResult
}

type simulatedResult struct {
	Strategy string
	Steps    []struct {
		Event      string
		Assignment map[string]map[string][]int32
		Moved      []struct {
			Topic     string
			Partition int32
			From      string
			Kind      string
		}
		Unassigned map[string]map[string][]int32
		Metrics    struct{ Members, Partitions, Placed int }
	}
}

// before says who had each partition before the first step: what is assigned, with the moves undone.
func (r *simulatedResult) before() map[string]string {
	out := map[string]string{}
	for member, topics := range r.Steps[0].Assignment {
		for topic, partitions := range topics {
			for _, p := range partitions {
				out[fmt.Sprintf("%s:%d", topic, p)] = member
			}
		}
	}
	for _, m := range r.Steps[0].Moved {
		out[fmt.Sprintf("%s:%d", m.Topic, m.Partition)] = m.From
	}
	return out
}

// An answer is what a command did.
type answer struct {
	code      int
	out, errs string
}

// runMain runs the program. It is safe for concurrent use.
func runMain(ctx context.Context, stdin string, args ...string) answer {
	var out, errs bytes.Buffer
	code := Main(ctx, args, Streams{In: strings.NewReader(stdin), Out: &out, Err: &errs})
	return answer{code, out.String(), errs.String()}
}

// A suite is the cluster and what goes before every command.
type suite struct {
	*kafkatest.Cluster
	outside *kafkatest.Client
	flags   []string // to connect with
}

// startSuite starts a cluster for a test, at the end of which nothing may be left of it.
func startSuite(t *testing.T, config kafkatest.Config) *suite {
	t.Helper()
	for _, name := range []string{"ASSIGNKIT_BROKERS", "ASSIGNKIT_PROFILE", "ASSIGNKIT_SASL_PASSWORD"} {
		t.Setenv(name, "")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // no profile of whoever runs the test
	// The first cleanup runs last. Sarama's metrics share one goroutine for all clients of a process, for ever.
	leaks := []goleak.Option{goleak.IgnoreCurrent(), goleak.IgnoreTopFunction("github.com/rcrowley/go-metrics.(*meterArbiter).tick")}
	t.Cleanup(func() { goleak.VerifyNone(t, leaks...) })
	s := &suite{Cluster: kafkatest.Start(t, config)}
	s.flags = []string{"--brokers", s.Addrs()[0], "--timeout", "30s"}
	s.outside = s.Client()
	return s
}

// run runs a command against the cluster.
func (s *suite) run(t *testing.T, args ...string) answer {
	return runMain(t.Context(), "", slices.Concat(args, s.flags)...)
}

// ok runs a command that has to succeed and returns what it prints.
func (s *suite) ok(t *testing.T, args ...string) string {
	t.Helper()
	a := s.run(t, args...)
	if a.code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, a.code, a.errs)
	}
	return a.out
}

// describe is group describe -o json of a group that can be.
func (s *suite) describe(t *testing.T, name string) *described {
	t.Helper()
	return decoded[described](t, s.ok(t, "group", "describe", name, "-o", "json"))
}

// decoded reads a document and insists on its being JSON.
func decoded[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// until runs a command again and again until what it does is good.
func (s *suite) until(t *testing.T, good func(answer) bool, args ...string) answer {
	t.Helper()
	var a answer
	eventually(t, func() bool {
		a = s.run(t, args...)
		return good(a)
	}, func() string { return fmt.Sprintf("%q: at last exit code %d: %s\n%s", args, a.code, a.errs, a.out) })
	return a
}

// eventually tries something again and again until it comes true. What else there is to say is asked for when it never does.
func eventually(t *testing.T, good func() bool, say func() string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !good(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not what was waited for within %v: %s", patience, say())
		}
	}
}

// settled waits until a group has so many members and none of the partitions of what they subscribe to is without one.
func (s *suite) settled(t *testing.T, name string, members int) *described {
	t.Helper()
	a := s.until(t, func(a answer) bool {
		if a.code != 0 {
			return false
		}
		d := decoded[described](t, a.out)
		return len(d.Members) == members && len(d.Unconsumed) == 0 && len(d.owners()) > 0
	}, "group", "describe", name, "-o", "json", "--wait", "10s")
	return decoded[described](t, a.out)
}

// topicSizes has the topics that most groups read, with their numbers of partitions. Their sum is no multiple of
// the numbers of members.
var topicSizes = map[string]int32{"orders": 7, "payments": 4}

// recordsIn is how many a partition has: another number for each, and the last one none.
func recordsIn(topic string, partition int32) int64 {
	if partition == topicSizes[topic]-1 {
		return 0
	}
	return 3 + 2*int64(partition) + int64(len(topic))
}

// toCommit is what members commit of a partition: all of the first one, nothing of the second one, else a few.
func toCommit(topic string, partition int32) (offset int64, ok bool) {
	switch partition {
	case 0:
		return recordsIn(topic, partition), true
	case 1:
		return 0, false
	}
	return min(2, recordsIn(topic, partition)), true
}

// populate creates the topics that most groups read, with their records.
func (s *suite) populate(t *testing.T) {
	t.Helper()
	for _, topic := range slices.Sorted(maps.Keys(topicSizes)) {
		s.outside.Create(t, topic, topicSizes[topic])
		for p := range topicSizes[topic] {
			s.outside.Produce(t, topic, p, slices.Repeat([]string{"x"}, int(recordsIn(topic, p)))...)
		}
	}
}

// commit commits for a group that has no members yet, so that those that come need not.
func (s *suite) commit(t *testing.T, group string, names ...string) {
	t.Helper()
	offsets := map[string]map[int32]sarama.OffsetAndMetadata{}
	for _, topic := range names {
		offsets[topic] = map[int32]sarama.OffsetAndMetadata{}
		for p := range topicSizes[topic] {
			if offset, ok := toCommit(topic, p); ok {
				offsets[topic][p] = sarama.OffsetAndMetadata{Offset: offset, LeaderEpoch: -1}
			}
		}
	}
	var failed error
	eventually(t, func() bool {
		var resp *sarama.OffsetCommitResponse
		if resp, failed = s.outside.Admin.AlterConsumerGroupOffsets(group, offsets, nil); failed != nil {
			return false
		}
		for _, partitions := range resp.Errors {
			for _, err := range partitions { // such as that the coordinator has only just begun
				if err != sarama.ErrNoError {
					failed = err
				}
			}
		}
		return failed == nil
	}, func() string { return fmt.Sprintf("committing for %s: %v", group, failed) })
}
