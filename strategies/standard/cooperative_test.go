package standard_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategy"
)

// Whatever members claim, and whichever built-in decides: no partition is handed out while another member owns it, and the group
// settles.
func TestCooperativeHandsOutNothingThatIsOwned(t *testing.T) {
	for _, name := range []string{"range", "range-even", "roundrobin", "sticky", "sticky?tolerance=1"} {
		t.Run(name, func(t *testing.T) {
			inner, err := strategy.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			a := strategy.Cooperative(inner)
			rapid.Check(t, func(t *rapid.T) {
				g := drawGroup(t)
				for round := 1; ; round++ {
					table, err := strategy.Tabulate(g)
					if err != nil {
						t.Fatal(err)
					}
					answer, err := a.Assign(context.Background(), g)
					if err != nil {
						t.Fatal(err)
					}
					for i, o := range table.Owners(&answer) {
						if was := table.Owner(i); o >= 0 && was != strategy.NoOwner && was != int(o) {
							t.Fatalf("round %d: %v goes to %d and is owned by %d", round, table.Name(i), o, was)
						}
					}
					if err := strategy.Validate(g, &answer, strategy.ProtocolCooperative); err != nil {
						t.Fatal(err)
					}
					if len(answer.Unassigned) == 0 {
						return
					}
					if round == 3 {
						t.Fatalf("still withheld in round 3: %v", answer.Unassigned)
					}
					next := *g
					next.Members = slices.Clone(g.Members)
					for i := range next.Members {
						next.Members[i].Owned, next.Members[i].Generation = answer.Members[next.Members[i].ID], int32(100+round)
					}
					g = &next
				}
			})
		})
	}
}

// drawGroup makes a group whose members claim anything.
func drawGroup(t *rapid.T) *strategy.Group {
	g := &strategy.Group{Name: "g"}
	names := []string{"t", "u", "v"}
	for _, name := range names {
		g.Topics = append(g.Topics, strategy.Topic{Name: name, Partitions: rapid.Int32Range(0, 9).Draw(t, "partitions")})
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "members") {
		m := strategy.Member{ID: fmt.Sprintf("m%d", i), Generation: rapid.Int32Range(-1, 2).Draw(t, "generation")}
		m.Draining = rapid.IntRange(0, 5).Draw(t, "draining") == 0
		for _, name := range names {
			if rapid.IntRange(0, 3).Draw(t, "reads") > 0 {
				m.Topics = append(m.Topics, name)
			}
			if list := rapid.SliceOfN(rapid.Int32Range(-1, 10), 0, 6).Draw(t, "claims"); len(list) > 0 {
				m.Owned = append(m.Owned, strategy.TopicPartitions{Topic: name, Partitions: list})
			}
		}
		g.Members = append(g.Members, m)
	}
	return g
}
