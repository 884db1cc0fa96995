//go:build unix

package plugin

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"crypto/tls"

	"google.golang.org/protobuf/proto"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// Plugins that say by hand what gRPC would not.
func init() {
	faulty["rawsocket"] = func() { playSocket(func(c net.Conn) { _, _ = io.WriteString(c, "the answer is 42\r\n\r\n") }, false) }
	faulty["rawtls"] = func() { playSocket(func(c net.Conn) { _, _ = c.Write(bytes.Repeat([]byte{0xff}, 1<<16)) }, true) }
	faulty["rawsilent"] = func() { playSocket(func(net.Conn) { time.Sleep(time.Hour) }, false) }
	faulty["rawcloses"] = func() { playSocket(func(c net.Conn) { _ = c.Close() }, true) }

	faulty["rawgarbage"] = rawAnswer(func(w io.Writer) { frame(w, 0, bytes.Repeat([]byte{0xff, 0x13}, 100)) })
	faulty["rawtruncated"] = rawAnswer(func(w io.Writer) { frame(w, 0, []byte{0x0a, 0x7f, 1, 2, 3}) })
	faulty["rawempty"] = rawAnswer(func(w io.Writer) { frame(w, 0, nil) })
	faulty["rawnone"] = rawAnswer(func(io.Writer) {})
	faulty["rawhalf"] = rawAnswer(func(w io.Writer) { _, _ = w.Write([]byte{0, 0, 0, 1, 0, 7}) })
	faulty["rawdeclared"] = rawAnswer(func(w io.Writer) { head(w, 0, 1<<30); _, _ = w.Write(make([]byte, 100)) })
	faulty["rawstreamed"] = rawAnswer(func(w io.Writer) {
		head(w, 0, 1<<30)
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	faulty["rawslow"] = rawAnswer(func(w io.Writer) { // one that would be short enough, and never comes to its end
		head(w, 0, 60<<20)
		for chunk := make([]byte, 1<<10); ; time.Sleep(time.Millisecond) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	faulty["rawbomb"] = rawAnswer(func(w io.Writer) {
		var small bytes.Buffer
		z, _ := gzip.NewWriterLevel(&small, gzip.BestSpeed)
		for range 1 << 7 {
			_, _ = z.Write(make([]byte, 1<<20))
		}
		_ = z.Close()
		frame(w, 1, small.Bytes())
	})
	faulty["rawstatus"] = func() {
		playHTTP(func(w http.ResponseWriter) {
			w.Header().Set("Grpc-Status", "13")
			w.Header().Set("Grpc-Message", strings.Repeat("x", 500<<10))
		})
	}
}

// playSocket answers every connection with something else than gRPC, once it is encrypted or before.
func playSocket(say func(net.Conn), encrypted bool) {
	l, config := rawListen()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		if encrypted {
			c = tls.Server(c, config)
		}
		go say(c)
	}
}

// rawListen prints the handshake.
func rawListen() (net.Listener, *tls.Config) {
	fmt.Fprintln(os.Stderr, "the cause")
	config, _, err := newCertificate(time.Now())
	if err != nil {
		panic(err)
	}
	config.NextProtos = []string{"h2"}
	path := inSocketDir("raw")
	l, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	fmt.Printf("1|%d|unix|%s|grpc|%s\n", ProtocolVersion, path, base64.RawStdEncoding.EncodeToString(config.Certificates[0].Certificate[0]))
	return l, config
}

// rawAnswer answers Assign with bytes.
func rawAnswer(write func(io.Writer)) func() {
	return func() {
		playHTTP(func(w http.ResponseWriter) {
			w.Header().Set("Grpc-Encoding", "gzip")
			write(w)
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		})
	}
}

// playHTTP describes itself as sticky does, and has assign answer.
func playHTTP(assign func(http.ResponseWriter)) {
	l, config := rawListen()
	server := &http.Server{TLSConfig: config, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		switch r.URL.Path {
		case pluginproto.AssignorService_Describe_FullMethodName:
			said, _ := proto.Marshal(&pluginproto.DescribeResponse{Name: "sticky", Version: "0.0.0"})
			frame(w, 0, said)
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		case pluginproto.AssignorService_Assign_FullMethodName:
			assign(w)
		default:
			w.Header().Set("Grpc-Status", "12")
		}
	})}
	_ = server.ServeTLS(l, "", "")
}

func head(w io.Writer, compressed byte, size uint32) {
	_, _ = w.Write(binary.BigEndian.AppendUint32([]byte{compressed}, size))
}

func frame(w io.Writer, compressed byte, data []byte) {
	head(w, compressed, uint32(len(data)))
	_, _ = w.Write(data)
}
