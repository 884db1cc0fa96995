package main

import (
	"fmt"
	"runtime"
	"strings"
)

// gridPrinter writes a line for each group, and then how each peer stands.
type gridPrinter struct{ markdownPrinter }

// gridColumns are the peers that have a column of their own, by what they are compared with.
var gridColumns = []struct {
	our   string
	peers []string
}{
	{"cooperative-sticky", []string{"franz-go", "java"}},
	{"sticky", []string{"franz-go", "java"}},
}

func (p *gridPrinter) start(l limits) {
	p.limits = l
	fmt.Fprintf(p.w, `# The grid through other libraries

Made by `+"`go -C bench/peers run . -grid`"+` on %d cores, %s %s/%s. Times are those of the fastest of at most %d calls, %v each; peers' are in relation to
ours of the same kind, one measured after the other.

| group |`, runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, l.Calls, l.Time)
	columns := 1
	for _, c := range gridColumns {
		fmt.Fprintf(p.w, " our %s |", c.our)
		for _, library := range c.peers {
			fmt.Fprintf(p.w, " %s's |", library)
		}
		columns += 1 + len(c.peers)
	}
	fmt.Fprintf(p.w, "\n|%s\n", strings.Repeat("---|", columns))
}

func (p *gridPrinter) table(t *table) {
	fmt.Fprintf(p.w, "| %s |", t.Case)
	for _, c := range gridColumns {
		our := t.result(ours, c.our)
		text := string(our.Status)
		if our.Status == Valid {
			text = duration(our.Fastest)
		}
		fmt.Fprintf(p.w, " %s |", text)
		for _, library := range c.peers {
			fmt.Fprintf(p.w, " %s |", p.times(t.result(library, c.our), our))
		}
	}
	fmt.Fprintln(p.w)
}

// times says how much slower than ours a peer is.
func (p *gridPrinter) times(peer, our *Result) string {
	if peer == nil {
		return "–"
	}
	x, ok := slower(peer, our, p.limits)
	switch {
	case !ok:
		return string(peer.Status)
	case peer.Status == Late:
		return "> " + number(x) + " ×"
	}
	return number(x) + " ×"
}

func (p *gridPrinter) end(r *report) error {
	fmt.Fprint(p.w, `
## How each peer stands

Better and worse are groups on which its answers are so than ours: more even, or as even with fewer moves.

| library | assignor | right | late (not asked) | wrong | answers differ | better | worse | time to ours, median | least | ours slower |
|---|---|---|---|---|---|---|---|---|---|---|
`)
	for i := range r.Summary {
		s := &r.Summary[i]
		median, least := "–", "–"
		if s.Timed > 0 {
			median, least = number(s.Median)+" ×", number(s.Least)+" × ("+s.LeastOn.String()+")"
		}
		fmt.Fprintf(p.w, "| %s | %s | %d | %d (%d) | %d | %d | %d | %d | %s | %s | %d |\n",
			s.Library, s.Assignor, s.Valid, s.Late, s.Presumed, s.Wrong, s.Varying, s.Better, s.Worse, median, least, s.Slower)
	}
	return p.markdownPrinter.end(r)
}
