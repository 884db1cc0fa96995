package consumer

import (
	"sync"
	"time"
)

// asideTime is how long anybody waits at most for an assignor that is told of an assignment, or asked what to send along with a join.
const asideTime = 2 * time.Second

// Asides are the calls of assignors that are between them and the member alone. They are made one after another, on a goroutine that is there
// while there are any, so that an assignor that is slow holds up neither the loop nor another call of its own. One that does not return
// is passed over: nothing more is told or asked until it does.
type asides struct {
	driver *driver

	mu      sync.Mutex
	queue   []aside
	running bool
	began   time.Time     // the call that runs, or ran last
	idle    chan struct{} // closed when none runs any more
	closed  bool
}

type aside struct {
	what string
	call func()
	done chan struct{}
}

// add has a call made, and returns what is closed when it has been. It refuses if an earlier one does not return, or at the end.
func (s *asides) add(what string, call func()) (done <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.running && time.Since(s.began) >= asideTime {
		return nil, false
	}
	next := aside{what: what, call: call, done: make(chan struct{})}
	s.queue = append(s.queue, next)
	if !s.running {
		s.running, s.began, s.idle = true, time.Now(), make(chan struct{})
		go s.work()
	}
	return next.done, true
}

func (s *asides) work() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.running = false
			close(s.idle)
			s.mu.Unlock()
			return
		}
		next := s.queue[0]
		s.queue, s.began = s.queue[1:], time.Now()
		s.mu.Unlock()
		late := time.AfterFunc(asideTime, func() {
			s.driver.log.Error("an assignor does not return; it is told and asked nothing until it does", "from", next.what, "after", asideTime)
		})
		next.call()
		late.Stop()
		close(next.done)
		s.mu.Lock()
		s.began = time.Now() // it has returned, however long it took
		s.mu.Unlock()
	}
}

// await waits for a call that was added, unless some call does not return.
func (s *asides) await(done <-chan struct{}) {
	for {
		s.mu.Lock()
		left := asideTime - time.Since(s.began)
		s.mu.Unlock()
		if left <= 0 {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-done:
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// close lets no call begin any more, and waits for the one that runs, if it returns.
func (s *asides) close() {
	s.mu.Lock()
	for _, dropped := range s.queue {
		close(dropped.done)
	}
	s.closed, s.queue = true, nil
	running, idle := s.running, s.idle
	s.mu.Unlock()
	if running {
		s.await(idle)
	}
}
