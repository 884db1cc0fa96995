package fetch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
)

// A lane is a connection to a broker, with one request under way at a time, and a goroutine that deals with the answers.
type lane struct {
	broker *broker
	wake   chan struct{} // has room for one: it was roused

	// Guarded by the fetcher's mutex:
	free   bool // it rests, and was not roused
	urgent bool // it was roused and need not gather
	asked  []ask
	until  time.Time          // when a broker that has nothing answers
	busy   bool               // the last answer brought records
	cancel context.CancelFunc // breaks the connection

	// For its goroutine:
	link   link
	barren bool // the last answer brought nothing at all
	parked bool // it left its partitions for another lane to take
}

func (l *lane) flying() bool { return len(l.asked) > 0 }

// cut breaks the connection, if there is one or about to be. It is called with the mutex held.
func (l *lane) cut() {
	if l.cancel != nil {
		l.cancel()
	}
}

func (l *lane) run() {
	f := l.broker.fetcher
	defer l.hangUp()
	alarm := time.AfterFunc(time.Hour, l.doubt)
	defer alarm.Stop()
	for l.rest() {
		for l.once(alarm) && f.ended.Err() == nil {
		}
	}
}

// rest waits for something to do, and returns false if the lane is to end.
func (l *lane) rest() bool {
	f := l.broker.fetcher
	d := idle
	if l.parked {
		d = parking
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-f.ended.Done():
			return false
		case <-l.wake:
			f.mu.Lock()
			urgent := l.urgent
			f.mu.Unlock()
			l.barren, l.parked = false, false
			return urgent || f.sleep(gather)
		case <-timer.C:
		}
		f.mu.Lock()
		again := l.parked && l.free
		switch {
		case again:
			l.free = false
		case l.free:
			l.retire()
			f.mu.Unlock()
			return false
		}
		f.mu.Unlock()
		if again {
			l.barren, l.parked = false, false
			return true
		} // else it was just roused
	}
}

// retire takes a lane out of use. It is called with the mutex held.
func (l *lane) retire() {
	b := l.broker
	b.lanes = slices.DeleteFunc(b.lanes, func(x *lane) bool { return x == l })
	b.fetcher.lanes--
}

func (l *lane) hangUp() {
	l.link.close()
	f := l.broker.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	l.cut()
	l.cancel = nil
}

// once sends a request for what is ready, and deals with the answer. It returns false if there was nothing.
func (l *lane) once(alarm *time.Timer) bool {
	f := l.broker.fetcher
	request, pause := l.collect(time.Now())
	if pause > 0 {
		return f.sleep(pause)
	}
	if request == nil {
		return false
	}
	alarm.Reset(time.Duration(request.MaxWaitTime)*time.Millisecond + overdue)
	resp, err := l.fetch(request)
	alarm.Stop()
	switch {
	case f.ended.Err() != nil:
		return false
	case err == nil:
		l.answered(resp)
	case l.undecoded(err):
		l.suspect(err)
	default:
		l.hangUp()
		l.failed(err)
	}
	return true
}

// fetch asks, over a connection that it may have to make.
func (l *lane) fetch(request *sarama.FetchRequest) (*sarama.FetchResponse, error) {
	f := l.broker.fetcher
	if l.link.conn == nil {
		f.mu.Lock()
		addr := l.broker.addr
		ctx, cancel := context.WithCancel(f.ended)
		l.cancel = cancel
		f.mu.Unlock()
		if addr == "" {
			return nil, errors.New("nobody says where the broker is")
		}
		conf := f.cfg.Client.Config()
		if err := l.link.open(ctx, conf, addr, f.cfg.MaxWait+conf.Net.ReadTimeout); err != nil {
			return nil, err
		}
	}
	return conn.Do(l.link.conn, func(b *sarama.Broker) (*sarama.FetchResponse, error) { return b.Fetch(request) })
}

// doubt is called when the answer to a request is overdue: it may be that the broker is gone and others lead its partitions by now.
func (l *lane) doubt() {
	f := l.broker.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.flying() {
		f.doubted[l] = true
		signal(f.find)
	}
}

// judge breaks the connection if the broker is not the right one any more for what it was asked, and else waits on. It is called with the
// mutex held.
func (l *lane) judge() {
	f := l.broker.fetcher
	for _, a := range l.asked {
		if now, known := f.leaders[a.at]; a.place == flying && known && now.node != l.broker.node {
			l.cut()
			return
		}
	}
	if l.flying() {
		time.AfterFunc(overdue, l.doubt)
	}
}

// failed has the partitions of a request without an answer look for their leaders anew, as these may be others by now.
func (l *lane) failed(err error) {
	f := l.broker.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := l.landed()
	l.broker.unreachable(err)
	for _, a := range asked {
		if a.place == flying {
			a.spurn(l.broker.node)
			f.relead(a.Partition, err)
		}
	}
}
