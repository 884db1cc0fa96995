package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/plugin/internal/wire"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// echo answers as sticky does, and sends members what they sent, as often as their share says.
type echo struct{ sticky.Assignor }

func (e echo) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	a, err := e.Assignor.Assign(ctx, g)
	a.UserData = map[string][]byte{}
	for i := range g.Members {
		m := &g.Members[i]
		a.UserData[m.ID] = bytes.Repeat(m.UserData, int(m.Share()))
	}
	return a, err
}

// sending is a group of one member, that sends some bytes that do not compress, and wants to hear them a number of times.
func sending(size int, times int32) *strategy.Group {
	data := make([]byte, size)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(data)
	return &strategy.Group{
		Topics:  []strategy.Topic{{Name: "t", Partitions: 2}},
		Members: []strategy.Member{{ID: "a", Topics: []string{"t"}, Generation: strategy.NoGeneration, UserData: data, Capacity: times}},
	}
}

// Messages up to the limit go over, compressed or not, and larger ones are refused with their size, on either side; the fallback answers then.
func TestSizes(t *testing.T) {
	cfg := Config{Private: t.TempDir(), CallTimeout: time.Minute, Logger: slog.New(slog.DiscardHandler)}
	a, err := Unlocked(t.Context(), cfg, executable(t, folder(t), "echo"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const most = wire.MaxMessage
	for _, c := range []struct {
		name  string
		size  int
		times int32
		says  string // "" if it goes over
	}{
		{"a small group", 10, 1, ""},
		{"just below what is compressed", compressAbove - 100, 1, ""},
		{"compressed", compressAbove + 100, 1, ""},
		{"the answer compressed", 1 << 20, 5, ""},
		{"just below the limit", most - 100, 1, ""},
		{"the group above the limit", most, 1, "assign: larger than a message may be: the group of 1 members and 2 partitions has 671089"},
		{"the answer above the limit", 1 << 20, 65, "assign: larger than a message may be: the answer has 681574"},
		{"a small group again", 10, 1, ""},
	} {
		g := sending(c.size, c.times)
		answer, err := a.Assign(t.Context(), g)
		for began := time.Now(); errors.Is(err, ErrBackoff) && time.Since(began) < time.Minute; { // after the last failure
			time.Sleep(10 * time.Millisecond)
			answer, err = a.Assign(t.Context(), g)
		}
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.says == "" && !bytes.Equal(answer.UserData["a"], bytes.Repeat(g.Members[0].UserData, int(c.times))):
			t.Errorf("%s: the data came back as %d bytes", c.name, len(answer.UserData["a"]))
		case c.says != "" && (!errors.Is(err, ErrTooLarge) || !strings.Contains(fmt.Sprint(err), c.says) || !strings.Contains(fmt.Sprint(err), strconv.Itoa(most))):
			t.Errorf("%s: %.300v, want %q", c.name, err, c.says)
		}
		if c.says != "" {
			answer, err = strategy.Fallback(a, sticky.Assignor{}).Assign(t.Context(), g)
			if err != nil || strategy.Validate(g, &answer, strategy.ProtocolEager) != nil {
				t.Errorf("%s, with a fallback: %v", c.name, err)
			}
		}
	}
}
