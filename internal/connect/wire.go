package connect

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxAnswer is larger than any answer to what a probe asks. What is longer is not from a broker.
const maxAnswer = 16 << 20

// notKafkaError has the first bytes of an answer that no broker gives.
type notKafkaError struct{ first []byte }

func (e *notKafkaError) Error() string { return fmt.Sprintf("answers %q", e.first) }

// tls reports that what answered speaks TLS: the bytes are an alert or a handshake.
func (e *notKafkaError) tls() bool {
	return len(e.first) >= 2 && (e.first[0] == 0x15 || e.first[0] == 0x16) && e.first[1] == 3
}

// ask sends one request and waits for its answer, which it returns. Deadlines are the caller's.
func ask(conn net.Conn, req kmsg.Request, number int32) (kmsg.Response, error) {
	formatter := kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID))
	if _, err := conn.Write(formatter.AppendRequest(nil, req, number)); err != nil {
		return nil, err
	}
	var head [8]byte // size and number
	if n, err := io.ReadFull(conn, head[:]); err != nil {
		if n > 0 {
			return nil, &notKafkaError{head[:n]}
		}
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size < 4 || size > maxAnswer || int32(binary.BigEndian.Uint32(head[4:])) != number {
		return nil, &notKafkaError{append(head[:], more(conn)...)}
	}
	body := make([]byte, size-4)
	if _, err := io.ReadFull(conn, body); err != nil {
		return nil, err
	}
	resp := req.ResponseKind()
	if err := resp.ReadFrom(body); err != nil {
		return nil, &notKafkaError{append(head[:], body[:min(len(body), 16)]...)}
	}
	return resp, nil
}

// more returns what else has arrived already, a little of it, to show.
func more(conn net.Conn) []byte {
	buf := make([]byte, 24)
	n, _ := conn.Read(buf)
	return buf[:n]
}

// versions asks what a broker understands, in the way that all since 0.10 do, before any login.
func versions() kmsg.Request { return kmsg.NewPtrApiVersionsRequest() }

// anyTopics asks for metadata of no topic, the least that needs a login.
func anyTopics() kmsg.Request {
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 1
	req.Topics = []kmsg.MetadataRequestTopic{}
	return req
}

// handshake says how a login will be made. Brokers that do not know the mechanism answer with those that they do.
func handshake(mechanism string) kmsg.Request {
	req := kmsg.NewPtrSASLHandshakeRequest()
	req.Version = 1
	req.Mechanism = mechanism
	return req
}
