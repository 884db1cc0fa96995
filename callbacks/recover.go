package callbacks

import (
	"github.com/assignkit/assignkit/strategy"
)

// protect returns f's error, or its panic as one.
func protect(f func() error) (err error) {
	defer strategy.Recover(&err)
	return f()
}
