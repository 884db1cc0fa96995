package strategies

import (
	"errors"

	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/strategy"
)

// Parse is [strategy.Parse] for what the command line says: a specification that is wrong in itself is wrong usage, one whose file
// cannot be read is not.
func Parse(spec string) (strategy.Assignor, error) {
	a, err := strategy.Parse(spec)
	if errors.Is(err, strategy.ErrSpec) || errors.Is(err, strategy.ErrUnknownStrategy) {
		return nil, &fault.UsageError{Err: err}
	}
	return a, err
}
