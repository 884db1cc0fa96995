package plugin

import (
	"context"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// ProtocolVersion is the version of the protocol between hosts and plugins that this package speaks.
const ProtocolVersion = 1

// handshake tells a plugin that a host has started it, and nobody from a shell. It is no secret.
var handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  ProtocolVersion,
	MagicCookieKey:   "ASSIGNKIT_PLUGIN",
	MagicCookieValue: "b0a1d1c5f8714e0e9d2d5c3f6f0e4a77",
}

// pluginName is what go-plugin calls the one thing that a plugin offers.
const pluginName = "assignor"

// grpcPlugin is go-plugin's view of an assignor: of one that is served, or of none for a host.
type grpcPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
	served strategy.Assignor
	began  func() // called before the first answer of what is served
}

var _ goplugin.GRPCPlugin = (*grpcPlugin)(nil)

func (p *grpcPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	pluginproto.RegisterAssignorServiceServer(s, newService(p.served, p.began))
	return nil
}

func (p *grpcPlugin) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return pluginproto.NewAssignorServiceClient(c), nil
}

func pluginSets(p *grpcPlugin) map[int]goplugin.PluginSet {
	return map[int]goplugin.PluginSet{ProtocolVersion: {pluginName: p}}
}
