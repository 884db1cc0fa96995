package membership

import (
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// Describe renders the member on one line, for logs, scripts and failures.
func (m *Machine) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", m.state)
	if m.memberID != "" {
		fmt.Fprintf(&b, " member=%s", m.memberID)
	}
	if m.generation != strategy.NoGeneration {
		fmt.Fprintf(&b, " generation=%d", m.generation)
	}
	fmt.Fprintf(&b, " works on %s", DescribePartitions(m.started))
	if len(m.retained) > 0 {
		fmt.Fprintf(&b, "; until %d ms on %s", m.next.at.Milliseconds(), DescribePartitions(m.retained))
	}
	if m.running != nil {
		fmt.Fprintf(&b, "; %v %s runs", m.running.Kind, DescribePartitions(m.running.Partitions))
	}
	if n := len(m.commits); n > 0 {
		fmt.Fprintf(&b, "; %d commits wait", n)
	}
	return b.String()
}

// DescribePartitions renders partitions as topic and ranges of numbers: t[0-3 7] u[1].
func DescribePartitions(list []strategy.TopicPartition) string {
	if len(list) == 0 {
		return "nothing"
	}
	var b strings.Builder
	for i := 0; i < len(list); {
		if i == 0 || list[i].Topic != list[i-1].Topic {
			if i > 0 {
				b.WriteString("] ")
			}
			b.WriteString(list[i].Topic + "[")
		} else {
			b.WriteByte(' ')
		}
		k := i
		for k+1 < len(list) && list[k+1].Topic == list[k].Topic && list[k+1].Partition == list[k].Partition+1 {
			k++
		}
		fmt.Fprint(&b, list[i].Partition)
		if k > i {
			fmt.Fprintf(&b, "-%d", list[k].Partition)
		}
		i = k + 1
	}
	b.WriteByte(']')
	return b.String()
}

// DescribeOutput renders an output, a line for each thing to do, in the order of the fields. Wake is left out.
func DescribeOutput(o *Output) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, l := range o.Close {
		add("close %v", l)
	}
	if len(o.Stop) > 0 {
		add("stop %s", DescribePartitions(o.Stop))
	}
	if o.Cancel != 0 {
		add("cancel callback %d", o.Cancel)
	}
	for _, a := range o.Answers {
		add("commit %d: %v", a.ID, a.Codes)
	}
	if a := o.Assigned; a != nil {
		add("assigned generation=%d %s", a.Generation, DescribePartitions(a.Partitions))
	}
	if c := o.Callback; c != nil {
		gone := ""
		if len(c.Gone) > 0 {
			gone = ", gone " + DescribePartitions(c.Gone)
		}
		add("callback %v %s%s", c.Kind, DescribePartitions(c.Partitions), gone)
	}
	if o.Coming != nil {
		add("coming %s", DescribePartitions(*o.Coming))
	}
	if len(o.Start) > 0 {
		add("start %s", DescribePartitions(o.Start))
	}
	if c := o.Compute; c != nil {
		add("compute generation=%d protocol=%s members=%d", c.Generation, c.Protocol, len(c.Members))
	}
	for _, r := range o.Requests {
		add("send %s", wire.Describe(r.Body))
	}
	if o.Refused != nil {
		add("refused: %v", o.Refused)
	}
	if o.Ended != nil {
		add("ended: %v", o.Ended.Err)
	}
	return lines
}
