package fetch

import (
	"log/slog"

	"github.com/assignkit/assignkit/strategy"
)

// A Report is one of the types below.
type Report interface{ report() }

// An OutOfRangeReport says that the offset to read was not in the log: below Start if records have been deleted, above End if the log has
// become shorter or there never was such an offset.
type OutOfRangeReport struct {
	Partition  strategy.TopicPartition
	Wanted     int64
	Start, End int64 // of the log
	Next       int64 // where reading goes on; -1 if it does not
}

// A Trouble says that a partition cannot be read for now, or with a nil Err that it can again. The first error is reported, and what ends a
// partition, which is a [*PartitionError].
type Trouble struct {
	Partition strategy.TopicPartition
	Err       error
}

// A LeaderMoved says that a partition is led by another broker than before.
type LeaderMoved struct {
	Partition strategy.TopicPartition
	From, To  int32
	Epoch     int32 // of the new leader; -1 if that is not known
}

// A BrokerTrouble says that a broker cannot be reached, or with a nil Err that it can again. Only the first error is reported.
type BrokerTrouble struct {
	Broker int32
	Addr   string
	Err    error
}

func (OutOfRangeReport) report() {}
func (Trouble) report()          {}
func (LeaderMoved) report()      {}
func (BrokerTrouble) report()    {}

// report has a report delivered. It is called with f.mu held.
func (f *Fetcher) report(r Report) {
	if f.closed {
		return
	}
	f.reports = append(f.reports, r)
	signal(f.reported)
}

// reporter delivers reports until the fetcher is closed.
func (f *Fetcher) reporter() {
	for {
		select {
		case <-f.ended.Done():
			return
		case <-f.reported:
		}
		f.mu.Lock()
		reports := f.reports
		f.reports = nil
		f.mu.Unlock()
		for _, r := range reports {
			log(f.cfg.Logger, r)
			if f.cfg.Report != nil {
				f.cfg.Report(r)
			}
		}
	}
}

// log writes a report down. What is about partitions is for those to say aloud who know whose they are.
func log(l *slog.Logger, r Report) {
	switch r := r.(type) {
	case BrokerTrouble:
		if r.Err == nil {
			l.Info("broker can be read from again", "broker", r.Broker, "addr", r.Addr)
		} else {
			l.Warn("broker cannot be read from", "broker", r.Broker, "addr", r.Addr, "error", r.Err)
		}
	case LeaderMoved:
		l.Debug("leader moved", "topic", r.Partition.Topic, "partition", r.Partition.Partition, "from", r.From, "to", r.To, "epoch", r.Epoch)
	case Trouble:
		l.Debug("partition can or cannot be read", "topic", r.Partition.Topic, "partition", r.Partition.Partition, "error", r.Err)
	case OutOfRangeReport:
		l.Debug("offset out of range", "topic", r.Partition.Topic, "partition", r.Partition.Partition, "wanted", r.Wanted, "start", r.Start, "end", r.End, "next", r.Next)
	}
}
