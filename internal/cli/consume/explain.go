package consume

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assignkit/assignkit/consumer"
	why "github.com/assignkit/assignkit/internal/cli/explain"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

const (
	// explainTime is how long the explanations of one rebalance may take.
	explainTime = 10 * time.Second
	// maxMoved is how many partitions that moved are explained after one rebalance.
	maxMoved = 10
	// maxAsked is how many rebalances may wait to be explained.
	maxAsked = 16
)

// questions are what --explain asks for.
type questions struct {
	moved bool
	of    []strategy.TopicPartition
}

// Set takes one of them, as the flag does.
func (q *questions) Set(text string) error {
	if text == "moved" {
		q.moved = true
		return nil
	}
	of, err := why.ParsePartition(text)
	if err != nil {
		return fmt.Errorf("%w, nor \"moved\"", err)
	}
	if !slices.Contains(q.of, of) {
		q.of = append(q.of, of)
	}
	return nil
}

// String makes it a flag's value.
func (q *questions) String() string { return "" }

// Type makes it a flag's value.
func (q *questions) Type() string { return "text" }

func (q *questions) none() bool { return !q.moved && len(q.of) == 0 }

// explains has rebalances explained, on a goroutine of its own as that may take a while, until the function that it returns is called.
// What is asked by then is told.
func (s *session) explains(ctx context.Context) (end func()) {
	if s.asked == nil {
		return func() {}
	}
	ended := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() {
		for {
			select {
			case e := <-s.asked:
				s.explain(ctx, e)
			case <-ended:
				if len(s.asked) == 0 {
					return
				}
			}
		}
	})
	return func() {
		close(ended)
		loop.Wait()
	}
}

// ask has a rebalance explained. It does not wait.
func (s *session) ask(e *consumer.RebalanceEnded) {
	if s.asked == nil {
		return
	}
	select {
	case s.asked <- e:
	default:
		s.problem(fmt.Sprintf("generation %d is not explained: too many before it still are", e.Generation))
	}
}

// explain tells why partitions are where they are by a rebalance, if this member decided that.
func (s *session) explain(ctx context.Context, e *consumer.RebalanceEnded) {
	d := e.Decision
	if d == nil {
		s.keep(s.printer.leader(e))
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), explainTime) // an interrupt is no reason to keep quiet about the last one
	defer cancel()
	q := &s.options.explain
	tell := func(of strategy.TopicPartition, brief bool) {
		x, err := d.Explain(ctx, of)
		if err != nil {
			var wrong *strategy.GroupError
			if errors.As(err, &wrong) {
				err = wrong
			}
			s.problem(fmt.Sprintf("--explain %s:%d: %v", of.Topic, of.Partition, err))
			return
		}
		if brief {
			x.Members = slices.DeleteFunc(x.Members, func(c strategy.Candidate) bool {
				return c.Member != x.Before && c.Member != x.Owner && c.Member != x.For
			})
		}
		s.keep(s.printer.explanation(e, &x))
	}
	for _, of := range q.of {
		tell(of, false)
	}
	if !q.moved {
		return
	}
	moved, more, err := changes(d, q.of)
	if err != nil {
		s.problem(fmt.Sprintf("--explain moved: %v", err))
		return
	}
	for _, of := range moved {
		tell(of, true)
	}
	if more > 0 {
		s.keep(s.printer.more(e, more))
	}
}

// changes lists the first of the partitions that are not with whom they were before a decision, but for those that are told anyway, and
// counts the others. What is withheld, or goes to nobody, is with nobody.
func changes(d *consumer.Decision, told []strategy.TopicPartition) (list []strategy.TopicPartition, more int, err error) {
	t, err := strategy.Tabulate(d.Group)
	if err != nil {
		return nil, 0, err
	}
	for i, now := range t.Owners(d.Assignment) {
		if int(now) == t.Owner(i) {
			continue
		}
		switch name := t.Name(i); {
		case slices.Contains(told, name):
		case len(list) == maxMoved:
			more++
		default:
			list = append(list, name)
		}
	}
	return list, more, nil
}

// leader tells who knows why, where this member does not lead.
func (p *printer) leader(e *consumer.RebalanceEnded) error {
	if p.json {
		return p.print(&line{Event: "explain", Member: e.MemberID, Generation: &e.Generation, Leader: e.LeaderID})
	}
	return p.text("explain %s leads and knows why; this member does not  generation %d", output.Clean(e.LeaderID), e.Generation)
}

// explanation tells why a partition is where it is.
func (p *printer) explanation(e *consumer.RebalanceEnded, x *strategy.Explanation) error {
	if p.json {
		return p.print(&line{Event: "explain", Member: e.MemberID, Generation: &e.Generation, Strategy: e.Decision.Assignor, Explanation: x})
	}
	text := output.Clean(strings.TrimSpace(x.Why))
	if x.Derived {
		text += " (" + output.Clean(x.Assignor) + " does not tell: concluded from its answer)"
	}
	return p.text("explain %s:%d %s, decided by %s: %s  generation %d", output.Clean(x.Topic), x.Partition, x.Fate, output.Clean(string(x.Decided)), text, e.Generation)
}

// more tells how many partitions that are not with whom they were are not explained. They may be placed or withheld as well as moved.
func (p *printer) more(e *consumer.RebalanceEnded, n int) error {
	if p.json {
		return p.print(&line{Event: "explain", Member: e.MemberID, Generation: &e.Generation, More: n})
	}
	return p.text("explain ... and %d more whose owner changed; --explain TOPIC:PARTITION asks for one  generation %d", n, e.Generation)
}

// text prints a line behind the time.
func (p *printer) text(format string, args ...any) error {
	return p.write([]byte(p.now().Format("15:04:05.000") + "  " + fmt.Sprintf(format, args...) + "\n"))
}
