//go:build unix

package plugin

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// TestStreams has no stream of go-plugin's broker, and closes connections that go-plugin has forgotten.
func TestStreams(t *testing.T) {
	conn, err := grpc.NewClient("unix:///none", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	p := &process{runner: newRunner("x", "id", 0, nil), host: goplugin.NewClient(&goplugin.ClientConfig{})}
	var methods []string
	next := func(_ context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, method string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
		methods = append(methods, method)
		return nil, nil
	}
	for _, method := range []string{brokerMethod, "/plugin.GRPCStdio/StreamStdio"} {
		if _, err := p.stream(context.Background(), nil, conn, method, next); (status.Code(err) == codes.Unimplemented) != (method == brokerMethod) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if len(methods) != 1 || methods[0] == brokerMethod {
		t.Error(methods)
	}
	p.clear()
	if is := conn.GetState(); is != connectivity.Shutdown {
		t.Errorf("the connection is %s", is)
	}
}

// TestJudge has the answers of gRPC that depend on a moment: which side sees first that the time is over.
func TestJudge(t *testing.T) {
	ended := &process{runner: newRunner("x", "id", 0, nil)}
	close(ended.runner.exited)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	expired, cancel := context.WithTimeout(context.Background(), -1)
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want verdict
		is   error
	}{
		"its own error":        {context.Background(), status.Error(codes.Unknown, "x"), verdictAnswered, nil},
		"a panic":              {context.Background(), status.Error(codes.Internal, "panic: x"), verdictAnswered, nil},
		"its server gave up":   {context.Background(), status.Error(codes.DeadlineExceeded, "x"), verdictUseless, ErrUnresponsive},
		"its server cancelled": {context.Background(), status.Error(codes.Canceled, "x"), verdictUseless, ErrUnresponsive},
		"connection closed":    {context.Background(), status.Error(codes.Canceled, "grpc: the client connection is closing"), verdictUseless, ErrCrashed},
		"in no time":           {expired, status.Error(codes.DeadlineExceeded, "x"), verdictUseless, ErrUnresponsive},
		"crashed too late":     {expired, status.Error(codes.Unavailable, "x"), verdictUseless, ErrUnresponsive},
		"cancelled":            {cancelled, status.Error(codes.Canceled, "x"), verdictAbandoned, context.Canceled},
		"crashed":              {context.Background(), status.Error(codes.Unavailable, "x"), verdictUseless, ErrCrashed},
		"too large":            {context.Background(), status.Error(codes.ResourceExhausted, "x"), verdictUseless, ErrTooLarge},
		"not readable":         {context.Background(), status.Error(codes.Internal, "grpc: x"), verdictUseless, ErrAnswer},
		"no answer":            {context.Background(), ErrAnswer, verdictUseless, ErrAnswer},
	} {
		got, cause := judge(c.ctx, ended, c.err)
		if got != c.want || c.is != nil && !errors.Is(cause, c.is) {
			t.Errorf("%s: %d, %v, want %d, %v", name, got, cause, c.want, c.is)
		}
	}
}

// TestHandshakeEnvironment has a lock list variables that the handshake needs, which the host has itself as it is a plugin: they are not passed on.
func TestHandshakeEnvironment(t *testing.T) {
	linuxOnly(t)
	t.Setenv("SECRET_OF_THE_HOST", "x")
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience}, "sticky")
	for name, value := range map[string]string{
		"PLUGIN_UNIX_SOCKET_DIR": "/none", "PLUGIN_PROTOCOL_VERSIONS": "7", "PLUGIN_CLIENT_CERT": "x", instanceVariable: "x", "OWN": "y",
	} {
		t.Setenv(name, value)
		a.supervisor.image.environment = append(a.supervisor.image.environment, name)
	}
	if _, err := a.Assign(context.Background(), smallGroup()); err != nil {
		t.Error(err)
	}
	got, err := os.ReadFile("/proc/" + strconv.Itoa(pid(t, a)) + "/environ")
	if err != nil || !strings.Contains(string(got), "OWN=y") || strings.Contains(string(got), "SECRET") {
		t.Errorf("the plugin's environment is %q, %v", got, err)
	}
	_ = a.Close()
	s.gone(t)
}

// TestUpgradeHangs has a new process hang in its self-test: the old one goes on, and nobody waits longer than a start may take, or the supervisor lives.
func TestUpgradeHangs(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: 3 * time.Second}, "sticky")
	warm(t, a)
	first := pid(t, a)
	i := a.supervisor.image
	hanging := func() *image {
		path := executable(t, folder(t), "loops")
		return &image{cfg: i.cfg, private: i.private, path: path, copied: path, sum: bytesOfSelf(t)}
	}
	err := a.supervisor.replace(context.Background(), hanging(), 300*time.Millisecond)
	if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, ErrUnresponsive) {
		t.Errorf("%v, %+v", err, e)
	}
	if pid(t, a) != first {
		t.Error("the old process does not go on")
	}
	eventually(t, "the new process runs on", func() []string { return marked(s.dir)[1:] })
	done := make(chan error, 1)
	go func() { done <- a.supervisor.replace(context.Background(), hanging(), time.Hour) }()
	until(t, "another one is tried", func() bool { return len(marked(s.dir)) == 2 })
	_ = a.Close()
	if err := <-done; err == nil {
		t.Error("a closed plugin was upgraded")
	}
	if err := a.supervisor.replace(context.Background(), hanging(), time.Hour); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	s.gone(t)
}
