package strategytest

import (
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

func Run(t *testing.T, newAssignor func() strategy.Assignor) {}
