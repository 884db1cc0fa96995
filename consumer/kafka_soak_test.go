//go:build kafka

package consumer_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/strategy"
)

var (
	soakTime = flag.Duration("soak", 20*time.Second, "how long members and brokers come and go in TestKafkaSoak")
	soakSeed = flag.Uint64("soak-seed", 0, "what they do; 0 for something new")
)

// A soak is a group on three brokers whose members come, go and lose their network, while brokers are killed one at a time.
type soak struct {
	t     *testing.T
	c     *realCluster
	rand  *rand.Rand
	dead  int // the broker that is, -1
	alive []*soaked
	all   []*soaked

	mu    sync.Mutex
	spans []*span
}

// A span is the generations in which a member owned a partition.
type span struct {
	member      string
	partition   strategy.TopicPartition
	first, last int32
	open        bool
}

// A soaked member can be cut off.
type soaked struct {
	*member
	line *line
}

const soakTopic, soakPartitions = "soak", 6

func TestKafkaSoak(t *testing.T) {
	seed := *soakSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-soak %v -soak-seed %d", *soakTime, seed)
	s := &soak{t: t, c: startKafka(t, kafkatest.Config{Brokers: 3}), rand: rand.New(rand.NewPCG(seed, 0)), dead: -1}
	s.c.Create(t, soakTopic, soakPartitions)
	w := s.c.write(t, soakTopic, soakPartitions, 20*time.Millisecond)
	watched := s.watchCommits()
	s.start()
	s.start()
	for end := time.Now().Add(*soakTime); time.Now().Before(end); {
		s.act()
		time.Sleep(time.Duration(200+s.rand.IntN(1300)) * time.Millisecond)
	}
	if s.dead >= 0 {
		s.c.Restart(s.dead)
	}
	w.stop()
	s.c.waitCommitted(t, soakTopic, soakTopic, soakPartitions)
	watched()
	for _, m := range s.alive {
		if err := m.close(); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
	s.check()
}

// act does one thing.
func (s *soak) act() {
	switch n := s.rand.IntN(10); {
	case n < 3 && len(s.alive) < 4 || len(s.alive) == 0:
		s.start()
	case n < 5 && len(s.alive) > 1:
		m := s.take()
		s.t.Logf("%s leaves", m.name)
		if err := m.close(); err != nil {
			s.t.Errorf("%s: %v", m.name, err)
		}
	case n < 6 && len(s.alive) > 1:
		m := s.take()
		s.t.Logf("%s is cut off", m.name)
		m.line.cut()
	case n < 8 && s.dead < 0:
		s.dead = s.rand.IntN(3)
		s.t.Logf("broker %d is killed", s.dead)
		s.c.Kill(s.dead)
	case n >= 8 && s.dead >= 0:
		s.t.Logf("broker %d is restarted", s.dead)
		s.c.Restart(s.dead)
		s.dead = -1
	}
}

// take takes a member out of those that live.
func (s *soak) take() *soaked {
	i := s.rand.IntN(len(s.alive))
	m := s.alive[i]
	s.alive = slices.Delete(s.alive, i, i+1)
	return m
}

func (s *soak) start() {
	m := &soaked{line: &line{conns: map[net.Conn]bool{}}}
	name := fmt.Sprint("m", len(s.all))
	cfg := named(s.c, name, soakTopic, soakTopic)
	cfg.SessionTimeout, cfg.RebalanceTimeout, cfg.HeartbeatInterval = 6*time.Second, 10*time.Second, 200*time.Millisecond
	cfg.CloseTimeout = 20 * time.Second
	cfg.Sarama.Net.Proxy.Enable, cfg.Sarama.Net.Proxy.Dialer = true, m.line
	cfg.Callbacks = callbacks.Funcs{
		OnAssign: func(_ context.Context, a *callbacks.Assignment) error { s.begin(name, a); return nil },
		OnRevoke: func(_ context.Context, r *callbacks.Revocation) error { s.end(name, r.Event, r.Removed); return nil },
		OnLost:   func(_ context.Context, l *callbacks.Loss) error { s.end(name, l.Event, l.Removed); return nil },
	}
	s.t.Logf("%s joins", name)
	m.member = start(s.t, name, cfg, nil)
	s.alive, s.all = append(s.alive, m), append(s.all, m)
}

func (s *soak) begin(member string, a *callbacks.Assignment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range callbacks.Each(a.Added) {
		s.spans = append(s.spans, &span{member: member, partition: p, first: a.Generation, open: true})
	}
}

func (s *soak) end(member string, e callbacks.Event, removed []strategy.TopicPartitions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range callbacks.Each(removed) {
		for _, x := range s.spans {
			if x.open && x.member == member && x.partition == p {
				x.last, x.open = e.Generation, false
			}
		}
	}
}

// watchCommits polls what is committed, until the result is called: it must not go back.
func (s *soak) watchCommits() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		high := map[int32]int64{}
		polls := 0
		for {
			offsets, err := s.c.committed(soakTopic, soakTopic, soakPartitions)
			for p, offset := range offsets {
				before, ok := high[p]
				if ok && offset < before {
					s.t.Errorf("partition %d: committed %d after %d", p, offset, before)
				} else {
					high[p] = offset
				}
			}
			if err == nil {
				polls++
			}
			select {
			case <-quit:
				s.t.Logf("%d looks at what is committed; at the end %v", polls, high)
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	stop = sync.OnceFunc(func() {
		close(quit)
		<-done
	})
	s.t.Cleanup(stop)
	return stop
}

// check looks at what has happened when all is over.
func (s *soak) check() {
	var closing sync.WaitGroup
	for _, m := range s.all { // those that were cut off have not ended
		closing.Go(func() { _ = m.Close() })
	}
	closing.Wait()
	read := map[string]bool{}
	for _, m := range s.all {
		for _, r := range m.handled() {
			read[r] = true
		}
		if left := m.has(); len(left) > 0 {
			s.t.Errorf("%s: no end of %q; callbacks %q", m.name, left, m.noted())
		}
	}
	missing, total := 0, 0
	for p, end := range s.c.ends(s.t, soakTopic, soakPartitions) {
		for offset := range end {
			total++
			if !read[recordName(soakTopic, p, offset)] {
				missing++
			}
		}
	}
	handled := 0
	for _, m := range s.all {
		handled += len(m.handled())
	}
	s.t.Logf("%d records, handled %d times by %d members, %d assignments of a partition", total, handled, len(s.all), len(s.spans))
	if missing > 0 {
		s.t.Errorf("%d of %d records were not handled", missing, total)
	}
	for i, a := range s.spans {
		for _, b := range s.spans[:i] {
			if a.partition == b.partition && a.member != b.member && a.first <= b.last && b.first <= a.last {
				s.t.Errorf("two owners of %v: %+v and %+v", a.partition, *a, *b)
			}
		}
	}
}

// A line is a member's network, for Sarama a proxy.
type line struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
	down  bool
}

var errCut = errors.New("the line is cut")

func (l *line) Dial(network, addr string) (net.Conn, error) {
	conn, err := net.DialTimeout(network, addr, 10*time.Second)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		conn.Close()
		return nil, errCut
	}
	l.conns[conn] = true
	return conn, nil
}

// cut breaks all connections, and makes no more.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for conn := range l.conns {
		conn.Close()
	}
}
