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

func TestMain(m *testing.M) { embeddedtest.Main(m) }

func config() *sarama.Config {
	c := sarama.NewConfig()
	c.Version = sarama.MaxVersion
	return c
}

func TestCutEndsARequest(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1})
	c, err := conn.Open(t.Context(), config(), cluster.Addrs()[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	request := &sarama.FetchRequest{Version: 11, MinBytes: 1, MaxBytes: 1 << 20, MaxWaitTime: 60_000}
	request.AddBlock("orders", 0, 0, 1<<20, -1)
	ended := make(chan error)
	go func() {
		_, err := c.Fetch(request)
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond) // so that the request is under way; sooner is right as well
	c.Cut()
	if err := <-ended; err == nil {
		t.Error("the request was answered")
	}
}

// TestOpenEndsWithItsContext has somebody who takes connections and says nothing.
func TestOpenEndsWithItsContext(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := conn.Open(ctx, config(), embeddedtest.Silent(t), time.Minute); !errors.Is(err, why) {
		t.Errorf("opening ends with %v", err)
	}
}

func TestOpenRefused(t *testing.T) {
	if _, err := conn.Open(t.Context(), config(), embeddedtest.Nobody(t), time.Minute); err == nil {
		t.Error("a connection to nobody")
	}
}
