package strategytest

import (
	"context"
	"reflect"
	"slices"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// checkInput compares each group with a copy of before the call.
func checkInput(c *checker) {
	for _, g := range c.groups {
		trap, touched := trapped(g.Group)
		before := trap.Clone()
		_, err := c.assignItself(context.Background(), c.shared, testGroup{g.name, trap})
		if err != nil {
			continue
		}
		switch {
		case !reflect.DeepEqual(trap, before):
			c.faultAt(g, "it is changed: afterwards it is\n%s\nand before it was", groupjson.AppendGroup(nil, trap))
		case touched():
			c.faultAt(g, "something is appended to one of its lists in place")
		}
	}
}

// trapped returns a copy of g whose lists have room for one more, and a function that says whether anything was written there.
func trapped(g *strategy.Group) (*strategy.Group, func() bool) {
	var traps []func() bool
	t := g.Clone()
	for i := range t.Members {
		m := &t.Members[i]
		m.Topics = roomy(m.Topics, "\x00", &traps)
		m.UserData = roomy(m.UserData, 0xee, &traps)
		for k := range m.Owned {
			m.Owned[k].Partitions = roomy(m.Owned[k].Partitions, -77, &traps)
		}
	}
	return t, func() bool { return slices.ContainsFunc(traps, func(sprung func() bool) bool { return sprung() }) }
}

// roomy copies a list, with a mark behind its end.
func roomy[T comparable](list []T, mark T, traps *[]func() bool) []T {
	if list == nil {
		return nil
	}
	full := make([]T, len(list)+1)
	copy(full, list)
	full[len(list)] = mark
	*traps = append(*traps, func() bool { return full[len(list)] != mark })
	return full[:len(list)]
}
