//go:build kafka

package recorded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/coordinator"
)

// generous is how long anything is waited for that has to happen.
const generous = 2 * time.Minute

// A broker is a real one, asked on behalf of the members of one group.
type broker struct {
	addr, group string
	// probes are how many questions about the group the broker has to answer, one after another, before a request that it has not
	// answered is taken to wait: it does not depend on how fast the machine is.
	probes int
	reboot func() // kills the broker and starts it again; nil where others use it

	began   time.Time
	asking  net.Conn // for questions of the recorder
	running sync.WaitGroup

	mu      sync.Mutex
	idle    map[string][]net.Conn // by member
	busy    map[uint64]flight
	answers map[uint64]answer // not returned yet
	failed  error
}

// A flight is a request that is not answered, and the connection that it went by.
type flight struct {
	who  string
	conn net.Conn
}

func newBroker(addr, group string, probes int) *broker {
	return &broker{addr: addr, group: group, probes: probes, began: time.Now(), idle: map[string][]net.Conn{}, busy: map[uint64]flight{}, answers: map[uint64]answer{}}
}

// close ends all connections.
func (b *broker) close() {
	b.hangUp(func(flight) bool { return true })
	b.running.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, conns := range b.idle {
		for _, c := range conns {
			_ = c.Close() // nothing is on its way
		}
	}
	b.idle = map[string][]net.Conn{}
	if b.asking != nil {
		_ = b.asking.Close()
		b.asking = nil
	}
}

// hangUp ends what some requests wait for.
func (b *broker) hangUp(which func(flight) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, f := range b.busy {
		if which(f) {
			_ = f.conn.Close() // which is the point
			delete(b.busy, id)
		}
	}
}

func (b *broker) send(id uint64, who string, r request) error {
	conn, err := b.connection(who)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.busy[id] = flight{who: who, conn: conn}
	b.mu.Unlock()
	q := encode(r)
	b.running.Go(func() {
		a, err := patiently(conn, q)
		b.mu.Lock()
		defer b.mu.Unlock()
		if _, ok := b.busy[id]; !ok {
			return // hung up
		}
		delete(b.busy, id)
		if err != nil {
			_ = conn.Close() // it is of no use any more
			b.failed = fmt.Errorf("%s: %w", who, err)
			return
		}
		b.idle[who] = append(b.idle[who], conn)
		a.id = id
		b.answers[id] = a
	})
	return nil
}

// patiently sends a request until the coordinator is there to answer it.
func patiently(conn net.Conn, q kmsg.Request) (answer, error) {
	for end := time.Now().Add(generous); ; time.Sleep(50 * time.Millisecond) {
		resp, err := exchange(conn, q)
		if err != nil {
			return answer{}, err
		}
		if a := decode(q, resp); !a.again() || time.Now().After(end) {
			return a, nil
		}
	}
}

// connection returns one of a member on which nothing waits.
func (b *broker) connection(who string) (net.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.idle[who]); n > 0 {
		c := b.idle[who][n-1]
		b.idle[who] = b.idle[who][:n-1]
		return c, nil
	}
	var d net.Dialer
	return d.DialContext(context.Background(), "tcp", b.addr)
}

// ask asks something for the recorder itself.
func (b *broker) ask(q kmsg.Request) (kmsg.Response, error) {
	if b.asking == nil {
		var d net.Dialer
		c, err := d.DialContext(context.Background(), "tcp", b.addr)
		if err != nil {
			return nil, err
		}
		b.asking = c
	}
	return exchange(b.asking, q)
}

// settle waits until all is answered, or the coordinator has had the time to.
func (b *broker) settle() ([]answer, error) {
	var out []answer
	for calm := 0; calm < b.probes; calm++ {
		b.mu.Lock()
		for id, a := range b.answers {
			out = append(out, a)
			delete(b.answers, id)
			calm = 0
		}
		waiting, err := len(b.busy), b.failed
		b.mu.Unlock()
		if waiting == 0 || err != nil {
			return out, err
		}
		time.Sleep(10 * time.Millisecond)
		if _, err := b.describe(); err != nil {
			return out, err
		}
	}
	return out, nil
}

// describe asks how the group is. The answer goes the way of all requests to the group's coordinator.
func (b *broker) describe() (g kmsg.DescribeGroupsResponseGroup, err error) {
	q := kmsg.NewDescribeGroupsRequest()
	q.Version, q.Groups = 5, []string{b.group}
	resp, err := b.ask(&q)
	if err != nil {
		return g, err
	}
	g = resp.(*kmsg.DescribeGroupsResponse).Groups[0]
	return g, kerr.ErrorForCode(g.ErrorCode)
}

func (b *broker) await(id uint64) error {
	return b.until(func() (bool, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		_, ok := b.answers[id]
		return ok, b.failed
	})
}

func (b *broker) gone(id string) error {
	return b.until(func() (bool, error) {
		g, err := b.describe()
		return !slices.ContainsFunc(g.Members, func(m kmsg.DescribeGroupsResponseGroupMember) bool { return m.MemberID == id }), err
	})
}

func (b *broker) until(yes func() (bool, error)) error {
	for end := time.Now().Add(generous); ; time.Sleep(20 * time.Millisecond) {
		ok, err := yes()
		if ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New("it does not happen")
		}
	}
}

func (b *broker) at(d time.Duration) error {
	time.Sleep(time.Until(b.began.Add(d)))
	return nil
}

func (b *broker) disconnect(who string) { b.hangUp(func(f flight) bool { return f.who == who }) }

// states are brokers' names of them. A group that is not there is empty.
var states = map[string]coordinator.State{
	"Dead":                coordinator.Empty,
	"Empty":               coordinator.Empty,
	"PreparingRebalance":  coordinator.Preparing,
	"CompletingRebalance": coordinator.Completing,
	"Stable":              coordinator.Stable,
}

func (b *broker) state() (string, error) {
	g, err := b.describe()
	if err != nil {
		return "", err
	}
	s, ok := states[g.State]
	if !ok {
		return "", fmt.Errorf("state %q", g.State)
	}
	return describeState(s.String(), g.Protocol, len(g.Members)), nil
}

// remove deletes the group. What the broker answers is seen by the state.
func (b *broker) remove() error {
	q := kmsg.NewDeleteGroupsRequest()
	q.Version, q.Groups = 2, []string{b.group}
	_, err := b.ask(&q)
	return err
}

func (b *broker) restart() error {
	if b.reboot == nil {
		return errors.New("others use that broker")
	}
	b.close()
	b.reboot()
	return b.ready()
}

// groups are so many that each partition of the coordinator's topic has some of them.
const groups = 64

// ready waits until the broker coordinates groups, of whatever name.
func (b *broker) ready() error {
	q := kmsg.NewDescribeGroupsRequest()
	q.Version, q.Groups = 5, []string{b.group}
	for i := range groups {
		q.Groups = append(q.Groups, strconv.Itoa(i))
	}
	return b.until(func() (bool, error) {
		resp, err := b.ask(&q)
		if err != nil {
			return false, err
		}
		for _, g := range resp.(*kmsg.DescribeGroupsResponse).Groups {
			if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
				return false, ignore(err, kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator)
			}
		}
		return true, nil
	})
}

// ignore returns nil for an error that is one of some.
func ignore(err error, some ...error) error {
	for _, e := range some {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}
