// Package python has what assignor plugins in Python are made of: the package assignkit_plugin, which serves an assignor, and the
// requirements that it has of an interpreter's environment. A project has a copy of both; "assignctl plugin init --language python"
// makes it.
//
// What belongs here: Python that every such plugin needs, and its tests. Hosts are package plugin's and do not know in which language a
// plugin is.
package python

import "embed"

// Files has assignkit_plugin/*.py and requirements.txt.
//
//go:embed assignkit_plugin/*.py requirements.txt
var Files embed.FS

// The generated code is made by grpcio-tools, which is in no requirements as nobody else needs it.
//
//go:generate pip install --quiet grpcio-tools==1.85.1
//go:generate python3 -m grpc_tools.protoc -I ../proto/assignkit/plugin/v1 --python_out assignkit_plugin assignor.proto
