package consumertest

import (
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Request is a kind of request that clients send to brokers, by Kafka's name and number.
type Request int16

// Those that consumers send.
const (
	Fetch           Request = 1  // records
	ListOffsets     Request = 2  // where a partition begins and ends
	Metadata        Request = 3  // brokers, topics, partitions
	OffsetCommit    Request = 8  // commits
	OffsetFetch     Request = 9  // committed offsets, when partitions are assigned
	FindCoordinator Request = 10 // who coordinates the group
	JoinGroup       Request = 11 // a member joins, or joins again in a rebalance
	Heartbeat       Request = 12
	LeaveGroup      Request = 13
	SyncGroup       Request = 14 // what a member is assigned
)

func (r Request) String() string { return kmsg.NameForKey(int16(r)) }

// Slow has answers to requests of some kinds come later by delay: to all that arrive from now on, until end is called or the test ends. Those
// that are held back then come at once, so that with a long delay a test decides itself when they do. Requests that wait behind others
// on the same connection wait as well.
func (c *Cluster) Slow(t testing.TB, delay time.Duration, requests ...Request) (end func()) {
	t.Helper()
	if len(requests) == 0 {
		t.Fatal("Slow: which requests?")
	}
	over := make(chan struct{})
	end = sync.OnceFunc(func() { close(over) })
	t.Cleanup(end)
	fake := c.inside.Fake()
	for _, r := range requests {
		fake.ControlKey(int16(r), func(kmsg.Request) (kmsg.Response, error, bool) {
			select {
			case <-over:
				fake.DropControl()
				return nil, nil, false
			default:
			}
			fake.SleepControl(func() {
				timer := time.NewTimer(delay)
				defer timer.Stop()
				select {
				case <-timer.C:
				case <-over:
				case <-c.over:
				}
			})
			return nil, nil, false
		})
	}
	return end
}
