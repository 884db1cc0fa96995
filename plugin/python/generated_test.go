//go:build python

package python_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/assignkit/assignkit/internal/pythontest"
	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// TestGenerated compares the protocol that Python's generated code has with that of Go's.
func TestGenerated(t *testing.T) {
	pythontest.Use(t)
	text := pythontest.Run(t, ".", "-c", "from assignkit_plugin import assignor_pb2 as pb; print(pb.DESCRIPTOR.serialized_pb.hex())")
	data, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	var got descriptorpb.FileDescriptorProto
	if err := proto.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := protodesc.ToFileDescriptorProto(pluginproto.File_assignkit_plugin_v1_assignor_proto)
	want.Name = got.Name
	for _, d := range []*descriptorpb.FileDescriptorProto{&got, want} {
		clearJSONNames(d.MessageType)
	}
	if !proto.Equal(&got, want) {
		t.Errorf("the code is of another protocol: go generate ./plugin/python\n%s", &got)
	}
}

// clearJSONNames removes what follows from the names of fields, and not every generator writes.
func clearJSONNames(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		for _, f := range m.Field {
			f.JsonName = nil
		}
		clearJSONNames(m.NestedType)
	}
}
