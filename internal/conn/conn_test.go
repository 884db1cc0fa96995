package conn_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kmsg"

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
		_, err := conn.Do(c, func(b *sarama.Broker) (*sarama.FetchResponse, error) { return b.Fetch(request) })
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond) // so that the request is under way; sooner is right as well
	c.Cut()
	if err := <-ended; err == nil || errors.Is(err, conn.ErrCut) {
		t.Errorf("the request was answered, or did not notice: %v", err)
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

// TestThrottled has a broker that asks for a pause of an hour: a connection can be cut and closed all the same.
func TestThrottled(t *testing.T) {
	embeddedtest.Leave(t)
	c := embeddedtest.Start(t, embedded.Options{})
	c.Fake().ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake().KeepControl()
		resp := r.ResponseKind().(*kmsg.MetadataResponse)
		resp.ThrottleMillis = 3_600_000
		return resp, nil, true
	})
	look := func(b *sarama.Broker) (*sarama.MetadataResponse, error) {
		return b.GetMetadata(sarama.NewMetadataRequest(sarama.MaxVersion, nil))
	}
	link, err := conn.Open(t.Context(), config(), c.Addrs()[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Do(link, look); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := conn.Do(link, look)
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond) // so that the request is held back; sooner is right as well
	link.Cut()
	if err := <-ended; err == nil {
		t.Error("the second request was answered")
	}
	link.Close()

	a := conn.NewAsker(config(), 100*time.Millisecond)
	defer a.Close()
	for range 2 { // the second time over another connection
		if _, err := conn.Ask(t.Context(), a, c.Addrs(), look); err != nil {
			t.Error(err)
		}
	}
}

// TestWithin has a request that does not notice that its connection is gone.
func TestWithin(t *testing.T) {
	gone, never := make(chan struct{}), make(chan int)
	defer close(never)
	close(gone)
	if _, err := conn.Within(gone, func() (int, error) { return <-never, nil }); !errors.Is(err, conn.ErrCut) {
		t.Error(err)
	}
}
