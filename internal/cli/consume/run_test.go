package consume

import (
	"testing"

	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategy"
)

// An assignor that tells its specification is found to be as cooperative as without.
func TestSpecifiedHidesNothing(t *testing.T) {
	if a := (specified{strategy.Cooperative(roundrobin.Assignor{}), "roundrobin?cooperative"}); strategy.ProtocolOf(a) != strategy.ProtocolCooperative {
		t.Error("it is eager")
	}
}
