// Package pluginproto is the protocol between hosts and assignor plugins, generated from assignkit/plugin/v1/assignor.proto, which
// documents it. Programs in Go do not need it: package plugin has both sides. It is here for hosts and plugins of another kind.
//
// What belongs here: the definition, what is generated from it, and v1.binpb, the protocol as it was released, which later ones have to be
// compatible with. The script check holds all three against each other.
package pluginproto

//go:generate buf generate
