package conn_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

// ask is conn.Ask without an answer.
func ask(ctx context.Context, a *conn.Asker, addrs []string, send func(*sarama.Broker) error) error {
	_, err := conn.Ask(ctx, a, addrs, func(b *sarama.Broker) (none struct{}, err error) { return none, send(b) })
	return err
}

// ping asks who the brokers are, and notes who answers.
func ping(answered *string) func(*sarama.Broker) error {
	return func(b *sarama.Broker) error {
		_, err := b.GetMetadata(sarama.NewMetadataRequest(sarama.MaxVersion, []string{"orders"}))
		if err == nil {
			*answered = b.Addr()
		}
		return err
	}
}

func TestAskPassesOver(t *testing.T) {
	c := embeddedtest.Start(t, embedded.Options{Brokers: 2})
	a := conn.NewAsker(config(), 100*time.Millisecond)
	defer a.Close()
	var answered string
	if err := ask(t.Context(), a, []string{embeddedtest.Nobody(t), embeddedtest.Silent(t), c.Addrs()[1], c.Addrs()[0]}, ping(&answered)); err != nil {
		t.Fatal(err)
	}
	if answered != c.Addrs()[1] || a.Addr() != answered {
		t.Errorf("%q answered, connected to %q", answered, a.Addr())
	}
	answered = ""
	if err := ask(t.Context(), a, nil, ping(&answered)); err != nil || answered != c.Addrs()[1] {
		t.Errorf("the connection is not kept: %q, %v", answered, err)
	}
	a.Close()
	if err := ask(t.Context(), a, nil, ping(&answered)); !errors.Is(err, sarama.ErrOutOfBrokers) || a.Addr() != "" {
		t.Errorf("asking nobody: %v", err)
	}
}

// An answer that is not wanted is as good as none.
func TestAskUntilOneIsWell(t *testing.T) {
	c := embeddedtest.Start(t, embedded.Options{Brokers: 3})
	a := conn.NewAsker(config(), time.Minute)
	defer a.Close()
	var asked []string
	behind := errors.New("it is behind")
	answer := func(b *sarama.Broker) error {
		if asked = append(asked, b.Addr()); len(asked) < 4 {
			return behind
		}
		return nil
	}
	if err := ask(t.Context(), a, c.Addrs(), answer); !errors.Is(err, behind) || len(asked) != 3 {
		t.Errorf("%q were asked: %v", asked, err)
	}
	if err := ask(t.Context(), a, c.Addrs(), answer); err != nil || len(asked) != 4 {
		t.Errorf("%q were asked: %v", asked, err)
	}
}

// TestAskEnds has the context end while a connection is made, and while an answer is waited for.
func TestAskEnds(t *testing.T) {
	c := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1})
	enough := errors.New("enough")
	a := conn.NewAsker(config(), time.Minute)
	defer a.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
	if err := ask(ctx, a, []string{embeddedtest.Silent(t), c.Addrs()[0]}, func(*sarama.Broker) error { return nil }); !errors.Is(err, enough) {
		t.Errorf("connecting: %v", err)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	asking := func(b *sarama.Broker) error {
		time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
		request := &sarama.FetchRequest{Version: 11, MinBytes: 1, MaxBytes: 1 << 20, MaxWaitTime: 60_000}
		request.AddBlock("orders", 0, 0, 1<<20, -1)
		_, err := b.Fetch(request)
		return err
	}
	if err := ask(ctx, a, c.Addrs(), asking); !errors.Is(err, enough) || a.Addr() != "" {
		t.Errorf("asking: %v", err)
	}
}
