package plugin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	hcrunner "github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assignkit/assignkit/plugin/internal/wire"
	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// instanceVariable marks a plugin's process and its children.
const instanceVariable = "ASSIGNKIT_PLUGIN_INSTANCE"

// endTime is what a plugin may take to end when it is told to.
const endTime = 500 * time.Millisecond

// A launch is all that starting a plugin takes.
type launch struct {
	path    string   // of the executable, which nobody else can write to
	dir     string   // a private folder, in which the plugin gets one for its socket
	env     []string // its environment, but for what the handshake needs
	memory  int64    // in bytes, 0 for no limit
	timeout time.Duration

	// The supervisor's.
	out      *output         // of this process
	clearing *sync.WaitGroup // of goroutines that clear away
}

// process is one running process of a plugin.
type process struct {
	client  pluginproto.AssignorServiceClient
	out     *output
	timeout time.Duration // of its start
	said    *pluginproto.DescribeResponse
	runner  *runner
	host    *goplugin.Client
	reap    sync.Once

	mu          sync.Mutex
	connections []*grpc.ClientConn // those that go-plugin has opened

	// The supervisor's, under its lock.
	image      *image
	calls      int   // in flight
	retired    bool  // ends when there are none any more
	unreported error // how it ended, until somebody is told
}

// start starts a plugin and has it describe itself. It returns within the launch's timeout, and leaves nothing behind if it fails.
func (l *launch) start(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	tlsConfig, certificate, err := newCertificate(time.Now())
	if err != nil {
		return nil, fmt.Errorf("%w: making a certificate: %w", ErrStart, err)
	}
	id := rand.Text()
	p := &process{out: l.out, timeout: l.timeout, runner: newRunner(l.path, id, l.memory, l.out)}
	p.host = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: pluginSets(&grpcPlugin{}),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		TLSConfig:        tlsConfig,
		SkipHostEnv:      true,
		StartTimeout:     2 * l.timeout, // ctx ends first
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       l.out,
		SyncStderr:       l.out,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: l.dir},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
			grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window),
			grpc.WithIdleTimeout(0), // a connection that is closed cannot be opened again
			grpc.WithStreamInterceptor(p.stream),
		},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (hcrunner.Runner, error) {
			p.runner.cmd.Env = append(append(append(softLimit(l.memory), l.env...), cmd.Env...), "PLUGIN_CLIENT_CERT="+certificate, instanceVariable+"="+id)
			return p.runner, nil
		},
	})
	var connected error
	ready := make(chan struct{})
	go func() {
		defer close(ready)
		connected = p.connect(ctx)
	}()
	select {
	case <-ready:
		if err = connected; err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrStart, p.whyNot(ctx, l, err))
		p.runner.finish()
		l.clearing.Go(func() {
			<-ready
			p.clear()
		})
		return nil, err
	}
	return p, nil
}

// brokerMethod is that of go-plugin's broker.
const brokerMethod = "/plugin.GRPCBroker/StartStream"

// stream begins go-plugin's own streams, but for that of its broker: nothing here uses it, and a plugin could have it start a goroutine for each of any number of
// messages. It takes note of the connection, which go-plugin does not close where its start fails half way.
func (p *process) stream(ctx context.Context, desc *grpc.StreamDesc, c *grpc.ClientConn, method string, next grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	p.mu.Lock()
	if !slices.Contains(p.connections, c) {
		p.connections = append(p.connections, c)
	}
	p.mu.Unlock()
	if method == brokerMethod {
		return nil, status.Error(codes.Unimplemented, "there is no broker")
	}
	return next(ctx, desc, c, method, options...)
}

// connect waits for the handshake, connects, and asks what the plugin is. go-plugin gives it no deadline: it ends when the process does.
func (p *process) connect(ctx context.Context) error {
	protocol, err := p.host.Client()
	if err != nil {
		return err
	}
	offered, err := protocol.Dispense(pluginName)
	if err != nil {
		return err
	}
	p.client = offered.(pluginproto.AssignorServiceClient)
	if p.said, err = p.client.Describe(ctx, &pluginproto.DescribeRequest{}); err != nil {
		return fmt.Errorf("describe: %w", cleanStatus(err))
	}
	// There is one connection, and no other is wanted: without its socket nobody else gets in, and nothing is left if the host is killed.
	return os.RemoveAll(p.runner.socketDir())
}

// whyNot says why a plugin did not get ready, where go-plugin's errors say only how that was noticed.
func (p *process) whyNot(ctx context.Context, l *launch, err error) error {
	shake := p.runner.shaken()
	switch {
	case shake != nil && shake.version != ProtocolVersion:
		return fmt.Errorf("it speaks version %d of the plugin protocol, and this host version %d: build it with a version of assignkit that fits, or upgrade the host", shake.version, ProtocolVersion)
	case p.runner.ID() == "":
		return notExecuted(l.path, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it was not ready within %s: %w", l.timeout, err)
	case errors.Is(err, context.Canceled):
		return err
	}
	if how := p.runner.ending(ctx); how != "" {
		return errors.New(how + " before it was ready")
	}
	if shake == nil {
		return errors.New("it was killed, or closed its standard output, before the handshake")
	}
	return err
}

// notExecuted says more about an error of exec.
func notExecuted(path string, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); !ok || failed.Op != "fork/exec" {
		return err
	}
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%w: it is %s, and this is %s", err, fileKind(path), Platform())
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%w: the folder that plugins are copied to may be mounted noexec; set another one with Config.Private or TMPDIR", err)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("%w: the interpreter in its first line may be missing", err)
	}
	return err
}

// clear waits for the end and clears away what is left.
func (p *process) clear() {
	p.reap.Do(func() {
		if p.runner.ID() != "" {
			<-p.runner.exited
		}
		p.host.Kill() // has nothing to wait for any more
		p.mu.Lock()
		for _, c := range p.connections {
			_ = c.Close()
		}
		p.mu.Unlock()
		_ = p.runner.linesIn.Close()
		if dir := p.runner.socketDir(); dir != "" {
			_ = os.RemoveAll(dir)
		}
	})
}
