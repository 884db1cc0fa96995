package callbacks_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// plain is a logger without what differs from run to run.
func plain(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey, "took", "stack":
			return slog.Attr{}
		}
		return a
	}}))
}

func TestLog(t *testing.T) {
	l := loss(1)
	l.Err = io.ErrUnexpectedEOF
	const (
		who = " group=billing member=billing-1 generation=7 "
		one = "removed=orders[1] count=1"
	)
	for _, test := range []struct {
		name  string
		level slog.Level
		err   error
		panic bool
		want  string
	}{
		{name: "info", level: slog.LevelInfo, want: `
level=INFO msg="partitions assigned"` + who + `current=4 added=orders[0-2,5] count=4
level=INFO msg="partitions revoked"` + who + `current=0 ` + one + `
level=WARN msg="partitions lost"` + who + `current=0 ` + one + ` reason=expired cause="unexpected EOF"
`},
		{name: "debug", level: slog.LevelDebug, want: `
level=DEBUG msg="assigning partitions"` + who + `current=4 added=orders[0-2,5] count=4
level=INFO msg="partitions assigned"` + who + `current=4 added=orders[0-2,5] count=4
level=DEBUG msg="revoking partitions"` + who + `current=0 ` + one + `
level=INFO msg="partitions revoked"` + who + `current=0 ` + one + `
level=DEBUG msg="losing partitions"` + who + `current=0 ` + one + ` reason=expired cause="unexpected EOF"
level=WARN msg="partitions lost"` + who + `current=0 ` + one + ` reason=expired cause="unexpected EOF"
`},
		{name: "error", level: slog.LevelError, err: io.EOF, want: `
level=ERROR msg="partitions assigned"` + who + `current=4 added=orders[0-2,5] count=4 error=EOF
level=ERROR msg="partitions revoked"` + who + `current=0 ` + one + ` error=EOF
level=ERROR msg="partitions lost"` + who + `current=0 ` + one + ` reason=expired cause="unexpected EOF" error=EOF
`},
		{name: "panic", level: slog.LevelError, err: io.EOF, panic: true, want: `
level=ERROR msg="partitions assigned"` + who + `current=4 added=orders[0-2,5] count=4 error="panic: EOF"
level=ERROR msg="partitions revoked"` + who + `current=0 ` + one + ` error="panic: EOF"
level=ERROR msg="partitions lost"` + who + `current=0 ` + one + ` reason=expired cause="unexpected EOF" error="panic: EOF"
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			var j journal
			cb := callbacks.Log(j.named("a", test.err, test.panic), plain(&out, test.level))
			for _, err := range []error{
				cb.Assigned(t.Context(), assignment(0, 1, 2, 5)), cb.Revoked(t.Context(), revocation(1)), cb.Lost(t.Context(), l),
			} {
				if !errors.Is(err, test.err) {
					t.Errorf("got error %v, want %v", err, test.err)
				}
			}
			if got := "\n" + out.String(); got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestLogDefaults(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(plain(&out, slog.LevelInfo))
	if err := callbacks.Log(nil, nil).Revoked(t.Context(), revocation(1)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "partitions revoked") {
		t.Errorf("got %q", out.String())
	}
}

func TestLogStack(t *testing.T) {
	var out bytes.Buffer
	cb := callbacks.Log(callbacks.Funcs{OnLost: func(context.Context, *callbacks.Loss) error { panic("x") }}, slog.New(slog.NewTextHandler(&out, nil)))
	_ = cb.Lost(t.Context(), loss(1))
	if !strings.Contains(out.String(), "log_test.go") || !strings.Contains(out.String(), "took=") {
		t.Errorf("got %s", out.String())
	}
}

func TestLogPartitions(t *testing.T) {
	evens := make([]int32, 1000)
	for i := range evens {
		evens[i] = int32(2 * i)
	}
	for _, test := range []struct {
		list []strategy.TopicPartitions
		want string // a part
	}{
		{orders(3), "added=orders[3] "},
		{orders(0, 1), "added=orders[0,1] "},
		{orders(0, 1, 2), "added=orders[0-2] "},
		{orders(1, 3, 4, 5, 6, 9), "added=orders[1,3-6,9] "},
		{append(orders(1), strategy.TopicPartitions{Topic: "payments", Partitions: []int32{0, 1, 2}}), `added="orders[1] payments[0-2]" `},
		{orders(evens...), `,524] ... 737 more" count=1000`},
	} {
		var out bytes.Buffer
		cb := callbacks.Log(nil, plain(&out, slog.LevelInfo))
		if err := cb.Assigned(t.Context(), &callbacks.Assignment{Added: test.list}); err != nil {
			t.Error(err)
		}
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("got %s\nwant %s", out.String(), test.want)
		}
	}
}
