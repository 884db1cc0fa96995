package plugin

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Go collects garbage whenever the heap has doubled, and a small one every 4 MiB: in a plugin, which has little else in its memory than the group that it is
// asked for, every few calls, which takes a third of its time. So it waits for some more.
const (
	garbage      = 32 << 20 // how much there may be beside as much as is in use, in bytes
	smallestHeap = 4 << 20  // of Go's, to which its percentage is applied at least
)

// collectLate has the collector wait for more garbage, unless the environment says how long it is to wait.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := latePercent(0)
	debug.SetGCPercent(percent)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var next func(int)
	next = func(int) { // after each collection
		metrics.Read(live)
		if now := latePercent(live[0].Value.Uint64()); now != percent {
			percent = now
			debug.SetGCPercent(percent)
		}
		runtime.AddCleanup(new([64]byte), next, 0)
	}
	runtime.AddCleanup(new([64]byte), next, 0)
}

// latePercent is how much the heap may grow, in percent of what of it is in use: at least by what Go lets it by itself, so that large groups take no more
// memory than without.
func latePercent(live uint64) int {
	return max(100, int(100*garbage/max(live, smallestHeap)))
}

// softLimit tells a plugin in Go which memory it may have, so that it collects garbage before the system refuses it more: the rest is for what its runtime
// does not count. A limit in the environment that the plugin gets of its host's comes behind, and holds.
func softLimit(memory int64) []string {
	if memory <= 0 {
		return nil
	}
	return []string{fmt.Sprintf("GOMEMLIMIT=%d", memory/4*3)}
}
