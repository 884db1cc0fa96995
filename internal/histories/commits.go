package histories

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// ask commits, and does something when there is an answer.
func (a *application) ask(in membership.Commit, then func()) {
	a.commits++
	in.ID = a.commits
	if then != nil {
		a.waiting[in.ID] = then
	}
	a.asked[in.ID] = in
	for _, o := range in.Offsets {
		if in.Rewind {
			a.rewinds[o.TopicPartition] = rewind{o.Offset, in.ID}
		}
	}
	a.p.step(in)
}

// answered takes note of what is stored now.
func (a *application) answered(answer membership.Answer) {
	in, ok := a.asked[answer.ID]
	if !ok || len(answer.Codes) != len(in.Offsets) {
		a.p.w.fault("%s: %d codes for commit %d, which has %d offsets", a.p.Name, len(answer.Codes), answer.ID, len(in.Offsets))
		return
	}
	delete(a.asked, answer.ID)
	for i, o := range in.Offsets {
		tp := o.TopicPartition
		if code := answer.Codes[i]; code != wire.None && a.p.w.opts.Strict {
			a.p.w.fault("%s: the commit of %s-%d is answered %v, though nothing went wrong", a.p.Name, tp.Topic, tp.Partition, code)
		}
		if before, some := a.confirmed[tp]; answer.Codes[i] == wire.None && (!some || in.Rewind || o.Offset > before) {
			a.confirmed[tp] = o.Offset
		}
		if in.Rewind && a.rewinds[tp].id == in.ID {
			delete(a.rewinds, tp)
		}
	}
}

// misses says whether the partition is of a topic that is not any more, or something else is stored of it than the application was told,
// though it waits for nothing.
func (a *application) misses(tp strategy.TopicPartition) string {
	if a.of[tp] != a.p.w.topics[tp.Topic].id {
		return fmt.Sprintf("%s works on %s-%d of a topic that was deleted", a.p.Name, tp.Topic, tp.Partition)
	}
	want, some := a.confirmed[tp]
	if got := a.p.w.offsets.at(a.p.w, tp); some && len(a.asked) == 0 && got != want {
		return fmt.Sprintf("%s was told that %d is stored of %s-%d, it is %d", a.p.Name, want, tp.Topic, tp.Partition, got)
	}
	return ""
}

// at is a commit of partitions' positions, or so much before them.
func (a *application) at(list []strategy.TopicPartition, before int64) membership.Commit {
	var in membership.Commit
	for _, tp := range list {
		in.Offsets = append(in.Offsets, wire.Offset{TopicPartition: tp, Offset: a.positions[tp] - before})
	}
	return in
}

// commit stores the positions of partitions, then does something.
func (a *application) commit(list []strategy.TopicPartition, then func()) { a.ask(a.at(list, 0), then) }

// commitLate asks for offsets that an earlier commit has overtaken, as a slow part of the application may.
func (a *application) commitLate(list []strategy.TopicPartition) { a.ask(a.at(list, 1), nil) }

// rewind goes back in a partition.
func (a *application) rewind(tp strategy.TopicPartition, by int64) {
	a.positions[tp] = max(0, a.positions[tp]-by)
	in := a.at([]strategy.TopicPartition{tp}, 0)
	in.Rewind = true
	a.ask(in, nil)
}

// commitText commits offsets given as TOPIC-N@OFFSET.
func (a *application) commitText(args []string, rewind bool) error {
	in := membership.Commit{Rewind: rewind}
	for _, arg := range args {
		o, err := parseOffset(arg)
		if err != nil {
			return err
		}
		a.positions[o.TopicPartition] = o.Offset
		in.Offsets = append(in.Offsets, o)
	}
	a.ask(in, nil)
	return nil
}

// parseOffset reads TOPIC-N@OFFSET.
func parseOffset(s string) (wire.Offset, error) {
	name, offset, ok1 := strings.Cut(s, "@")
	topic, partition, ok2 := strings.Cut(name, "-")
	n, err1 := strconv.Atoi(partition)
	o, err2 := strconv.Atoi(offset)
	if !ok1 || !ok2 || err1 != nil || err2 != nil {
		return wire.Offset{}, fmt.Errorf("%q is not TOPIC-N@OFFSET", s)
	}
	return wire.Offset{TopicPartition: strategy.TopicPartition{Topic: topic, Partition: int32(n)}, Offset: int64(o)}, nil
}

// isStored returns an error unless this offset, as of parseOffset, is stored.
func (w *World) isStored(s string) error {
	want, err := parseOffset(s)
	if got := w.offsets.at(w, want.TopicPartition); err == nil && got != want.Offset {
		return fmt.Errorf("%d is stored, not %s", got, s)
	}
	return err
}
