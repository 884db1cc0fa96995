package rangeassign_test

import (
	"context"
	"fmt"

	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategy"
)

// Three partitions while consumers come and go: nobody gets more than ⌈3/C⌉, and the fourth consumer gets nothing.
func ExampleAssignor() {
	for _, consumers := range []int{1, 2, 3, 4, 3, 2, 1} {
		g := &strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: 3}}}
		for c := range consumers {
			g.Members = append(g.Members, strategy.Member{ID: fmt.Sprint("c", c), Topics: []string{"t"}})
		}
		a, err := rangeassign.Assignor{}.Assign(context.Background(), g)
		if err != nil {
			fmt.Println(err)
			return
		}
		for i, m := range g.Members {
			if i > 0 {
				fmt.Print(", ")
			}
			fmt.Print(m.ID)
			for _, tp := range a.Members[m.ID] {
				fmt.Print(" ", tp.Partitions)
			}
		}
		fmt.Println()
	}
	// Output:
	// c0 [0 1 2]
	// c0 [0 1], c1 [2]
	// c0 [0], c1 [1], c2 [2]
	// c0 [0], c1 [1], c2 [2], c3
	// c0 [0], c1 [1], c2 [2]
	// c0 [0 1], c1 [2]
	// c0 [0 1 2]
}

// The two ways to cut differ where the partitions do not come out even.
func ExampleAssignor_even() {
	for _, size := range []struct{ partitions, consumers int }{{3, 2}, {5, 4}, {7, 3}, {9, 8}, {10, 4}} {
		g := &strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: int32(size.partitions)}}}
		for c := range size.consumers {
			g.Members = append(g.Members, strategy.Member{ID: fmt.Sprint("c", c), Topics: []string{"t"}})
		}
		fmt.Printf("%d over %d:", size.partitions, size.consumers)
		for _, assignor := range []rangeassign.Assignor{{Even: true}, {}} {
			a, err := assignor.Assign(context.Background(), g)
			if err != nil {
				fmt.Println(err)
				return
			}
			var counts []int
			for _, m := range g.Members {
				counts = append(counts, a.Count(m.ID))
			}
			fmt.Print(" ", counts)
		}
		fmt.Println()
	}
	// Output:
	// 3 over 2: [2 1] [2 1]
	// 5 over 4: [2 1 1 1] [2 2 1 0]
	// 7 over 3: [3 2 2] [3 3 1]
	// 9 over 8: [2 1 1 1 1 1 1 1] [2 2 2 2 1 0 0 0]
	// 10 over 4: [3 3 2 2] [3 3 3 1]
}
