package membership

// SetBug switches a deliberate fault on.
func SetBug(c *Config, bug string) { c.bug = bug }
