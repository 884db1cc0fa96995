//go:build unix

package plugin

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

func TestNoticesInOrder(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, NoticeTimeout: patience}, "remembering")
	warm(t, a)
	a.said.onAssignment, a.said.userData = true, true
	var want []string
	partitions := []int32{1, 2}
	for i := range 30 {
		a.OnAssignment(strategy.Received{Group: "1ms", Generation: int32(i), Partitions: []strategy.TopicPartitions{{Topic: "t", Partitions: partitions}}})
		partitions[0] = -1 // nothing is kept
		want = append(want, strconv.Itoa(i))
	}
	data, err := a.UserData([]string{"t"})
	if err != nil || string(data) != strings.Join(want, " ") {
		t.Errorf("%s, %v, want %v", data, err, want)
	}
	_ = a.Close()
	a.OnAssignment(strategy.Received{Group: "1ms"})
	if alarms := s.log.alarms(); len(alarms) > 0 {
		t.Error(alarms)
	}
	s.gone(t)
}

// TestNoticesHang has a plugin that takes no notices: nobody waits for it, and user data are given up after their time.
func TestNoticesHang(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, NoticeTimeout: 200 * time.Millisecond}, "remembering")
	warm(t, a)
	a.said.onAssignment, a.said.userData = true, true
	began := time.Now()
	for i := range 2 * noticesMost {
		a.OnAssignment(strategy.Received{Group: "1h", Generation: int32(i)})
	}
	if took := time.Since(began); took > patience {
		t.Errorf("it took %s to tell nobody", took)
	}
	if _, err := a.UserData(nil); !errors.Is(err, ErrUnresponsive) {
		t.Error(err)
	}
	if len(s.log.all("an old one was left out")) == 0 {
		t.Error("nothing says that notices were left out")
	}
	_ = a.Close()
	s.gone(t)
}

func TestUserDataPanics(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, NoticeTimeout: patience}, "datapanics")
	warm(t, a)
	a.said.userData = true
	if _, err := a.UserData(nil); err == nil || !strings.Contains(err.Error(), "panic: the cause") {
		t.Error(err)
	}
	var lines []string
	until(t, "its stack is logged", func() bool { lines = s.log.all(`msg="the assignor panicked"`); return len(lines) > 0 })
	if len(lines) != 1 || !strings.Contains(lines[0], "level=ERROR") || !strings.Contains(lines[0], "dataPanics") {
		t.Errorf("the log has %q", lines)
	}
	if _, err := a.Assign(context.Background(), smallGroup()); err != nil {
		t.Error("it goes on:", err)
	}
	_ = a.Close()
	s.gone(t)
}

func TestNoticesQueue(t *testing.T) {
	var n notices
	var mu sync.Mutex
	var got []int
	var work func()
	begin := func(f func()) bool { work = f; return true }
	for i := range noticesMost + 2 {
		dropped, queued := n.add(begin, func() {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, i)
		})
		if dropped != (i >= noticesMost) || !queued {
			t.Errorf("number %d: dropped %t, queued %t", i, dropped, queued)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := n.wait(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	work()
	if len(got) != noticesMost || !slices.IsSorted(got) || got[0] != 2 {
		t.Error(got)
	}
	if err := n.wait(context.Background()); err != nil {
		t.Error(err)
	}
	if _, queued := n.add(func(func()) bool { return false }, func() {}); queued {
		t.Error("queued, where nobody works")
	}
	if err := n.wait(context.Background()); err != nil {
		t.Error("there is nothing to wait for:", err)
	}
}
