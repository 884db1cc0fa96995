package membership_test

import (
	"testing"

	"github.com/assignkit/assignkit/internal/histories"
	"github.com/assignkit/assignkit/internal/membership"
)

// Deliberate faults, each of which the histories find. A checker that finds none of them checks nothing.
func TestHistoriesFindFaults(t *testing.T) {
	for _, bug := range []struct{ name, why string }{
		{"eager keeps", "an eager member that joins with partitions has two owners for them"},
		{"session not watched", "a member that is cut off works on after its session"},
		{"join before revoke", "partitions are given away while their callback runs"},
		{"no follow-up", "what is withheld is never handed out"},
		{"lost goes on", "lost partitions are delivered during Lost"},
		{"callbacks overlap", "two callbacks run at once"},
		{"no lost", "a partition is announced twice without an end between"},
		{"works while revoking", "partitions are delivered during Revoke"},
		{"commit race is fatal", "a healthy member that commits during a round loses everything"},
		{"commits go back", "an older commit is stored after a newer one"},
		{"growth unnoticed", "new partitions are read by nobody"},
		{"claims forgotten", "partitions that stay are given to others"},
		{"leave cuts the round", "who leaves while a round is under way cannot commit"},
		{"leaves late", "a member does not end when its time is over"},
		{"no doubt", "a commit that was abandoned is carried out late and is not mended"},
		{"rewind ignored", "an application cannot go back"},
		{"never lets go", "what is to be given up is worked on for ever"},
		{"slow revoke not claimed", "what a slow callback is about is given to another"},
		{"farewell before revoke", "a member is gone while its callback runs"},
		{"what comes is delivered", "what is read ahead is delivered before it is assigned"},
		{"promise forgotten", "what is announced to one goes to another"},
		{"hands over for ever", "a member that leaves waits for a round that does not come"},
		{"recreated unnoticed", "offsets of a deleted topic count for its successor"},
	} {
		t.Run(bug.name, func(t *testing.T) {
			t.Parallel()
			bad := histories.FirstBad(3000, histories.Faulty{Member: func(c *membership.Config) { membership.SetBug(c, bug.name) }})
			if bad == nil {
				t.Fatalf("not found: %s", bug.why)
			}
			if errs := bad.Run(histories.Faulty{}, false).Faults(); len(errs) > 0 {
				t.Fatalf("seed %d fails without the fault, too: %v", bad.Seed, errs[0])
			}
			t.Logf("seed %d: %v", bad.Seed, bad.Run(histories.Faulty{Member: func(c *membership.Config) { membership.SetBug(c, bug.name) }}, false).Faults()[0])
		})
	}
}
