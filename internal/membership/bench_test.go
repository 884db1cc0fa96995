package membership

import (
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// A member with very many partitions. What happens all the time must not depend on how many they are, the rest must grow as they do.
func BenchmarkStep(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int32
	}{{"partitions=2000", 2000}, {"partitions=20000", 20000}} {
		b.Run(size.name, func(b *testing.B) {
			b.Run("assign", func(b *testing.B) {
				for b.Loop() {
					newLarge(b, size.n)
				}
			})
			b.Run("commit", func(b *testing.B) { benchmarkCommit(b, newLarge(b, size.n)) })
			b.Run("commit each", func(b *testing.B) { benchmarkCommitEach(b, newLarge(b, size.n)) })
			b.Run("heartbeat", func(b *testing.B) {
				l := newLarge(b, size.n)
				for b.Loop() {
					l.now = l.out.Wake
					l.step(Tick{})
					l.reply(wire.HeartbeatReply{})
				}
			})
			b.Run("rejoin", func(b *testing.B) { benchmarkRejoin(b, newLarge(b, size.n)) })
			b.Run("leave", func(b *testing.B) {
				for b.Loop() {
					l := newLarge(b, size.n)
					l.step(Leave{})
					l.step(CallbackDone{ID: l.out.Callback.ID})
					l.reply(wire.LeaveReply{})
				}
			})
		})
	}
}

// A large is a stable member that has all partitions of one topic.
type large struct {
	tb         testing.TB
	m          *Machine
	now        Time
	out        Output
	partitions []strategy.TopicPartition
	assignment []byte
}

func newLarge(tb testing.TB, n int32) *large {
	tb.Helper()
	l := &large{tb: tb}
	var numbers []int32
	for p := range n {
		numbers = append(numbers, p)
		l.partitions = append(l.partitions, strategy.TopicPartition{Topic: "a-topic-of-some-length", Partition: p})
	}
	a := protocol.Assignment{Partitions: []strategy.TopicPartitions{{Topic: "a-topic-of-some-length", Partitions: numbers}}}
	var err error
	if l.assignment, err = a.AppendBinary(nil); err != nil {
		tb.Fatal(err)
	}
	cfg := Config{Group: "g", Offers: []Offer{{Name: "cooperative-sticky", Protocol: strategy.ProtocolCooperative}}}
	if l.m, err = New(cfg); err != nil {
		tb.Fatal(err)
	}
	l.step(Subscribe{Topics: []string{"a-topic-of-some-length"}})
	l.step(Start{})
	l.reply(wire.FindCoordinatorReply{Node: 1})
	l.join(1)
	l.step(CallbackDone{ID: l.out.Callback.ID})
	if len(l.m.Owned()) != int(n) {
		tb.Fatal(l.m.Describe())
	}
	return l
}

func (l *large) step(in Input) { l.out = l.m.Step(l.now, in) }

func (l *large) reply(body wire.Reply) {
	l.tb.Helper()
	if len(l.out.Requests) != 1 {
		l.tb.Fatalf("%d requests wait for %s", len(l.out.Requests), wire.Describe(body))
	}
	l.step(Replied{ID: l.out.Requests[0].ID, Body: body})
}

func (l *large) join(generation int32) {
	l.reply(wire.JoinReply{MemberID: "me", Generation: generation, Protocol: "cooperative-sticky", Leader: "other"})
	l.reply(wire.SyncReply{Assignment: l.assignment})
}

func benchmarkCommit(b *testing.B, l *large) {
	codes := make([]wire.Code, len(l.partitions))
	offset := int64(0)
	for b.Loop() {
		offset++
		in := Commit{ID: uint64(offset), Offsets: make([]wire.Offset, len(l.partitions))}
		for i, p := range l.partitions {
			in.Offsets[i] = wire.Offset{TopicPartition: p, Offset: offset}
		}
		l.now += time.Millisecond
		l.step(in)
		l.reply(wire.CommitReply{Codes: codes})
		if len(l.out.Answers) != 1 {
			b.Fatal("not answered")
		}
	}
}

// benchmarkCommitEach is a commit for each partition, all while one is under way.
func benchmarkCommitEach(b *testing.B, l *large) {
	offset := int64(0)
	for b.Loop() {
		offset++
		var sent Request
		for i, p := range l.partitions {
			l.step(Commit{ID: uint64(i), Offsets: []wire.Offset{{TopicPartition: p, Offset: offset}}})
			if len(l.out.Requests) > 0 {
				sent = l.out.Requests[0]
			}
		}
		l.step(Replied{ID: sent.ID, Body: wire.CommitReply{Codes: make([]wire.Code, 1)}})
		l.reply(wire.CommitReply{Codes: make([]wire.Code, len(l.partitions))})
	}
}

func benchmarkRejoin(b *testing.B, l *large) {
	for generation := int32(2); b.Loop(); generation++ {
		l.now += time.Millisecond
		l.step(Rejoin{Reason: "benchmark"})
		l.join(generation)
	}
}
