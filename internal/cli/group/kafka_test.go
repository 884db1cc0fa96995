//go:build kafka

package group

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// A group of a real broker, with its member and after it has left.
func TestKafka(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{})
	conf := sarama.NewConfig()
	conf.Version, conf.ClientID = sarama.MaxVersion, "one"
	admin, err := sarama.NewClusterAdmin(c.Addrs(), conf)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.CreateTopic("orders", &sarama.TopicDetail{NumPartitions: 4, ReplicationFactor: 1}, false); err != nil {
		t.Fatal(err)
	}
	member, err := sarama.NewConsumerGroup(c.Addrs(), "billing", conf)
	if err != nil {
		t.Fatal(err)
	}
	joined := make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- member.Consume(ctx, []string{"orders"}, onlyJoins{joined}) }()
	select {
	case <-joined:
	case <-time.After(time.Minute):
		t.Fatal("the member does not join")
	}

	run := func(args string) (string, error) {
		streams, out, _ := iostreams.Test("")
		cmd := NewCommand(streams)
		cmd.SetContext(t.Context())
		err := execute(cmd, args+" --brokers "+c.Addrs()[0])
		_ = streams.Out.Flush()
		return out.String(), err
	}
	text, err := run("describe billing --assert-owned -o json")
	var d description
	if err != nil || json.Unmarshal([]byte(text), &d) != nil || len(d.Members) != 1 || d.Members[0].Partitions != 4 || d.Members[0].ClientID != "one" || d.Members[0].Host != "127.0.0.1" {
		t.Errorf("%v\n%s", err, text)
	}
	leave()
	<-done
	if err := member.Close(); err != nil {
		t.Error(err)
	}
	text, err = run("describe billing --assert-owned")
	var assertion *fault.AssertionError
	if !errors.As(err, &assertion) || err.Error() != "group billing has no members; nobody consumes orders:0-3" || !strings.Contains(text, "NOBODY CONSUMES orders:0-3\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err = run("list"); err != nil || !strings.Contains(text, "  classic  consumer  -                    Empty         0\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

type onlyJoins struct{ joined chan struct{} }

func (j onlyJoins) Setup(s sarama.ConsumerGroupSession) error {
	for p := range int32(4) {
		s.MarkOffset("orders", p, 1, "")
	}
	s.Commit()
	close(j.joined)
	return nil
}
func (onlyJoins) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (onlyJoins) ConsumeClaim(s sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim) error {
	<-s.Context().Done()
	return nil
}
