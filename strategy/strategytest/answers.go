package strategytest

import (
	"errors"

	"github.com/assignkit/assignkit/strategy"
)

// checkName asks for the name before and after an answer, and of two assignors.
func checkName(c *checker) {
	name, protocol := c.name(c.shared), c.protocol(c.shared)
	if name == "" {
		c.fault("the name is empty, or asking for it fails")
		return
	}
	for _, g := range c.groups[:3] {
		c.answer(g)
	}
	again := func(a strategy.Assignor, when string) {
		if n := c.name(a); n != name {
			c.fault("the name is %q, and %s %q", name, when, n)
		}
		if p := c.protocol(a); p != protocol {
			c.fault("the protocol is %v, and %s %v", protocol, when, p)
		}
	}
	again(c.shared, "after Assign")
	if other := c.make(); other == nil {
		c.fault("a second assignor cannot be made")
	} else {
		again(other, "of a second assignor")
	}
}

func checkAnswers(c *checker) {
	for _, g := range c.groups {
		if _, err := c.first(g); err != nil {
			c.faultAt(g, "%s", verdict(err))
		}
	}
}

// verdict says what is wrong with an answer that is an error.
func verdict(err error) string {
	var panicked *panicError
	if errors.As(err, &panicked) || errors.Is(err, errHang) {
		return "Assign " + err.Error()
	}
	return "Assign returns the error: " + err.Error()
}

func checkValid(c *checker) {
	protocol := c.protocol(c.shared)
	for _, g := range c.groups {
		a, ok := c.answer(g)
		if !ok {
			continue
		}
		if err := strategy.Validate(g.Group, &a, protocol); err != nil {
			c.faultAt(g, "%v", err)
		}
	}
}

// checkReasons looks for reasons that only some assignors have. Whether the others are true is for Validate to say.
func checkReasons(c *checker) {
	for _, g := range c.groups {
		a, ok := c.answer(g)
		if !ok {
			continue
		}
		for _, u := range a.Unassigned {
			if u.Reason == strategy.ReasonIneligible && !c.Ineligible || u.Reason == strategy.ReasonLimit && !c.Limit {
				c.faultAt(g, "nobody gets %s-%d for the reason %q, which the options do not allow", u.Topic, u.Partition, u.Reason)
				break
			}
		}
	}
}
