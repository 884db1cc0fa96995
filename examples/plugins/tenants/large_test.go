//go:build python

package tenants

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/strategy"
)

// TestLarge has 100 members share 10,000 partitions of 100 tenants, and one leave.
func TestLarge(t *testing.T) {
	a := pythontest.Open(t, "tenants")
	g := &strategy.Group{Name: "group", Generation: 1, Leader: "m000"}
	var topics []string
	for i := range 500 {
		topics = append(topics, fmt.Sprintf("tenant%02d.topic%d", i/5, i%5))
		g.Topics = append(g.Topics, strategy.Topic{Name: topics[i], Partitions: 20})
	}
	for i := range 100 {
		g.Members = append(g.Members, strategy.Member{ID: fmt.Sprintf("m%03d", i), Topics: topics, Generation: strategy.NoGeneration})
	}
	ask := func(what string) strategy.Assignment {
		began := time.Now()
		answer, err := a.Assign(context.Background(), g)
		if err == nil {
			err = strategy.Validate(g, &answer, a.Protocol())
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s", what, time.Since(began))
		return answer
	}
	before := ask("10,000 partitions, 100 members")
	g.Generation = 2
	for i := range g.Members {
		g.Members[i].Owned, g.Members[i].Generation = before.Members[g.Members[i].ID], 1
	}
	if again := ask("again"); moved(&before, &again) != 0 {
		t.Errorf("%d partitions move without a reason", moved(&before, &again))
	}
	g.Members = g.Members[:99]
	after := ask("one has left")
	if n := moved(&before, &after); n < 100 || n > 250 { // what it had, and what evens the others out
		t.Errorf("%d partitions move where a member with 100 has left", n)
	}
}

// moved counts the partitions that have another member in b than in a.
func moved(a, b *strategy.Assignment) (n int) {
	was := map[strategy.TopicPartition]string{}
	each := func(x *strategy.Assignment, f func(p strategy.TopicPartition, member string)) {
		for member, lists := range x.Members {
			for _, list := range lists {
				for _, p := range list.Partitions {
					f(strategy.TopicPartition{Topic: list.Topic, Partition: p}, member)
				}
			}
		}
	}
	each(a, func(p strategy.TopicPartition, member string) { was[p] = member })
	each(b, func(p strategy.TopicPartition, member string) {
		if was[p] != member {
			n++
		}
	})
	return n
}
