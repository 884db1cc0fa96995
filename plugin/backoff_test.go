package plugin

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	now := time.Unix(1000, 0)
	var b backoff
	if left := b.left(now); left != 0 {
		t.Error(left)
	}
	for i, want := range []time.Duration{
		0, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond,
		3200 * time.Millisecond, 6400 * time.Millisecond, 12800 * time.Millisecond, 25600 * time.Millisecond, 30 * time.Second, 30 * time.Second,
	} {
		b.failed(now)
		if left := b.left(now); left != want {
			t.Errorf("after failure %d it is left alone for %s, want %s", i+1, left, want)
		}
		if left := b.left(now.Add(want)); left != 0 {
			t.Errorf("after failure %d and its pause %s are left", i+1, left)
		}
	}
	if p := pause(1 << 40); p != backoffMost {
		t.Errorf("a pause of %s", p)
	}
	b.answered()
	b.failed(now)
	if left := b.left(now); left != 0 {
		t.Errorf("the first failure after an answer costs %s", left)
	}
}
