package bench

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
)

// A bar shows on a terminal how far a long run has come. It is a line of its own that is written over, and gone in the end.
type bar struct {
	out   io.Writer // nil: nothing is shown
	total int
	next  time.Time // when it is worth showing again
	shown bool
}

const (
	barAfter = 500 * time.Millisecond // what is done by then needs no bar
	barEvery = 100 * time.Millisecond
	barWidth = 24
)

func newBar(s *iostreams.Streams, total int) *bar {
	b := &bar{total: total, next: time.Now().Add(barAfter)}
	if s.ErrTerminal {
		b.out = s.Err
	}
	return b
}

// show is called when done of the runs are done, the last of which was of what.
func (b *bar) show(done int, what string) {
	now := time.Now()
	if b.out == nil || now.Before(b.next) {
		return
	}
	b.next, b.shown = now.Add(barEvery), true
	fmt.Fprint(b.out, "\r\x1b[K"+draw(done, b.total, what))
}

// draw is the line: at most 79 columns.
func draw(done, total int, what string) string {
	full := done * barWidth / max(1, total)
	text := fmt.Sprintf("[%s%s] %d of %d runs", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), done, total)
	if room := 79 - len(text) - 2; len(what) <= room {
		text += "  " + what
	}
	return text
}

func (b *bar) clear() {
	if b.shown {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}
