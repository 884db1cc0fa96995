// Package pluginproto is the protocol between hosts and assignor plugins, generated from assignkit/plugin/v1/assignor.proto, which
// documents it. Programs in Go do not need it: package plugin has both sides. It is here for hosts and plugins of another kind.
//
// What belongs here: the definition and what is generated from it.
package pluginproto

//go:generate buf generate
