package callbacks

import (
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// textLimit bounds a list of partitions in a log line, in bytes. Partitions dealt out in turn make no runs.
const textLimit = 1000

// text prints partitions as "orders[0-3,7] payments[1]", and after textLimit bytes "... 123 more".
func text(list []strategy.TopicPartitions) string {
	var b strings.Builder
	left := strategy.Count(list)
	for _, tp := range list {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(tp.Topic)
		open := byte('[')
		for i := 0; i < len(tp.Partitions); {
			j := runEnd(tp.Partitions, i)
			b.WriteByte(open)
			open = ','
			writeRun(&b, tp.Partitions[i:j])
			left -= j - i
			i = j
			if b.Len() >= textLimit && left > 0 {
				fmt.Fprintf(&b, "] ... %d more", left)
				return b.String()
			}
		}
		b.WriteByte(']')
	}
	return b.String()
}

// runEnd returns the end of the run of successive numbers that begins at i; a run of two is not worth a dash.
func runEnd(numbers []int32, i int) int {
	j := i + 1
	for j < len(numbers) && numbers[j] == numbers[j-1]+1 {
		j++
	}
	if j-i < 3 {
		return i + 1
	}
	return j
}

func writeRun(b *strings.Builder, run []int32) {
	if len(run) == 1 {
		fmt.Fprint(b, run[0])
		return
	}
	fmt.Fprintf(b, "%d-%d", run[0], run[len(run)-1])
}
