package strategytest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/assignkit/assignkit/strategy"
)

// checkState has two assignors answer for all groups in opposite orders, and looks at the first answers again in the end.
func checkState(c *checker) {
	type given struct {
		group        testGroup
		answer, copy strategy.Assignment
	}
	var all []given
	one := c.make()
	if one == nil {
		c.fault("another assignor cannot be made")
		return
	}
	for _, g := range c.groups {
		if _, ok := c.answer(g); !ok {
			continue
		}
		a, err := c.assign(context.Background(), one, g)
		if err != nil {
			c.faultAt(g, "after other groups, %s", verdict(err))
			continue
		}
		all = append(all, given{g, a, copied(&a)})
	}
	other := c.make()
	if other == nil {
		c.fault("another assignor cannot be made")
		return
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for k, g := range slices.Backward(all) {
		if k%8 == 0 {
			// An attempt that is given up must leave nothing behind either.
			_, _ = c.assign(ended, other, g.group)
		}
		a, err := c.assign(context.Background(), other, g.group)
		if err != nil {
			c.faultAt(g.group, "after other groups, %s", verdict(err))
		} else if difference := different(&g.copy, &a); difference != "" {
			c.faultAt(g.group, "after other groups, the answer is another:\n%s", difference)
		}
	}
	for _, g := range all {
		if difference := different(&g.copy, &g.answer); difference != "" {
			c.faultAt(g.group, "later calls changed the answer that had been given:\n%s", difference)
		}
	}
}

// checkConcurrent has several goroutines go through the same groups, each beginning with another.
func checkConcurrent(c *checker) {
	type known struct {
		testGroup
		answer strategy.Assignment
	}
	var all []known
	for i, g := range c.groups {
		if i%4 != 0 && !g.large() {
			continue
		}
		if a, ok := c.answer(g); ok {
			all = append(all, known{g, a})
		}
	}
	if len(all) == 0 {
		return
	}
	const goroutines = 8
	var wait sync.WaitGroup
	start := make(chan struct{})
	problems := make([]string, len(all)) // of each group, the last one found
	var lock sync.Mutex
	for n := range goroutines {
		wait.Go(func() {
			<-start
			for k := range all {
				// Every other goroutine begins where its neighbour does, so that there are calls for the same group at once.
				at := (k + n/2*len(all)/goroutines) % len(all)
				problem := ""
				a, err := c.assignItself(context.Background(), c.shared, all[at].testGroup)
				if err != nil {
					problem = verdict(err)
				} else if difference := different(&all[at].answer, &a); difference != "" {
					problem = fmt.Sprintf("the answer is another:\n%s", difference)
				}
				if problem != "" {
					lock.Lock()
					problems[at] = problem
					lock.Unlock()
				}
			}
		})
	}
	close(start)
	wait.Wait()
	for k, problem := range problems {
		if problem != "" {
			c.faultAt(all[k].testGroup, "among calls from other goroutines, %s", problem)
		}
	}
}
