package consumertest

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// clone copies what a callback is handed.
func (g handed) clone() handed {
	copied := func(list []strategy.TopicPartitions) []strategy.TopicPartitions {
		list = slices.Clone(list)
		for i := range list {
			list[i].Partitions = slices.Clone(list[i].Partitions)
		}
		return list
	}
	g.Current, g.Partitions = copied(g.Current), copied(g.Partitions)
	switch offsets := g.Offsets.(type) {
	case map[strategy.TopicPartition]callbacks.Offset:
		g.Offsets = maps.Clone(offsets)
	case map[strategy.TopicPartition]int64:
		g.Offsets = maps.Clone(offsets)
	}
	return g
}

// judge looks at how a callback has ended, and at what was committed meanwhile.
func (h *history) judge(s *step, err error) {
	var panicked *panicError
	refused := errors.Is(err, callbacks.ErrNotOwned) || errors.Is(err, callbacks.ErrEnded)
	switch {
	case err == nil, errors.Is(err, errHung), errors.Is(err, errReported):
	case errors.As(err, &panicked):
		h.fault(rulePanics, "%s %v", s.kind, err)
	case s.kind == lose && refused:
		h.fault(ruleLost, "it takes it for a failure of its own that commits are refused: %v", err)
	case refused:
		h.fault(ruleOutside, "%s uses partitions that are not the member's: %v", s.kind, err)
	case s.ends != lives, s.refuse, h.mayFail:
	default:
		h.fault(ruleErrors, "%s fails: %v", s.kind, err)
	}
	for _, n := range h.host.taken() {
		h.fault(n.rule, "in %s, %s", s.kind, n.text)
	}
}

// keeping returns the partitions for which the application keeps something, among those that there are; not ok if it could not be asked.
func (h *history) keeping() (kept map[strategy.TopicPartition]bool, ok bool) {
	kept = map[strategy.TopicPartition]bool{}
	if h.subject.State == nil {
		return kept, true
	}
	err := h.bounded("State", func() error {
		for _, p := range h.all {
			if _, ok := h.subject.State(p); ok {
				kept[p] = true
			}
		}
		return nil
	})
	return kept, err == nil
}

// state returns what is kept for a partition.
func (h *history) state(p strategy.TopicPartition) (text string, ok bool) {
	said := new(string)
	err := h.bounded("State", func() error { *said, _ = h.subject.State(p); return nil })
	if err != nil {
		return "", false
	}
	return *said, true
}

// judgeKept looks at the partitions for which something is kept after a step. A callback whose context has ended may have been given up by
// a wrapper and still be running: that one is waited for.
func (h *history) judgeKept(s *step, before map[strategy.TopicPartition]bool, succeeded bool) {
	if h.subject.State == nil {
		return
	}
	deadline := time.Now().Add(h.patience)
	for {
		after, ok := h.keeping()
		if !ok {
			return
		}
		rule, format, p := h.wrongly(s, before, after, succeeded)
		if rule == "" {
			return
		}
		// Where the rule is known to be broken, there is no use in waiting.
		if s.ends == lives || len(h.checker.found[rule]) > 0 || time.Now().After(deadline) {
			h.fault(rule, format, s.kind, name(p))
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// wrongly returns a rule that is broken by what is kept, how, and for which partition.
func (h *history) wrongly(s *step, before, after map[strategy.TopicPartition]bool, succeeded bool) (rule, format string, p strategy.TopicPartition) {
	has := h.host.current()
	for _, p := range h.all {
		about := slices.Contains(s.parts, p)
		mine := slices.Contains(has, p)
		switch {
		case about && s.kind != assign && after[p]:
			return ruleGone, "after %s, something is kept for %s", p
		case !mine && !about && after[p]:
			return ruleOutside, "after %s, something is kept for %s, which is not the member's", p
		case mine && !about && before[p] && !after[p]:
			return ruleStays, "after %s, nothing is kept for %s any more, though it stays", p
		case about && s.kind == assign && s.ends == lives && succeeded:
			if h.kept[p] && !after[p] {
				return ruleState, "after %s, nothing is kept for %s, as there was when it was assigned before", p
			}
			h.kept[p] = after[p]
		}
	}
	return "", "", p
}

// past is what the application kept for a partition when its latest record had been handled.
type past struct {
	next int64 // offset behind that record
	text string
}

// resume has partitions that came back catch up to where they were, and compares what is kept for them with what was.
func (h *history) resume(parts []strategy.TopicPartition) {
	if h.subject.State == nil || h.subject.Handle == nil {
		return
	}
	for _, p := range parts {
		at, known := h.past[p]
		from, denied := h.next(p), h.host.wasDenied(p)
		if !known || denied || from > at.next || from == at.next && !h.kept[p] { // what is made with the first record is not there yet
			h.remember(p)
			continue
		}
		for h.next(p) < at.next {
			if h.handleOne(p) != nil {
				return
			}
		}
		text, ok := h.state(p)
		if !ok {
			return
		}
		if text != at.text {
			h.fault(ruleState, "%s came back at offset %d. When the records before offset %d had been handled, %q was kept for it; now that they have been again, %q is",
				name(p), from, at.next, at.text, text)
			return
		}
	}
}

// work is what happens between callbacks: a record of each partition comes, but not always, and is handled. What is kept then is remembered.
func (h *history) work() {
	parts := h.host.delivering()
	h.host.tick(parts) // so that the group knows of all but the last record
	if len(h.done)%3 != 0 {
		if h.handle(parts) != nil {
			return
		}
	}
	for _, n := range h.host.taken() {
		h.fault(n.rule, "between callbacks, %s", n.text)
	}
	for _, p := range parts {
		h.remember(p)
	}
}

func (h *history) remember(p strategy.TopicPartition) {
	if h.subject.State == nil {
		return
	}
	if text, ok := h.state(p); ok {
		h.past[p] = past{next: h.next(p), text: text}
	}
}

func (h *history) next(p strategy.TopicPartition) int64 {
	h.host.mu.Lock()
	defer h.host.mu.Unlock()
	return h.host.shares[p].next
}

// ends returns the offsets behind the records that there are.
func (h *history) ends() map[strategy.TopicPartition]int64 {
	ends := map[strategy.TopicPartition]int64{}
	for p, at := range h.past {
		ends[p] = at.next
	}
	return ends
}
