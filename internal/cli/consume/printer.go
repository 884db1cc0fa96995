package consume

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// A line is one JSON object of the output.
type line struct {
	Event string `json:"event"` // assign, revoke, lost, record, explain, error
	Time  string `json:"time"`

	Member     string             `json:"member,omitempty"`
	Generation *int32             `json:"generation,omitempty"`
	Partitions map[string][]int32 `json:"partitions,omitempty"`
	Current    map[string][]int32 `json:"current,omitzero"`
	Reason     string             `json:"reason,omitempty"`

	Topic       string  `json:"topic,omitempty"`
	Partition   *int32  `json:"partition,omitempty"`
	Offset      *int64  `json:"offset,omitempty"`
	Timestamp   string  `json:"timestamp,omitempty"`
	Key         *string `json:"key,omitempty"`
	KeyBase64   string  `json:"key_base64,omitempty"`
	Value       *string `json:"value,omitempty"`
	ValueBase64 string  `json:"value_base64,omitempty"`

	Leader      string                `json:"leader,omitempty"`
	Strategy    string                `json:"strategy,omitempty"`
	Explanation *strategy.Explanation `json:"explanation,omitempty"`
	More        int                   `json:"more,omitempty"`

	Error string `json:"error,omitempty"`
}

// A printer writes what happens, each line at once. It is safe for concurrent use: handlers of several partitions print.
type printer struct {
	out  *iostreams.Writer
	json bool
	now  func() time.Time

	mu sync.Mutex
}

func (p *printer) write(text []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(text); err != nil {
		return err
	}
	return p.out.Flush()
}

func (p *printer) print(l *line) error {
	l.Time = p.now().Format(time.RFC3339Nano)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return err
	}
	return p.write(b.Bytes())
}

// event prints what a callback is about.
func (p *printer) event(what string, e *callbacks.Event, list []strategy.TopicPartitions, reason string) error {
	if p.json {
		return p.print(&line{Event: what, Member: e.Member, Generation: &e.Generation, Partitions: byTopic(list), Current: byTopic(e.Current), Reason: reason})
	}
	sign := map[string]string{"assign": "+", "revoke": "-", "lost": "-"}[what]
	text := fmt.Sprintf("%s  %-7s%s", p.now().Format("15:04:05.000"), what, output.Partitions(sign, list))
	if reason != "" {
		text += "  (" + reason + ")"
	}
	return p.write([]byte(fmt.Sprintf("%s  generation %d\n", text, e.Generation)))
}

func (p *printer) record(m *consumer.Message) error {
	if !p.json {
		return p.write([]byte(fmt.Sprintf("%s  record %s-%d@%d  %s\n", p.now().Format("15:04:05.000"), m.Topic, m.Partition, m.Offset, readable(m))))
	}
	l := &line{Event: "record", Topic: m.Topic, Partition: &m.Partition, Offset: &m.Offset, Timestamp: m.Timestamp().UTC().Format(time.RFC3339Nano)}
	l.Key, l.KeyBase64 = bytesText(m.Key)
	l.Value, l.ValueBase64 = bytesText(m.Value)
	return p.print(l)
}

// problem prints what is wrong.
func (p *printer) problem(text string) error {
	if p.json {
		return p.print(&line{Event: "error", Error: text})
	}
	return p.write([]byte(fmt.Sprintf("%s  error  %s\n", p.now().Format("15:04:05.000"), output.CleanText(text))))
}

// readable is a record's key and value on one line.
func readable(m *consumer.Message) string {
	var parts []string
	for _, b := range [][]byte{m.Key, m.Value} {
		switch {
		case b == nil:
		case utf8.Valid(b):
			parts = append(parts, output.Clean(string(b)))
		default:
			parts = append(parts, fmt.Sprintf("(%d bytes)", len(b)))
		}
	}
	return strings.Join(parts, "  ")
}

// bytesText is bytes as text, or where they are none, in base64.
func bytesText(b []byte) (text *string, inBase64 string) {
	switch {
	case b == nil:
		return nil, ""
	case utf8.Valid(b):
		s := string(b)
		return &s, ""
	}
	return nil, base64.StdEncoding.EncodeToString(b)
}

func byTopic(list []strategy.TopicPartitions) map[string][]int32 {
	m := make(map[string][]int32, len(list))
	for _, tp := range list {
		m[tp.Topic] = tp.Partitions
	}
	return m
}
