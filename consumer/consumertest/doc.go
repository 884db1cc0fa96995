// Package consumertest tests how an application takes rebalances, without Kafka. It has two parts, which need not be used together.
//
// [TestCallbacks] holds the application's callbacks to the contract of package callbacks, as testing/fstest does for file systems. It plays
// the host: it takes them through some hundred sequences of assignments, revocations and losses, without a cluster and without waiting.
//
//	func TestCallbacks(t *testing.T) {
//		consumertest.TestCallbacks(t, func(*consumertest.Host) consumertest.Subject {
//			app := newApp(t.TempDir())
//			return consumertest.Subject{Callbacks: app.callbacks}
//		})
//	}
//
// A [Cluster] is a Kafka cluster in the test's process, for the application as a whole. What takes production a deploy, a lost machine or a
// bad day is a call here, that returns when its consequences have been seen:
//
//	func TestDeploy(t *testing.T) {
//		c := consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 4}})
//		start(t, c.Prepare(config)) // the application's own consumer.Config
//		other := c.Join(t)          // another member of the group comes,
//		other.Leave(t)              // and goes
//		c.Expire(t)                 // the application is put out of the group: OnLost
//	}
//
// What belongs here: what tests of applications need. How the consumer itself is tested is in its own tests.
package consumertest
