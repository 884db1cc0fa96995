package strategytest

import (
	"bytes"
	"context"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// maxUserData is the most user data that hosts send.
const maxUserData = 64 << 10

// checkUserData has members send what the assignor wants them to send, be told of the answer, and join again; then it puts all sorts
// of bytes in the place of what some of them send.
func checkUserData(c *checker) {
	a := c.make() // what it is told must not reach the assignor of other rules
	if a == nil {
		c.fault("another assignor cannot be made")
		return
	}
	for i, g := range c.groups {
		if i%4 != 0 || g.large() {
			continue
		}
		if _, ok := c.answer(g); !ok {
			continue
		}
		joined, ok := c.joined(a, g)
		if !ok {
			return
		}
		answer, ok := c.withData(a, joined, "with its own user data")
		if !ok || !c.notified(a, joined, &answer) {
			return
		}
		if joined, ok = c.joined(a, joined); !ok {
			return
		}
		if _, ok := c.withData(a, joined, "with its own user data after an assignment"); !ok {
			return
		}
		for k := range foreign {
			if _, ok := c.withData(a, disturbed(joined, k), "with user data that is not its own"); !ok {
				return
			}
		}
	}
}

// foreign makes of what a member sends what it did not send.
var foreign = []func(own []byte) []byte{
	func([]byte) []byte { return nil },
	func([]byte) []byte { return []byte{} },
	func([]byte) []byte { return []byte{0xff} },
	func([]byte) []byte { return []byte{0xff, 0xff, 0xff, 0xff} },
	func([]byte) []byte { return []byte{0x7f, 0xff, 0xff, 0xff, 0, 1, 't'} },
	func([]byte) []byte { return bytes.Repeat([]byte{0}, 64) },
	func([]byte) []byte { return []byte(`{"json": [`) },
	func(own []byte) []byte { return own[:len(own)/2] },
	func(own []byte) []byte { return append(own[:len(own):len(own)], 0xde, 0xad, 0xbe, 0xef) },
	func(own []byte) []byte {
		flipped := bytes.Clone(own)
		for i := range flipped {
			flipped[i] ^= 0xa5
		}
		return flipped
	},
}

// disturbed replaces the user data of every second member.
func disturbed(g testGroup, k int) testGroup {
	d := g.Clone()
	for i := range d.Members {
		if (i+k)%2 == 0 {
			d.Members[i].UserData = foreign[k](d.Members[i].UserData)
		}
	}
	return testGroup{g.name, d}
}

// joined asks for every member's user data.
func (c *checker) joined(a strategy.Assignor, g testGroup) (testGroup, bool) {
	j := g.Clone()
	for i := range j.Members {
		topics := slices.Sorted(slices.Values(j.Members[i].Topics))
		given := slices.Clone(topics)
		data := new([]byte)
		err := c.bounded("UserData", func() {
			// An error is allowed: the member then sends none.
			*data, _ = strategy.UserDataFor(a, given)
		})
		switch {
		case err != nil:
			c.faultAt(g, "UserData %v", err)
			return g, false
		case !slices.Equal(topics, given):
			c.faultAt(g, "UserData changes the list of topics %q to %q", topics, given)
			return g, false
		case len(*data) > maxUserData:
			c.faultAt(g, "UserData returns %d bytes, of which no more than %d can be sent", len(*data), maxUserData)
			return g, false
		}
		j.Members[i].UserData = *data
	}
	return testGroup{g.name, j}, true
}

// withData wants a valid answer.
func (c *checker) withData(a strategy.Assignor, g testGroup, what string) (strategy.Assignment, bool) {
	answer, err := c.assign(context.Background(), a, g)
	if err != nil {
		c.faultAt(g, "%s, %s\nuser data: %q", what, verdict(err), sent(g.Group))
		return answer, false
	}
	if err := strategy.Validate(g.Group, &answer, c.protocol(a)); err != nil {
		c.faultAt(g, "%s, %v\nuser data: %q", what, err, sent(g.Group))
		return answer, false
	}
	return answer, true
}

func sent(g *strategy.Group) [][]byte {
	var data [][]byte
	for i := range g.Members {
		data = append(data, g.Members[i].UserData)
	}
	return data
}

// notified tells the assignor of the answer, as each member would.
func (c *checker) notified(a strategy.Assignor, g testGroup, answer *strategy.Assignment) bool {
	for i := range g.Members {
		id := g.Members[i].ID
		received := strategy.Received{Group: g.Name, Generation: g.Generation, Member: id, Partitions: answer.Members[id], UserData: answer.UserData[id]}
		if err := c.bounded("OnAssignment", func() { strategy.Notify(a, received) }); err != nil {
			c.faultAt(g, "OnAssignment %v", err)
			return false
		}
	}
	return true
}
