package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/assignkit/assignkit/plugin/internal/wire"
	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// Versioner is an optional interface of an assignor that is served: its version, for people, as in "1.4.0". Without it the version
// is that of the main module, as go build -ldflags or a tag has set it.
type Versioner interface{ Version() string }

// Messages of sizes in between are compressed. The largest are not, as bytes that do not compress would then be more than a message may have.
const (
	compressAbove = 4 << 20
	compressMost  = wire.MaxMessage - 1<<20
)

func compresses(size int) bool { return size > compressAbove && size <= compressMost }

// window is what either side sends, in bytes, before the other has to say that it has read some.
const window = 8 << 20

// service answers a host's calls by asking an assignor. Calls run concurrently.
type service struct {
	pluginproto.UnimplementedAssignorServiceServer
	assignor strategy.Assignor
	began    func() // called before the first answer
}

func newService(a strategy.Assignor, began func()) *service {
	return &service{assignor: a, began: sync.OnceFunc(began)}
}

// serverOptions are those of a plugin's server.
func serverOptions(more []grpc.ServerOption) []grpc.ServerOption {
	return append(more, grpc.MaxRecvMsgSize(wire.MaxMessage), grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window))
}

func (s *service) Describe(context.Context, *pluginproto.DescribeRequest) (r *pluginproto.DescribeResponse, err error) {
	s.began()
	defer answerPanic(&err)
	_, notified := strategy.As[strategy.Notifier](s.assignor)
	_, provides := strategy.As[strategy.UserDataProvider](s.assignor)
	protocol := pluginproto.RebalanceProtocol_REBALANCE_PROTOCOL_EAGER
	if strategy.ProtocolOf(s.assignor) == strategy.ProtocolCooperative {
		protocol = pluginproto.RebalanceProtocol_REBALANCE_PROTOCOL_COOPERATIVE
	}
	return &pluginproto.DescribeResponse{
		Name: s.assignor.Name(), Version: version(s.assignor), RebalanceProtocol: protocol, OnAssignment: notified, UserData: provides,
		Signals: strategy.SignalsOf(s.assignor),
	}, nil
}

func version(a strategy.Assignor) string {
	if v, ok := strategy.As[Versioner](a); ok {
		return v.Version()
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.0.0"
}

func (s *service) Assign(ctx context.Context, r *pluginproto.AssignRequest) (_ *pluginproto.AssignResponse, err error) {
	defer answerPanic(&err)
	g, err := wire.Group(r)
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "the group makes no sense: %v", err)
	}
	a, err := s.assignor.Assign(ctx, g)
	if err != nil {
		return nil, statusOf(err)
	}
	answer, err := wire.AssignResponse(g, &a)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "the answer is invalid: %v", err)
	}
	switch size := proto.Size(answer); {
	case size > wire.MaxMessage:
		return nil, status.Errorf(codes.ResourceExhausted, "the answer has %d bytes, and %d is the most", size, wire.MaxMessage)
	case compresses(size):
		if err := grpc.SetSendCompressor(ctx, gzip.Name); err != nil {
			return nil, status.Errorf(codes.Internal, "compressing the answer: %v", err)
		}
	}
	return answer, nil
}

func (s *service) OnAssignment(_ context.Context, r *pluginproto.OnAssignmentRequest) (_ *pluginproto.OnAssignmentResponse, err error) {
	defer answerPanic(&err)
	received, err := wire.Received(r)
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "the assignment makes no sense: %v", err)
	}
	strategy.Notify(s.assignor, received)
	return &pluginproto.OnAssignmentResponse{}, nil
}

func (s *service) UserData(_ context.Context, r *pluginproto.UserDataRequest) (_ *pluginproto.UserDataResponse, err error) {
	defer answerPanic(&err)
	data, err := strategy.UserDataFor(s.assignor, wire.Topics(r))
	if err != nil {
		return nil, statusOf(err)
	}
	return &pluginproto.UserDataResponse{UserData: data}, nil
}

// stackSize is the most that is logged of a panic's stack, so that its line is not too long for the host.
const stackSize = 4 << 10

// statusOf makes an assignor's error one that the host can tell apart.
func statusOf(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error())
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error())
	}
	return status.Error(codes.Unknown, err.Error())
}

// answerPanic makes a panic of the assignor an error of the call, and logs its stack.
func answerPanic(err *error) {
	if v := recover(); v != nil {
		text := printable(fmt.Sprint(v), messageSize)
		slog.Error("the assignor panicked", "panic", text, "stack", printable(string(debug.Stack()), stackSize))
		*err = status.Error(codes.Internal, "panic: "+text)
	}
}
