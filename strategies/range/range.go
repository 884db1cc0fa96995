// Package rangeassign divides each topic by itself: its partitions in order, its subscribers in order, and to each subscriber one
// stretch of partitions. Partition n of two topics that have the same size and the same subscribers thus goes to the same member.
//
// There are two ways to cut, both registered by importing the package: "range" cuts chunks of ⌈P/C⌉, "range-even" is what Kafka's
// own clients have done since 0.9. The price of either is that the first members get the surplus of every topic; package sticky has
// none of that.
//
// What belongs here: the two ways to cut, and Kafka's rack-aware variant of the second. Neither looks at what members own, at
// weights or at capacities.
package rangeassign

import (
	"context"
	"errors"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// wireName is the protocol name of either variant unless it is given one of its own. It is that of Kafka's clients.
const wireName = "range"

// Assignor assigns by ranges. The zero value cuts chunks: of P partitions and C subscribers, with N = ⌈P/C⌉, the subscriber
// with index i gets i·N to min((i+1)·N, P)−1, so the last ones may get fewer than others, or none.
//
// A draining member gets partitions only of topics that nobody else subscribes to, or nobody else but draining members.
//
// It is safe for concurrent use and keeps nothing between calls.
type Assignor struct {
	// Even divides as Kafka does: every subscriber gets ⌊P/C⌋, and the first P mod C of them one more. Where members name their
	// racks and the racks of partitions are known, as many partitions as the even division allows go to members in one of their
	// racks (KIP-881); topics of the same size and subscribers are kept together, in racks that suit them all.
	Even bool

	// Wire is the protocol name; empty means "range", that of Kafka's clients. In a group whose members offer both variants under one name, the leader
	// decides which is used.
	Wire string
}

var _ strategy.Assignor = Assignor{}

// Name returns the protocol name.
func (a Assignor) Name() string {
	if a.Wire == "" {
		return wireName
	}
	return a.Wire
}

// Assign divides g. Its only errors are the [*strategy.GroupError] of a malformed group, and ctx's.
func (a Assignor) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Assignment{}, err
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	d := newDivision(t)
	if err := d.divide(ctx, a.Even); err != nil {
		return strategy.Assignment{}, err
	}
	return t.Assignment(d.owner), nil
}

// A division is the work of one call.
type division struct {
	table   *strategy.Table
	readers [][]int32 // of each topic: the members that may get its partitions, in order
	owner   []int32   // the answer: of each partition number the member it goes to
}

func newDivision(t *strategy.Table) *division {
	d := &division{table: t, readers: make([][]int32, len(t.Group.Topics)), owner: t.Unowned()}
	for n := range d.readers {
		d.readers[n] = t.Readers(n)
	}
	return d
}

func (d *division) divide(ctx context.Context, even bool) error {
	if even {
		if done, err := d.alignRacks(ctx); done || err != nil {
			return err
		}
	}
	for n := range d.readers {
		if n%1024 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		if part := d.part(n); even {
			cutEven(part, d.readers[n])
		} else {
			cutChunks(part, d.readers[n])
		}
	}
	return nil
}

// part returns the stretch of the answer that is about one topic.
func (d *division) part(topic int) []int32 {
	return d.owner[d.table.Base(topic):d.table.Base(topic+1)]
}

// cutChunks gives each reader the same number of partitions, rounded up, as long as there are any.
func cutChunks(part, readers []int32) {
	if len(readers) == 0 {
		return
	}
	size := (len(part) + len(readers) - 1) / len(readers)
	for p := range part {
		part[p] = readers[p/size]
	}
}

// cutEven gives each reader the same number of partitions, rounded down, and the first ones what is left.
func cutEven(part, readers []int32) {
	if len(readers) == 0 {
		return
	}
	size, extra := len(part)/len(readers), len(part)%len(readers)
	p := 0
	for i := 0; p < len(part); i++ {
		end := p + size
		if i < extra {
			end++
		}
		for ; p < end; p++ {
			part[p] = readers[i]
		}
	}
}

func init() {
	wire := strategy.Parameter{Name: "wire", Kind: strategy.KindText, Default: wireName, Summary: "protocol name that the group's members agree on"}
	register := func(name, summary string, even bool) {
		strategy.Register(name, strategy.Definition{
			Summary:    summary,
			Parameters: []strategy.Parameter{wire},
			New: func(s strategy.Spec) (strategy.Assignor, error) {
				name := s.Value(wire.Name, "")
				if strings.HasPrefix(name, "cooperative-") {
					return nil, errors.New(`wire: a name that begins with "cooperative-" is for the parameter cooperative to make`)
				}
				return Assignor{Even: even, Wire: name}, nil
			},
		})
	}
	register("range", "each topic in chunks of ⌈P/C⌉ partitions, members in order", false)
	register("range-even", "each topic in even stretches, as Kafka's own range assignor; rack-aware", true)
}
