package coordinator

import "time"

// Config is a coordinator's settings. Its zero value is Kafka's defaults.
type Config struct {
	// Node names the broker in member ids, so that two never give the same. May be empty where there is only one.
	Node string
	// SessionMin and SessionMax bound the session timeouts that members may ask for; 6 s and 30 min if 0.
	SessionMin, SessionMax time.Duration
	// InitialDelay is how long the first round of an empty group waits for more members (group.initial.rebalance.delay.ms); 0 is none.
	InitialDelay time.Duration
	// MaxSize bounds the members of a group; no bound if 0.
	MaxSize int

	bug string // a deliberate fault, for the tests that have to find it
}

func (c *Config) setDefaults() {
	if c.SessionMin == 0 {
		c.SessionMin = 6 * time.Second
	}
	if c.SessionMax == 0 {
		c.SessionMax = 30 * time.Minute
	}
}
